/** A loader: 500 rows, some equal on purpose, each with an operation id; it crashes, and starts again from the top. */
import { expect, test } from "vitest";
import type { FaultTool } from "../../adapters/testing/index.ts";
import { scriptedServer } from "./stage/servers.ts";
import { session } from "./stage/session.ts";

const INSERT: FaultTool = { effect: "write", name: "insert_row", idPrefix: "row", inputSchema: { type: "object" } };
const ROWS = Array.from({ length: 500 }, (_, index) => ({ sensor: `s-${index % 50}`, value: 20 }));
const LOST = 120;

test("a loader writes equal rows under their own operation ids, and a second pass writes none of them again", async () => {
  const stage = await session("A loader writes 500 rows, ten times the same 50, with an operation id for each");
  const steps = Array.from({ length: LOST }, (_, index) => (index === LOST - 1 ? { reply: "never" as const } : {}));
  const script = { insert_row: [...steps, {}] };
  const table = await stage.connect("warehouse", scriptedServer({ tools: [INSERT], script }));
  const insert = (index: number, more: object = {}) =>
    table.call("insert_row", ROWS[index] ?? {}, {
      context: { operationId: `load-1/row-${index}` },
      quiet: true,
      ...more,
    });

  for (let row = 0; row < LOST - 1; row += 1) await insert(row);
  table.readPast();
  stage.page.line("loader", `rows 0 to ${LOST - 2}: ${table.arrivals()} sent, ${table.effects()} effects`);
  const lost = await insert(LOST - 1, { quiet: false, passes: ["a minute without an answer", 61_000] });
  const rest: string[] = [];
  for (let row = LOST; row < 500; row += 1) rest.push((await insert(row)).outcome?.kind ?? "");
  table.readPast();
  const held = rest.filter((kind) => kind !== "succeeded").length;
  stage.page.line("loader", `rows ${LOST} to 499: ${rest.length - held} written, ${held} held`);
  await insert(LOST - 1 + 50, { quiet: false });
  await stage.queue();

  await stage.passes("Two minutes later a person looks row 119 up", 120_000);
  await stage.queue();
  const id = lost.outcome?.operation ?? "";
  await stage.resolve(id, { verdict: "applied", actor: "ops", reason: "the row is there", ref: "row_120" });

  stage.page.scene("The loader starts again from the top");
  const before = table.arrivals();
  const kinds: string[] = [];
  for (let row = 0; row < 500; row += 1) {
    const { outcome } = await insert(row);
    kinds.push(outcome?.recalled ? "recalled" : (outcome?.kind ?? ""));
  }
  const count = (kind: string) => kinds.filter((known) => known === kind).length;
  stage.page.line("loader", `500 rows: ${count("recalled")} recalled, ${count("succeeded")} written`);
  table.readPast();
  await insert(0, { quiet: false });
  await stage.queue();

  expect(table.arrivals() - before).toBe(held);
  expect(table.effects()).toBe(500);
  expect(count("recalled") + count("succeeded")).toBe(500);
  await stage.ends("04-loader.txt");
}, 60_000);
