/** W2: races in the manual queue. */
import { expect, onTestFinished, test } from "vitest";
import { sqliteStore } from "../../adapters/stores/sqlite/index.ts";
import type { Resolution } from "../../src/entries/queue.ts";
import type { Wire } from "../../src/entries/wire.ts";
import { createGuard, type Guard, guardFunction, IndoubtError } from "../../src/index.ts";
import { newFile } from "../stores/sqlite/support.ts";
import { INVOICE, overHttp } from "./harness.ts";
import { byOrder } from "./tools.ts";

test("W2-01 two clicks on resend and one on discard at the same time: one wins, the others see what is there now", async () => {
  const given = await overHttp({ script: { create_invoice: [{ commit: "none", reply: "reset" }, {}] } });
  const { outcome } = await given.call("create_invoice", INVOICE);
  const { id, version } = await given.until(outcome.operation, "unresolved");
  const click = (verdict: Resolution["verdict"], actor: string) =>
    given.guard.queue.resolve(id, { verdict, version, actor, reason: "looked" });
  const clicks = await Promise.allSettled([click("resend", "ann"), click("resend", "bob"), click("abandon", "eve")]);
  const lost = clicks.flatMap((settled) => (settled.status === "rejected" ? [settled.reason] : []));
  await given.guard.sweep();
  const end = await given.until(id, "succeeded", "abandoned");
  await given.guard.sweep();

  expect(lost).toHaveLength(2);
  for (const reason of lost)
    expect(reason).toMatchObject({ code: "RESOLUTION_CONFLICT", details: { version: version + 1 } });
  expect(given.arrivals("create_invoice")).toBe(end.state === "succeeded" ? 2 : 1);
});

test("W2-02 closing one entry while another arrives loses neither", async () => {
  const given = await overHttp({ script: { create_invoice: [{ reply: "reset" }] } });
  const first = await given.call("create_invoice", INVOICE);
  const { id, version } = await given.until(first.outcome.operation, "unresolved");
  const by = { actor: "ann", reason: "found it", ref: "inv_1" };
  const [, second] = await Promise.all([
    given.guard.queue.resolve(id, { verdict: "applied", version, ...by }),
    given.call("create_invoice", { ...INVOICE, order: "o-2" }),
  ]);
  await given.until(second.outcome.operation, "unresolved");

  expect(await given.queue()).toEqual([second.outcome.operation]);
  expect((await given.guard.queue.show(id)).state).toBe("applied");
});

test("W2-04 an id that only the lost reply contained is not needed: the hook finds the effect by its natural key", async () => {
  const given = await overHttp({
    script: { create_invoice: [{ reply: "reset" }] },
    policy: { create_invoice: { identityArgs: ["/order"], reconcile: { look: byOrder, settle: 200, staleness: 50 } } },
  });
  const { outcome } = await given.call("create_invoice", INVOICE);
  const item = await given.until(outcome.operation, "applied");

  expect(item.ref).toBe("inv_1");
  expect(given.effects("create_invoice")).toHaveLength(1);
  expect(await given.queue()).toEqual([]);
});

test("W2-05 after a restart only what was provably not sent may be sent, and the rest does not block the start", async () => {
  const file = newFile();
  const servers = { "bank.acme": { tools: { pay: { settle: 1 } } } };
  const open = () => createGuard({ store: sqliteStore({ file, synchronous: "NORMAL" }), sweepEvery: "1h", servers });
  const arrivals: number[] = [];
  const payOn = (guard: Guard, isDown: (order: number) => boolean, answers: boolean) =>
    guardFunction(guard, { server: "bank.acme", tool: "pay" }, async ({ order }: { order: number }) => {
      if (isDown(order)) throw new IndoubtError("CALL_REFUSED", "the bank is closed", { effect: "none" });
      arrivals.push(order);
      if (!answers) throw new Error("the connection broke");
      return { paid: order };
    });
  const orders = Array.from({ length: 100 }, (_, n) => n);
  const unsent = orders.filter((n) => n % 5 === 0);

  const before = open();
  const first = payOn(before, (order) => unsent.includes(order), false);
  await Promise.all(orders.map((order) => first({ order })));
  await before.close();
  expect(arrivals).toHaveLength(80);

  const after = open();
  onTestFinished(() => after.close({ within: 0 }));
  await after.start();
  for (let turn = 0; turn < 3; turn += 1) await after.sweep();
  expect(arrivals).toHaveLength(80);
  expect((await after.queue.list({ limit: 1_000 })).items).toHaveLength(80);
  const again = payOn(after, () => false, true);
  await Promise.all(orders.map((order) => again({ order })));
  expect(arrivals.slice(80).sort((one, other) => one - other)).toEqual(unsent);
});

test("W2-03 the handle of a task is on record before the caller hears of it, and a crash makes no second task", async () => {
  const file = newFile();
  const open = () => createGuard({ store: sqliteStore({ file }), sweepEvery: "1h", servers: { "jobs.acme": {} } });
  const created: string[] = [];
  /** Takes each call on as a task; where `loses` says so, the reply with the handle is lost. */
  const call = async (guard: Guard, job: string, loses = false) => {
    const wire: Wire = {
      headers: false,
      async send(attempt) {
        if (!attempt.mayStart()) return { kind: "not_sent", cause: "permit_lost" };
        created.push(job);
        if (loses) return { kind: "silence", cause: "connection_closed" };
        return { kind: "result", result: { resultType: "task", taskId: `task-${job}`, status: "working" } };
      },
    };
    return guard.perform({ server: "jobs.acme", tool: "render", arguments: { job } }, wire);
  };
  const first = open();
  const [a, b] = [await call(first, "a"), await call(first, "b", true)];
  // Nothing more comes from this process: it neither sweeps nor closes before the next one looks.
  const second = open();
  onTestFinished(async () => {
    await first.close({ within: 0 });
    await second.close({ within: 0 });
  });

  const [withHandle, without] = [await second.queue.show(a.operation), await second.queue.show(b.operation)];
  expect(withHandle.next).toContain('as task "task-a": ask for that task there');
  expect([withHandle.state, withHandle.reason]).toEqual(["uncertain", "task_running"]);
  expect([without.state, without.next.includes("task")]).toEqual(["uncertain", false]);
  expect([(await call(second, "a")).operation, (await call(second, "b")).operation]).toEqual([
    a.operation,
    b.operation,
  ]);
  expect(created).toEqual(["a", "b"]);
});
