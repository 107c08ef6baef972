/** D7: a wanted repeat is swallowed, or the block's wording changes what the model does. */
import { expect, test } from "vitest";
import { INVOICE, inTurn, kinds, overHttp, overStdio } from "./harness.ts";
import { write } from "./tools.ts";

test("D7-01 an error that the operator knows to come before work blocks nothing, and is sent again for the caller", async () => {
  const given = await overHttp({
    script: { create_invoice: [{ reply: { status: 503, when: "before" } }, {}] },
    rejectsBeforeWork: [503],
    policy: { create_invoice: { deadline: 3_000 } },
  });
  const said = await given.call("create_invoice", INVOICE);

  expect(said.outcome).toMatchObject({ kind: "succeeded", attempts: 2, basis: "rejected" });
  expect(given.effects()).toHaveLength(1);
});

test("D7-01 the answer to a held call is factual: what is known, what happens next, what to do instead", async () => {
  const given = await overHttp({ script: { create_invoice: [{ reply: "reset" }, {}] } });
  const [, held] = await inTurn(2, () => given.call("create_invoice", INVOICE));

  expect(held?.text).toMatch(/outcome .* is not known/);
  expect(held?.text).toMatch(/was not sent/);
  expect(held?.text).toMatch(/go on with other work or tell the user/);
  expect(held?.text).toContain(held?.outcome.operation ?? "-");
  expect(held?.text).not.toMatch(/do not call this tool/i);
});

test("D7-02 a write after a delivered success is a new intent, and a read is never blocked", async () => {
  const given = await overHttp();
  const wrote = await inTurn(3, () => given.call("create_invoice", INVOICE));
  const found = await inTurn(3, () => given.call("find_invoice", { order: "o-1" }));

  expect(kinds([...wrote, ...found])).toEqual(Array(6).fill("succeeded"));
  expect(wrote.every(({ outcome }) => outcome.recalled === undefined)).toBe(true);
  expect(given.effects()).toHaveLength(3);
});

test("D7-03 only exact identity blocks: a reworded task passes, and the block names the record that it meant", async () => {
  const given = await overHttp({
    tools: [write("task")],
    script: { task: [{ reply: "reset" }, {}] },
    policy: { task: {} },
  });
  const first = await given.call("task", { title: "Fix the login" });
  const same = await given.call("task", { title: "Fix the login" });
  const other = await given.call("task", { title: "Fix the log-in" });

  expect(kinds([first, same, other])).toEqual(["uncertain", "uncertain", "succeeded"]);
  expect(same.text).toContain(first.outcome.operation);
  // How to get around it is nothing that a model may read.
  expect(same.text).not.toMatch(/operationId|confirmRepeatOf|reword/i);
  expect(given.effects("task")).toHaveLength(2);
});

test("D7-04 two intended increments of one batch both count where each call counts", async () => {
  const given = await overStdio({
    tools: [write("increment")],
    script: { increment: [{ reply: { late: 100 } }] },
    policy: { increment: { identity: "per-call" } },
  });
  const said = await Promise.all([given.call("increment", { by: 1 }), given.call("increment", { by: 1 })]);

  expect(kinds(said)).toEqual(["succeeded", "succeeded"]);
  expect(given.effects("increment")).toHaveLength(2);
});

test("D7-04 a lost increment is still not sent again by us", async () => {
  // Disputed: "uncertain ones still held". DESIGN section 3: `per-call` says that repeats are harmless, so none is held.
  const given = await overHttp({
    tools: [write("increment")],
    script: { increment: [{ reply: "reset" }, {}] },
    policy: { increment: { identity: "per-call" } },
  });
  const said = await given.call("increment", { by: 1 });

  expect(said.kind).toBe("uncertain");
  expect(given.arrivals("increment")).toBe(1);
});

test("D7-05 each call gets exactly one result, and a refusal comes before the send or not at all", async () => {
  const given = await overHttp({ script: { create_invoice: [{ reply: { late: 100 } }] } });
  const outcomes: string[] = [];
  given.guard.on("outcome", ({ kind, operation }) => outcomes.push(`${kind} ${operation !== ""}`));
  const run = { runId: "r", turnId: "1" };
  const all = ["a", "b", "c"].map((toolCallId, n) =>
    given.call("create_invoice", { ...INVOICE, order: `o-${n}` }, { ...run, toolCallId }),
  );
  const refused = given.call("create_invoice", INVOICE, { ...run, toolCallId: "d", signal: AbortSignal.abort() });
  const said = await Promise.all([...all, refused.catch(() => undefined)]);

  expect(said.slice(0, 3).map((one) => one?.kind)).toEqual(Array(3).fill("succeeded"));
  expect(given.arrivals("create_invoice")).toBe(3);
  expect(outcomes.filter((line) => line.startsWith("succeeded"))).toHaveLength(3);
});

test("D7-06 an operator's order is one send, and not deduplicated away", async () => {
  const given = await overHttp({ script: { create_invoice: [{ commit: "none", reply: "reset" }, {}] } });
  const said = await given.call("create_invoice", INVOICE);
  const { id, version } = await given.until(said.outcome.operation, "unresolved");
  const order = { verdict: "resend", version, actor: "ann", reason: "not there", decision: "click-1" } as const;
  await given.guard.queue.resolve(id, order);
  // The second click of the same decision is no second order.
  await given.guard.queue.resolve(id, order).catch(() => {});
  const after = await given.until(id, "succeeded");
  await given.guard.sweep();

  expect(after.attempts).toBe(2);
  expect(after.audit.some(({ row, actor }) => row === "operator_resend" && actor === "ann")).toBe(true);
  expect(given.arrivals("create_invoice")).toBe(2);
  expect(given.effects()).toHaveLength(1);
});

test("D7-06 a host that confirms the repeat of exactly the held operation gets a new one", async () => {
  const given = await overHttp({ script: { create_invoice: [{ reply: "reset" }, {}] } });
  const first = await given.call("create_invoice", INVOICE);
  const wrong = await given.call("create_invoice", INVOICE, { operationId: "n1", confirmRepeatOf: "another" });
  const right = await given.call("create_invoice", INVOICE, {
    operationId: "n2",
    confirmRepeatOf: first.outcome.operation,
  });

  expect(wrong.outcome).toMatchObject({ kind: "refused", because: "confirm_repeat" });
  expect(right.kind).toBe("succeeded");
  expect(right.outcome.operation).not.toBe(first.outcome.operation);
  expect(given.arrivals("create_invoice")).toBe(2);
});

test("D7-07 two different writes of one tool at the same time both run, each with its own result", async () => {
  const given = await overHttp({ script: { create_invoice: [{ reply: { late: 150 } }, {}] } });
  const orders = ["X", "Y"];
  const said = await Promise.all(orders.map((order) => given.call("create_invoice", { ...INVOICE, order })));
  const orderOf = new Map(given.effects().map((effect) => [effect.reference, effect.arguments.order]));

  expect(said.map(({ text }) => orderOf.get(JSON.parse(text).id))).toEqual(orders);
  expect(given.effects()).toHaveLength(2);
});
