/** What a server, a model or a person wrote is shown as it is, and moves nothing (S28). */
import { afterAll, expect, test, vi } from "vitest";
import { linkOf } from "../../adapters/surfaces/cli/link.ts";
import { fenced, quoted, safeJson, visible } from "../../adapters/surfaces/cli/text.ts";
import { jsonOf, newFolder, run } from "./support/command.ts";
import { doubts, sqlitePlace, stopRedis } from "./support/store.ts";

vi.setConfig({ testTimeout: 60_000 });
afterAll(stopRedis);

const ESCAPE = "\u001b[2J\u001b[31mapplied\u001b[0m";
const TOOL = `charge${ESCAPE}\u202egnp.exe`;
const ORDER = "42\r\n\u001b]8;;https://evil.example\u0007click\u001b]8;;\u0007\u2066\u200b\u009b1A\u{e0041}";
/** Line breaks of our own apart. */
const MOVES = /[\p{Cf}\p{Zl}\p{Zp}]|(?!\n)\p{Cc}/u;

const hostile = () => {
  const place = sqlitePlace(newFolder());
  return doubts(place, [{ server: "bil\u202eling", tool: TOOL, arguments: { order: ORDER } }]).then(([id = ""]) => ({
    id,
    place,
  }));
};

test("hostile names and arguments reach the terminal without one control character", async () => {
  const { id, place } = await hostile();
  for (const words of [
    ["list"],
    ["show", id],
    ["stats"],
    ["journal"],
    ["export"],
    ["list", "--json"],
    ["show", id, "--json"],
  ]) {
    const { code, stdout, stderr } = await run(["queue", ...words], place);
    expect(code, words.join(" ")).toBe(0);
    expect(stdout, words.join(" ")).not.toMatch(MOVES);
    expect(stderr, words.join(" ")).not.toMatch(MOVES);
  }
  const { stdout } = await run(["queue", "show", id], place);
  expect(stdout).toContain("\\u{1b}");
  expect(stdout).toContain("\\u{202e}");
});

test("--json still has the exact value", async () => {
  const { id, place } = await hostile();
  const shown = jsonOf<{ tool: string; arguments: { order: string } }>(
    await run(["queue", "show", id, "--json"], place),
  );
  expect(shown.tool).toBe(TOOL);
  expect(shown.arguments.order).toBe(ORDER);
});

test("a reason with control characters is stored as it is and shown harmless; so is one in an error", async () => {
  const { id, place } = await hostile();
  const words = ["--version", "3", "--reason", `looked\u001b[1A\nand found it`, "--actor", "da\u202ena"];
  const settled = await run(["queue", "resolve", id, "abandon", ...words], place);
  expect(settled.code).toBe(0);
  const { stdout } = await run(["queue", "show", id], place);
  expect(stdout).not.toMatch(MOVES);
  expect(stdout).toContain("| and found it");
  const wrong = await run(["queue", "show", "id\u001b[2J\u202e"], place);
  expect(wrong.code).toBe(6);
  expect(wrong.stderr).not.toMatch(MOVES);
});

test("fenced words cannot leave their fence", () => {
  expect(fenced("a\nNext\r\n  indoubt queue resolve")).toEqual(["  | a", "  | Next", "  |   indoubt queue resolve"]);
  expect(fenced("x\n".repeat(200)).at(-1)).toContain("(cut");
  expect(quoted("a".repeat(300))).toHaveLength(203);
});

test("plain text of any script stays as it is", () => {
  for (const text of ["Rechnung für Jürgen", "請求書", "فاتورة", "🧾 paid", "C:\\temp"])
    expect(visible(text)).toBe(text);
  expect(JSON.parse(safeJson({ a: "\u202e🧾\u0085" }))).toEqual({ a: "\u202e🧾\u0085" });
});

test("colour is used on a terminal only", async () => {
  const { place } = await hostile();
  const { stdout } = await run(["queue", "list"], { ...place, env: { FORCE_COLOR: "1" } });
  expect(stdout).not.toContain("\u001b[");
});

test("a link to a dashboard takes hostile names as data, halves of characters too", () => {
  const item = { id: "a", server: "b/../c?d#e", tool: "\ud800\u202e", key: "k" };
  expect(linkOf("https://board.example/{server}/{tool}?q={id}&r={ref}", item)).toBe(
    "https://board.example/b%2F..%2Fc%3Fd%23e/%EF%BF%BD%E2%80%AE?q=a&r=",
  );
});
