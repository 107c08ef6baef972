/** T8: double dispatch, parallel calls, two sessions, two agents, two schedulers. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { MemoryStore } from "../../adapters/stores/memory/index.ts";
import { redisStore } from "../../adapters/stores/redis/index.ts";
import { sqliteStore } from "../../adapters/stores/sqlite/index.ts";
import type { Store } from "../../src/entries/store.ts";
import { type RedisServer, startRedis } from "../support/redis.ts";
import { newFile } from "./files.ts";
import { INVOICE, inTurn, kinds, overHttp, overStdio, sleep } from "./harness.ts";
import { byOrder, write } from "./tools.ts";

test.each(["v1", "v2", "v2 2026"] as const)(
  "T8-01 two equal calls at the same moment are one send with the same result for both (%s)",
  async (client) => {
    const given = await overHttp({ client, script: { create_invoice: [{ reply: { late: 150 } }, {}] } });
    const both = await Promise.all([given.call("create_invoice", INVOICE), given.call("create_invoice", INVOICE)]);

    expect(kinds(both)).toEqual(["succeeded", "succeeded"]);
    expect(both[1]?.result?.structuredContent).toEqual(both[0]?.result?.structuredContent);
    expect(both.filter(({ outcome }) => outcome.joined)).toHaveLength(1);
    expect(given.arrivals("create_invoice")).toBe(1);
  },
);

test("T8-02 two sessions of one principal are one send, two principals with the same words are two", async () => {
  const given = await overHttp({ script: { create_invoice: [{ reply: { late: 150 } }] } });
  const other = await given.another((given.store as MemoryStore).another());
  const calls = [
    given.call("create_invoice", INVOICE, { principal: "ann", runId: "s1" }),
    other.call("create_invoice", INVOICE, { principal: "ann", runId: "s2" }),
    other.call("create_invoice", INVOICE, { principal: "bob", runId: "s2" }),
  ];

  expect(kinds(await Promise.all(calls))).toEqual(["succeeded", "succeeded", "succeeded"]);
  expect(given.effects()).toHaveLength(2);
});

test("T8-03 one call that left two objects goes to the queue: more effects than sends", async () => {
  const given = await overHttp({
    path: [{ repeats: 1 }],
    policy: { create_invoice: { identityArgs: ["/order"], reconcile: byOrder, verify: "after_success" } },
  });
  const said = await given.call("create_invoice", INVOICE);
  await sleep(20);
  await given.guard.sweep();

  expect(given.effects()).toHaveLength(2);
  expect(await given.guard.queue.show(said.outcome.operation)).toMatchObject({ conflict: true, attempts: 1 });
  expect(await given.queue()).toEqual([said.outcome.operation]);
});

describe.each(["sqlite", "redis"] as const)("two processes on one %s store", (kind) => {
  let redis: RedisServer | undefined;
  let opened = 0;
  beforeAll(async () => {
    redis = kind === "redis" ? await startRedis() : undefined;
  });
  afterAll(() => redis?.stop());
  const two = (): [Store, Store] => {
    opened += 1;
    const file = kind === "sqlite" ? newFile() : "";
    const open = () => (redis ? redisStore({ url: redis.url, namespace: `cases-${opened}` }) : sqliteStore({ file }));
    return [open(), open()];
  };

  test("T8-04 resume the same approved call: the second gets the result of the first", async () => {
    const [store, handle] = two();
    const given = await overHttp({ store, script: { create_invoice: [{ reply: { late: 150 } }, {}] } });
    const other = await given.another(handle);
    const approval = { operationId: "approval-31" };
    const calls = [given.call("create_invoice", INVOICE, approval), other.call("create_invoice", INVOICE, approval)];
    const both = await Promise.all(calls);
    const late = await other.call("create_invoice", INVOICE, approval);

    expect(kinds([...both, late])).toEqual(["succeeded", "succeeded", "succeeded"]);
    expect(late.result?.structuredContent).toEqual(both[0]?.result?.structuredContent);
    expect(given.arrivals("create_invoice")).toBe(1);
  });

  test("T8-11 run the same step: one send across processes, by arguments alone", async () => {
    const [store, handle] = two();
    const given = await overHttp({ store, script: { create_invoice: [{ reply: { late: 200 } }, {}] } });
    const other = await given.another(handle);
    const calls = [given, other, given, other].map((host) => host.call("create_invoice", INVOICE));

    expect(kinds(await Promise.all(calls))).toEqual(Array(4).fill("succeeded"));
    expect(given.arrivals("create_invoice")).toBe(1);
  });
});

test("T8-05 equal writes of one batch are one effect, and A, B, A one after the other are three", async () => {
  const given = await overStdio({ script: { write_file: [{ reply: { late: 100 } }, {}] } });
  const file = (path: string) => given.call("write_file", { path, content: "x" });
  const batch = await Promise.all([file("A"), file("A")]);
  expect(given.effects()).toHaveLength(1);
  const later = [await file("A"), await file("B"), await file("A")];

  expect(kinds([...batch, ...later])).toEqual(Array(5).fill("succeeded"));
  expect(given.effects().map((effect) => effect.arguments.path)).toEqual(["A", "A", "B", "A"]);
});

test("T8-06 two executors of one tool-call id, the second long after the success: the stored result", async () => {
  const given = await overHttp();
  const other = await given.another((given.store as MemoryStore).another());
  const context = { runId: "r", turnId: "4", toolCallId: "call_1" };
  const first = await given.call("create_invoice", INVOICE, context);
  await sleep(80);
  const second = await other.call("create_invoice", INVOICE, context);

  expect(second.outcome).toMatchObject({ kind: "succeeded", recalled: true, operation: first.outcome.operation });
  expect(given.effects()).toHaveLength(1);
});

test("T8-07 two agents with one business intent in other words need a shared key; argument hashes do not cover it", async () => {
  const given = await overHttp({ tools: [write("open_pr")], policy: { open_pr: {} } });
  const shared = { operationId: "issue:1333/pr" };
  const ann = await given.call("open_pr", { title: "Fix it" }, shared);
  const bob = await given.call("open_pr", { title: "Repair it" }, shared);
  const without = await given.call("open_pr", { title: "Mend it" });

  // DESIGN I10: the same id with other arguments is refused, not answered with the other's success.
  expect([ann.outcome, bob.outcome]).toMatchObject([
    { kind: "succeeded" },
    { kind: "refused", because: "other_arguments" },
  ]);
  expect(without.kind).toBe("succeeded");
  expect(given.effects("open_pr")).toHaveLength(2);
});

test("T8-08 a run that an effect of ours started repeats our write: a shared key holds it", async () => {
  const given = await overHttp({ tools: [write("assign")], policy: { assign: {} } });
  const first = await given.call("assign", { to: "bob" }, { operationId: "ticket-9/assign", runId: "r1" });
  const second = await given.call("assign", { to: "bob" }, { operationId: "ticket-9/assign", runId: "r2" });

  expect([first.outcome.recalled, second.outcome.recalled]).toEqual([undefined, true]);
  expect(given.effects("assign")).toHaveLength(1);
});

test("T8-09 'already exists' on a first attempt is passed on with its reference and not sent again", async () => {
  const given = await overHttp({
    script: { create_invoice: [{ reply: { already_exists: "inv_77" } }] },
    // The operator knows this answer: it comes before any work.
    policy: {
      create_invoice: { toolErrors: [{ at: "/content/0/text", equals: "Already exists: inv_77", means: "no_effect" }] },
    },
  });
  const said = await given.call("create_invoice", INVOICE);

  expect(said).toMatchObject({ kind: "rejected", isError: true });
  expect(said.text).toContain("inv_77");
  expect(given.arrivals("create_invoice")).toBe(1);
});

test("T8-10 the report of two schedules is two intents, and one where the id carries the slot", async () => {
  const given = await overHttp({ tools: [write("report")], policy: { report: {} } });
  const hourly = await inTurn(2, (n) => given.call("report", { topic: "sales" }, { runId: `s${n}` }));
  const slot = { operationId: "digest:2026-05-04" };
  const daily = await inTurn(2, (n) => given.call("report", { topic: "sales" }, { ...slot, runId: `s${n}` }));

  expect(hourly.map(({ outcome }) => outcome.recalled)).toEqual([undefined, undefined]);
  expect(daily.map(({ outcome }) => outcome.recalled)).toEqual([undefined, true]);
  expect(given.effects("report")).toHaveLength(3);
});
