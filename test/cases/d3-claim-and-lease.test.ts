/** D3: expiry under a live call, claims that are not atomic, clocks. D4: crashes that leave a claim behind. */
import { describe, expect, test } from "vitest";
import { type MemoryStore, memoryStore } from "../../adapters/stores/memory/index.ts";
import { sqliteStore } from "../../adapters/stores/sqlite/index.ts";
import { systemClock } from "../../src/runtime.ts";
import { startCaller } from "./children/start.ts";
import { newFile } from "./files.ts";
import { INVOICE, inTurn, kinds, overHttp, sleep, verdicts } from "./harness.ts";
import { fragile } from "./stores.ts";
import { byOrder } from "./tools.ts";

const SLOW = { create_invoice: [{ commit: { late: 900 }, reply: { late: 900 } }, {}] } as const;
const PATIENT = { create_invoice: { deadline: 10_000 } };

test("D3-01 a call that lasts three leases is one send; repeats meanwhile wait for its result", async () => {
  const given = await overHttp({ script: SLOW, policy: PATIENT, options: { lease: 300 } });
  const calling = given.call("create_invoice", INVOICE);
  await sleep(400);
  const second = given.call("create_invoice", INVOICE);
  await sleep(300);
  await given.guard.sweep();
  const third = given.call("create_invoice", INVOICE);

  expect(kinds(await Promise.all([calling, second, third]))).toEqual(Array(3).fill("succeeded"));
  expect(given.arrivals("create_invoice")).toBe(1);
});

test.each(["memory", "sqlite"] as const)("D3-02 twenty calls in the same moment are one claim (%s)", async (kind) => {
  const file = newFile();
  const open = () => (kind === "memory" ? memoryStore() : sqliteStore({ file }));
  const store = open();
  const given = await overHttp({ store, script: { create_invoice: [{ reply: { late: 150 } }, {}] }, policy: PATIENT });
  const other = await given.another(kind === "memory" ? (store as MemoryStore).another() : open());
  const hosts = Array.from({ length: 20 }, (_, n) => (n % 2 ? given : other));
  const said = await Promise.all(hosts.map((host) => host.call("create_invoice", INVOICE)));

  expect(kinds(said)).toEqual(Array(20).fill("succeeded"));
  expect(given.arrivals("create_invoice")).toBe(1);
});

test.each([3_600_000, -3_600_000])("D3-03 a process whose clock is %i ms off takes no lease away", async (skew) => {
  const given = await overHttp({ script: SLOW, policy: PATIENT });
  const clock = { ...systemClock, wall: () => systemClock.wall() + skew };
  const other = await given.another((given.store as MemoryStore).another(), { options: { clock } });
  const calling = given.call("create_invoice", INVOICE);
  await sleep(100);
  await other.guard.sweep();
  const second = await other.call("create_invoice", INVOICE);

  expect(second.outcome).toMatchObject({ kind: "succeeded", joined: true });
  expect((await calling).kind).toBe("succeeded");
  expect(given.arrivals("create_invoice")).toBe(1);
});

test("D3-04 a store that is away stops writes; there is no quiet local replacement", async () => {
  const broken = fragile(memoryStore());
  const given = await overHttp({ store: broken.store, options: { storeTimeout: 100 } });
  broken.down("begin", "swap", "read");
  const said = await given.call("create_invoice", INVOICE);

  expect(said.outcome).toMatchObject({ kind: "refused", because: "store_unavailable" });
  expect(given.arrivals("create_invoice")).toBe(0);
  broken.up();
  expect((await given.call("create_invoice", INVOICE)).kind).toBe("succeeded");
});

test("D4-01 an error before the effect ends in a settled state: the claim does not block the next call", async () => {
  const given = await overHttp({
    script: { create_invoice: [{ commit: "none", reply: { isError: "no stock" } }, {}] },
  });
  const said = await inTurn(2, () => given.call("create_invoice", INVOICE));

  expect(kinds(said)).toEqual(["failed", "succeeded"]);
  expect(said[0]?.isError).toBe(true);
});

test("D4-01 'in progress' is told as an error state of its own, never as a success", async () => {
  const given = await overHttp({ script: SLOW, policy: PATIENT });
  const calling = given.call("create_invoice", INVOICE);
  await sleep(50);
  const polled = await given.call("create_invoice", INVOICE, { deadline: 100 });

  expect(polled).toMatchObject({ kind: "uncertain", isError: true, outcome: { state: "in_flight" } });
  expect(polled.text).toContain("still being carried out");
  expect((await calling).kind).toBe("succeeded");
});

describe.each([
  ["call", "D4-02 an owner that dies between the effect and its record"],
  ["claim", "D4-03 an owner that dies between its claim and the send"],
] as const)("%s", (mode, title) => {
  test(`${title} is found out by its lease, asked for at the destination, and never run again`, async () => {
    const file = newFile();
    const policy = {
      create_invoice: {
        identityArgs: ["/order"],
        reconcile: { look: byOrder, settle: 200, staleness: 20, absentReads: 1 },
      },
    };
    const given = await overHttp({
      store: sqliteStore({ file }),
      script: { create_invoice: [{ reply: "never" }] },
      policy,
    });
    const owner = startCaller(file, given.server.url, mode);
    await owner.says(mode === "claim" ? "claimed" : "calling");
    if (mode === "call") await given.landed(1);
    await owner.kill();
    given.server.plan("create_invoice", { reply: "ok" });
    const { items } = await given.guard.queue.list({ index: "open" });
    expect(items).toMatchObject([{ state: "in_flight" }]);
    const item = await given.until(items[0]?.id ?? "", "applied", "not_applied", "unresolved");

    expect(item.state).toBe(mode === "call" ? "applied" : "not_applied");
    expect(given.arrivals("create_invoice")).toBe(mode === "call" ? 1 : 0);
  });
});

test("D4-04 a withdrawal whose process was killed at its deadline is blocked for the next one, not run at expiry", async () => {
  const file = newFile();
  const given = await overHttp({
    store: sqliteStore({ file }),
    script: { create_invoice: [{ reply: "never" }] },
    policy: { create_invoice: { identityArgs: ["/order"] } },
  });
  const owner = startCaller(file, given.server.url, "call");
  await owner.says("calling");
  await given.landed(1);
  await owner.kill();
  given.server.plan("create_invoice", { reply: "ok" });
  await sleep(600);
  const said = await inTurn(2, () => given.call("create_invoice", INVOICE));
  const item = await given.until(said[0]?.outcome.operation ?? "", "unresolved");

  expect(verdicts(said)).toEqual(["in doubt", "in doubt"]);
  expect(said[0]?.outcome).toMatchObject({ reason: "owner_gone" });
  expect(await given.queue()).toEqual([item.id]);
  expect(given.arrivals("create_invoice")).toBe(1);
});

test("D4-05 a record that cannot be updated after the effect: the answer reaches the caller, the record catches up", async () => {
  const broken = fragile(memoryStore());
  const given = await overHttp({
    store: broken.store,
    script: { create_invoice: [{ reply: { late: 100 } }, {}] },
    options: { storeTimeout: 150 },
  });
  const calling = given.call("create_invoice", INVOICE);
  await given.landed(1);
  broken.down("begin", "swap", "read");
  const said = await calling;
  expect(said).toMatchObject({ kind: "succeeded", isError: false, outcome: { recorded: false } });
  expect(said.text).toContain("not yet in the safety record");

  broken.up();
  const item = await given.until(said.outcome.operation, "succeeded");
  expect(item.attempts).toBe(1);
  expect(given.effects()).toHaveLength(1);
});
