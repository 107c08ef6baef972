/** D2: the same key for other arguments, another tool, tenant or destination. */
import { expect, test } from "vitest";
import type { MemoryStore } from "../../adapters/stores/memory/index.ts";
import { createGuard } from "../../src/index.ts";
import { connectClient } from "./clients.ts";
import { hostOf, INVOICE, kinds, overHttp, SERVER } from "./harness.ts";

const KEY = { operationId: "intent-1" };

test("D2-01 one caller's key for two tools names two operations, for other arguments of one tool it is refused", async () => {
  const given = await overHttp();
  const mail = { to: "a", subject: "b", body: "c" };
  const said = [
    await given.call("create_invoice", INVOICE, KEY),
    await given.call("send_email", mail, KEY),
    await given.call("create_invoice", { ...INVOICE, amount: 13 }, KEY),
  ];

  expect(kinds(said)).toEqual(["succeeded", "succeeded", "refused"]);
  expect(said[2]?.outcome).toMatchObject({ because: "other_arguments" });
  expect(said[2]?.text).not.toContain("inv_1");
  expect([given.effects("create_invoice").length, given.effects("send_email").length]).toEqual([1, 1]);
});

test("D2-02 another tenant with the same key and arguments gets an operation of its own, and sees nothing of the first", async () => {
  const given = await overHttp();
  const first = await given.call("create_invoice", INVOICE, { ...KEY, tenant: "t1" });
  const second = await given.call("create_invoice", INVOICE, { ...KEY, tenant: "t2" });

  expect(second.outcome.operation).not.toBe(first.outcome.operation);
  expect(second.outcome.recalled).toBeUndefined();
  expect(given.effects()).toHaveLength(2);
});

test("D2-03 an explicit key is shared by two sessions, a derived one belongs to its run", async () => {
  const given = await overHttp();
  const shared = [
    await given.call("create_invoice", INVOICE, { ...KEY, runId: "s1" }),
    await given.call("create_invoice", INVOICE, { ...KEY, runId: "s2" }),
  ];
  const derived = [
    await given.call("create_invoice", { ...INVOICE, order: "o-2" }, { runId: "s1", toolCallId: "c1" }),
    await given.call("create_invoice", { ...INVOICE, order: "o-2" }, { runId: "s2", toolCallId: "c1" }),
  ];

  expect(shared.map(({ outcome }) => outcome.recalled)).toEqual([undefined, true]);
  expect(derived.map(({ outcome }) => outcome.recalled)).toEqual([undefined, undefined]);
  expect(given.effects()).toHaveLength(3);
});

test("D2-04 the same call to production and to staging is two operations, also while one of them is in doubt", async () => {
  const given = await overHttp({ script: { create_invoice: [{ reply: "reset" }, {}] } });
  const prod = await given.call("create_invoice", INVOICE, KEY);
  // The destination is configured outside the arguments: another name, the same store.
  const staging = "billing.staging";
  const store = (given.store as MemoryStore).another();
  const guard = createGuard({ store, secret: "a secret of the incident cases", servers: { [staging]: {} } });
  const client = await connectClient(guard, staging, "v1", given.server);
  const said = await hostOf(guard, client).call("create_invoice", INVOICE, KEY);

  expect(kinds([prod, said])).toEqual(["uncertain", "succeeded"]);
  expect(said.outcome.server).toBe(staging);
  expect((await given.guard.queue.list({ index: "open", server: SERVER })).items).toHaveLength(1);
  expect(given.arrivals("create_invoice")).toBe(2);
  await guard.close();
});
