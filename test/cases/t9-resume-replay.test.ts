/** T9: a workflow, an approval, a crash or a whole run is played again. */
import { expect, test } from "vitest";
import type { MemoryStore } from "../../adapters/stores/memory/index.ts";
import { sqliteStore } from "../../adapters/stores/sqlite/index.ts";
import { startCaller } from "./children/start.ts";
import { newFile } from "./files.ts";
import { INVOICE, kinds, overHttp, sleep } from "./harness.ts";
import { byOrder } from "./tools.ts";

test("T9-01 a second worker that starts the same node while the first is in flight gets the result of the first", async () => {
  const given = await overHttp({
    script: { create_invoice: [{ commit: { late: 800 }, reply: { late: 800 } }, {}] },
    policy: { create_invoice: { deadline: 10_000 } },
    options: { lease: 300 },
  });
  const worker = await given.another((given.store as MemoryStore).another());
  const first = given.call("create_invoice", INVOICE, { runId: "r", toolCallId: "node-3" });
  await sleep(500);
  await worker.guard.sweep();
  const second = await worker.call("create_invoice", INVOICE, { runId: "r", toolCallId: "node-3" });

  expect(second.outcome).toMatchObject({ kind: "succeeded", joined: true });
  expect((await first).kind).toBe("succeeded");
  expect(given.arrivals("create_invoice")).toBe(1);
});

test("T9-03 a process killed between the effect and its checkpoint repeats the step: the effect is found, not doubled", async () => {
  const file = newFile();
  const given = await overHttp({
    store: sqliteStore({ file }),
    script: { create_invoice: [{ reply: "never" }, {}] },
    policy: { create_invoice: { identityArgs: ["/order"], reconcile: { look: byOrder, settle: 200 } } },
  });
  const before = startCaller(file, given.server.url, "call");
  await before.says("calling");
  await given.landed(1);
  await before.kill();
  const after = startCaller(file, given.server.url, "call");
  await after.says("answered");
  const { items } = await given.guard.queue.list({ index: "open" });
  const resumed = await given.call("create_invoice", INVOICE);

  expect(items).toMatchObject([{ state: "uncertain", reason: "owner_gone" }]);
  expect(resumed.outcome).toMatchObject({ kind: "applied", ref: "inv_1", operation: items[0]?.id });
  expect(given.arrivals("create_invoice")).toBe(1);
});

test("T9-04 the scope that the caller names decides: the workflow's id recalls, the run's id is another intent", async () => {
  const given = await overHttp();
  const workflow = { operationId: "order-7/invoice" };
  const said = [
    await given.call("create_invoice", INVOICE, { ...workflow, runId: "r1" }),
    await given.call("create_invoice", INVOICE, { ...workflow, runId: "r2" }),
    await given.call("create_invoice", INVOICE, { runId: "r3", toolCallId: "c" }),
  ];

  expect(kinds(said)).toEqual(["succeeded", "succeeded", "succeeded"]);
  expect(said.map(({ outcome }) => outcome.recalled)).toEqual([undefined, true, undefined]);
  expect(given.effects()).toHaveLength(2);
});
