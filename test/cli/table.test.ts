import { afterEach, expect, test, vi } from "vitest";
import { isColourful, painter, type Screen } from "../../adapters/surfaces/cli/screen.ts";
import { type Column, fitted, printTable } from "../../adapters/surfaces/cli/table.ts";

interface Row {
  readonly id: string;
  readonly tool: string;
  readonly next: string;
}
const COLUMNS: readonly Column<Row>[] = [
  { title: "ID", value: ({ id }) => id },
  { title: "TOOL", value: ({ tool }) => tool, least: 10 },
  { title: "NEXT", value: ({ next }) => next, least: 20, optional: true },
];
const ROW = {
  id: "i".repeat(37),
  tool: "billing.create_invoice_of_the_customer",
  next: "Look at the destination. ".repeat(5),
};

function screenOf(width: number | undefined): { screen: Screen; lines: string[] } {
  const lines: string[] = [];
  const print = (line = "") => void lines.push(line);
  return {
    lines,
    screen: { json: false, width, measure: 80, print, printJson: print, note: print, paint: painter(false) },
  };
}

test.each([200, 120, 100, 80, 60])("a table fits %i columns", async (width) => {
  const { screen, lines } = screenOf(width);
  await printTable(screen, COLUMNS, [ROW]);
  expect(lines).toHaveLength(2);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(width);
  expect(lines[1]).toContain(ROW.id);
});

test("an id is never cut, however narrow the terminal", async () => {
  const { screen, lines } = screenOf(30);
  await printTable(screen, COLUMNS, [ROW]);
  expect(lines[1]).toContain(ROW.id);
  expect(lines[0]).not.toContain("NEXT");
});

test("without a terminal nothing is cut", async () => {
  const { screen, lines } = screenOf(undefined);
  await printTable(screen, COLUMNS, [ROW]);
  expect(lines[1]).toContain(ROW.tool);
  expect(lines[1]).toContain(ROW.next.trim());
});

test("the widest column gives way first", () => {
  const sized = [
    { title: "A", cells: ["x".repeat(30)], least: 5 },
    { title: "B", cells: ["y".repeat(10)], least: 5 },
  ];
  expect(fitted(sized, 32).map(({ width }) => width)).toEqual([20, 10]);
});

test("what is left out makes room for the others", () => {
  const sized = [
    { title: "A", cells: ["x".repeat(30)], least: 5 },
    { title: "B", cells: ["y".repeat(60)], least: 20, optional: true as const },
  ];
  expect(fitted(sized, 26).map(({ title, width }) => [title, width])).toEqual([["A", 26]]);
  expect(fitted(sized, 30).map(({ title, width }) => [title, width])).toEqual([
    ["A", 8],
    ["B", 20],
  ]);
});

afterEach(() => vi.unstubAllEnvs());

test("NO_COLOR and a dumb terminal are heard", () => {
  expect(isColourful({ isTTY: true })).toBe(!process.env.NO_COLOR && process.env.TERM !== "dumb");
  vi.stubEnv("TERM", "xterm");
  vi.stubEnv("NO_COLOR", "");
  expect(isColourful({ isTTY: true })).toBe(true);
  expect(isColourful({})).toBe(false);
  vi.stubEnv("NO_COLOR", "1");
  expect(isColourful({ isTTY: true })).toBe(false);
  vi.stubEnv("NO_COLOR", "");
  vi.stubEnv("TERM", "dumb");
  expect(isColourful({ isTTY: true })).toBe(false);
});
