/** V1: a lookup error is not absence, reads are stale, matches are wrong, and the check itself can fail. */
import { expect, test } from "vitest";
import { absent, applied, type ReconcileHook, unclear } from "../../src/index.ts";
import { INVOICE, inTurn, kinds, objectsIn, overHttp, sleep } from "./harness.ts";
import { byOrder, HONOURS_KEYS, INVOICE_TOOL, reviewed, write } from "./tools.ts";

const look = (more: object = {}) => ({
  identityArgs: ["/order"],
  reconcile: { look: byOrder, settle: 200, staleness: 50, ...more },
});

test("V1-01 a lookup that fails three times is not absence: the fourth finds it", async () => {
  const given = await overHttp({
    script: { create_invoice: [{ reply: "reset" }, {}] },
    destination: { failReads: 3 },
    policy: { create_invoice: look() },
  });
  const said = await inTurn(4, () => given.call("create_invoice", INVOICE));

  expect(kinds(said)).toEqual(["uncertain", "uncertain", "uncertain", "applied"]);
  expect(given.arrivals("create_invoice")).toBe(1);
});

test("V1-02 a flaky lookup is tried again, then a person gets the operation with what went wrong", async () => {
  const given = await overHttp({
    script: { create_invoice: [{ reply: "reset" }] },
    destination: { failReads: 100 },
    policy: { create_invoice: look({ maxProbes: 2 }) },
  });
  const observed: unknown[] = [];
  given.guard.on("observed", ({ observation, reason }) => observed.push([observation, reason]));
  const said = await given.call("create_invoice", INVOICE);
  const item = await given.until(said.outcome.operation, "unresolved");

  expect(item.reason).toBe("probes_used_up");
  expect(observed).toContainEqual(["unclear", expect.stringContaining("find_invoice")]);
  expect(given.arrivals("create_invoice")).toBe(1);
});

test("V1-03 absence at the first look proves nothing: the list shows the effect later", async () => {
  const given = await overHttp({
    script: { create_invoice: [{ reply: "reset" }, {}] },
    destination: { visibleAfter: 600 },
    policy: { create_invoice: look({ settle: 700, absentReads: 1, resendWhenAbsent: true }) },
  });
  const said = await given.call("create_invoice", INVOICE);
  expect(said.kind).toBe("uncertain");
  await given.until(said.outcome.operation, "applied");

  expect(given.arrivals("create_invoice")).toBe(1);
  expect(given.effects()).toHaveLength(1);
});

test("V1-03 absence after quiescence, seen as often as declared, ends the doubt, and the hold with it", async () => {
  const given = await overHttp({
    script: { create_invoice: [{ commit: "none", reply: "reset" }, {}] },
    policy: { create_invoice: look({ absentReads: 2 }) },
  });
  const said = await given.call("create_invoice", INVOICE);
  const item = await given.until(said.outcome.operation, "not_applied");
  const again = await given.call("create_invoice", INVOICE);

  expect(item.reason).toBe("observed_absent");
  expect(again.kind).toBe("succeeded");
  expect(given.effects()).toHaveLength(1);
});

test("V1-04 a hook that can read by key is not fooled by a search that lags", async () => {
  // Which read is strong is the hook's choice; what the design adds is that an eventual absence never counts early.
  const byKey: ReconcileHook = async (intent, { call }) => {
    const found = objectsIn(await call("find_invoice", { customer: "acme" }), "invoices");
    const mine = found.find(({ idempotency_key: key }) => key === intent.key);
    return mine ? applied({ ref: String(mine.id) }) : absent();
  };
  const given = await overHttp({
    script: { create_invoice: [{ reply: "never" }] },
    destination: HONOURS_KEYS,
    policy: { create_invoice: { identityArgs: ["/order"], contract: reviewed(INVOICE_TOOL), reconcile: byKey } },
  });
  const said = await given.call("create_invoice", INVOICE);

  expect(said.outcome).toMatchObject({ kind: "applied", ref: "inv_1" });
  expect(given.arrivals("create_invoice")).toBe(1);
});

test("V1-05 a success outranks a read that does not show it yet", async () => {
  const given = await overHttp({
    destination: { visibleAfter: 300 },
    policy: { create_invoice: { ...look({ settle: 500 }), verify: "after_success" } },
  });
  const said = await given.call("create_invoice", INVOICE);
  await sleep(20);
  await given.guard.sweep();

  expect(said.kind).toBe("succeeded");
  expect(await given.guard.queue.show(said.outcome.operation)).toMatchObject({ state: "succeeded", conflict: false });
  expect(given.arrivals("create_invoice")).toBe(1);
});

test("V1-06 an object of our id with another content is not our effect", async () => {
  const byContent: ReconcileHook = async (intent, { call }) => {
    const [found] = objectsIn(await call("find_invoice", { order: intent.arguments.order ?? "" }), "invoices");
    if (!found) return absent();
    return found.amount === intent.arguments.amount ? applied() : unclear("another amount is there");
  };
  const given = await overHttp({
    script: { create_invoice: [{ reply: "ok" }, { commit: "none", reply: "reset" }] },
    policy: { create_invoice: { identityArgs: ["/order"], reconcile: { look: byContent, settle: 50, maxProbes: 1 } } },
  });
  await given.call("create_invoice", INVOICE);
  const said = await given.call("create_invoice", { ...INVOICE, amount: 99 });

  expect(said.kind).toBe("uncertain");
  expect((await given.until(said.outcome.operation, "unresolved")).reason).toBe("probes_used_up");
});

test("V1-07 'duplicate ignored' on an operator's resend says that the first one was stored", async () => {
  const given = await overHttp({
    tools: [write("submit")],
    script: { submit: [{ reply: "reset" }, { commit: "none", reply: { result: { content: [], duplicate: true } } }] },
    policy: {
      submit: {
        repeatAnswers: [{ at: "/duplicate", equals: true, means: "applied" }],
      },
    },
  });
  const said = await given.call("submit", { n: 1 });
  const item = await given.until(said.outcome.operation, "unresolved");
  const decision = { actor: "ann", reason: "the destination ignores duplicates", version: item.version };
  await given.guard.queue.resolve(item.id, { verdict: "resend", ...decision });
  const after = await given.until(item.id, "applied", "succeeded", "uncertain");

  expect(after).toMatchObject({ state: "applied", attempts: 2 });
  expect(given.effects("submit")).toHaveLength(1);
});

test("V1-08 an outage that lasts through every look ends with a person, never with a resend", async () => {
  const dark: ReconcileHook = async () => {
    throw new Error("the destination cannot be reached");
  };
  const given = await overHttp({
    script: { create_invoice: [{ commit: "none", reply: "reset" }, {}] },
    policy: { create_invoice: look({ look: dark, maxProbes: 2, resendWhenAbsent: true, absentReads: 1 }) },
  });
  const said = await given.call("create_invoice", INVOICE);
  const item = await given.until(said.outcome.operation, "unresolved");

  expect(item.reason).toBe("probes_used_up");
  expect(await given.queue()).toEqual([item.id]);
  expect(given.arrivals("create_invoice")).toBe(1);
});
