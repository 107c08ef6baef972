import { expect, test } from "vitest";
import { sqliteStore } from "../../../adapters/stores/sqlite/index.ts";
import { idOf } from "./children/requests.ts";
import { ended, newFile, startChild } from "./support.ts";

interface Report {
  readonly calls: number;
  readonly sharedCreated: readonly number[];
  readonly unexpected: number;
  readonly stall: number;
}

test("four processes with sixteen workers each share a file: no error, and no operation is begun twice", async () => {
  const file = newFile();
  const children = ["a", "b", "c", "d"].map((name) => startChild("worker", file, name, "1500"));
  await Promise.all(children.map(ended));
  const reports = children.map((child) => JSON.parse(child.output()) as Report);
  expect(reports.map(({ unexpected }) => unexpected)).toEqual([0, 0, 0, 0]);
  for (const { calls } of reports) expect(calls).toBeGreaterThan(0);

  const created = reports.flatMap(({ sharedCreated }) => sharedCreated);
  expect(new Set(created).size, "each shared operation was created by one worker of one process").toBe(created.length);
  const store = sqliteStore({ file });
  for (const round of created.slice(0, 100)) {
    expect((await store.read(idOf(`shared${round}`))).record?.version).toBe(1);
  }
  await store.close();

  const calls = reports.reduce((sum, report) => sum + report.calls, 0);
  const stall = Math.max(...reports.map((report) => report.stall));
  console.log(`4 processes on one file: ${calls} calls in 1.5 s, longest event-loop stall ${stall.toFixed(1)} ms`);
});
