/** D1: a key per attempt, volatile fields, reworded text, a key that lives too long. */
import { expect, test } from "vitest";
import type { Said } from "./harness.ts";
import { INVOICE, inTurn, kinds, overHttp } from "./harness.ts";
import { HONOURS_KEYS, INVOICE_TOOL, reviewed, write } from "./tools.ts";

const keyed = { identityArgs: ["/order"], contract: reviewed(INVOICE_TOOL), deadline: 5_000 };

test("D1-01 the key is minted once per intent, the same for its repeat, another for the next intended item", async () => {
  const given = await overHttp({
    script: { create_invoice: [{ reply: "reset" }, {}] },
    destination: HONOURS_KEYS,
    policy: { create_invoice: keyed },
  });
  const said = await inTurn(2, () => given.call("create_invoice", INVOICE));
  const keys = given.server.log.arrivals("create_invoice").map((arrival) => arrival.arguments.idempotency_key);

  expect(said.map(({ outcome }) => outcome.attempts)).toEqual([2, 1]);
  expect(keys).toEqual([keys[0], keys[0], expect.any(String)]);
  expect(keys[2]).not.toBe(keys[0]);
  expect(given.effects()).toHaveLength(2);
});

test("D1-02 fields that change with every try are declared volatile, and the repeat is found", async () => {
  const given = await overHttp({
    tools: [write("pay")],
    script: { pay: [{ reply: "reset" }, {}] },
    policy: { pay: { volatileArgs: ["/attemptId", "/createdAt"] } },
  });
  const said = await inTurn(2, (n) => given.call("pay", { to: "bob", attemptId: `a${n}`, createdAt: n }));

  expect(kinds(said)).toEqual(["uncertain", "uncertain"]);
  expect(said[1]?.outcome).toMatchObject({ heldBy: said[0]?.outcome.operation });
  expect(given.arrivals("pay")).toBe(1);
});

test("D1-03 the same payment for another reason is the same payment, while it is in doubt and inside the window", async () => {
  const given = await overHttp({
    tools: [write("pay")],
    script: { pay: [{ reply: { late: 450 } }, {}] },
    policy: { pay: { identityArgs: ["/to", "/amount"], repeat: "recall" } },
  });
  const pay = (reason: string): Promise<Said> => given.call("pay", { to: "bob", amount: 5, reason });
  const first = await pay("lunch");
  const doubt = await pay("the lunch of Monday");
  await given.until(first.outcome.operation, "succeeded");
  const after = await pay("food");

  // Disputed: the original result or a notice. DESIGN section 3 decides: never the other call's success, only its reference.
  for (const said of [doubt, after]) {
    expect(said.outcome).toMatchObject({ differentArguments: true, heldBy: first.outcome.operation });
    expect(said.text).toMatch(/This request was not sent.*the user has to say so/);
    expect(said.isError).toBe(true);
  }
  expect(given.effects("pay")).toHaveLength(1);
});

test("D1-04 the host hears of a sibling in other words before anything is sent", async () => {
  const given = await overHttp({
    tools: [write("post")],
    script: { post: [{ reply: "reset" }, {}] },
    policy: { post: { identityArgs: ["/channel"] } },
  });
  const notices: unknown[] = [];
  given.guard.on("changed_arguments", (notice) => notices.push(notice));
  const first = await given.call("post", { channel: "a", text: "one" });
  await given.call("post", { channel: "a", text: "two" });

  expect(notices).toEqual([{ operation: first.outcome.operation, server: "billing.acme", tool: "post" }]);
  expect(given.arrivals("post")).toBe(1);
});

test("D1-05 an intent ends when it is settled: after a rejection and after a success the key is a new one", async () => {
  const refusal = { rpcError: { code: -32602, message: "payment required" } };
  const given = await overHttp({
    script: { create_invoice: [{ commit: "none", reply: refusal }, {}] },
    destination: HONOURS_KEYS,
    policy: { create_invoice: keyed },
  });
  const said = await inTurn(3, () => given.call("create_invoice", INVOICE));
  const keys = given.server.log.arrivals("create_invoice").map((arrival) => arrival.arguments.idempotency_key);

  expect(kinds(said)).toEqual(["rejected", "succeeded", "succeeded"]);
  expect(new Set(keys).size).toBe(3);
});

test("D1-06 the key is no hash of the arguments: the same item twice in an hour is bought twice", async () => {
  const given = await overHttp({ destination: HONOURS_KEYS, policy: { create_invoice: keyed } });
  await inTurn(2, () => given.call("create_invoice", INVOICE));

  expect(given.effects()).toHaveLength(2);
});

test("D1-07 a framework that reuses call ids per turn loses no call: the turn is part of the identity", async () => {
  const given = await overHttp();
  const call = (turnId: string, order: string) =>
    given.call("create_invoice", { ...INVOICE, order }, { runId: "r", turnId, toolCallId: "f_0" });
  const said = [await call("1", "A"), await call("2", "B"), await call("3", "A")];

  // Disputed for turn 3: DESIGN section 3 runs it, because the success of turn 1 was delivered.
  expect(kinds(said)).toEqual(["succeeded", "succeeded", "succeeded"]);
  expect(given.effects().map((effect) => effect.arguments.order)).toEqual(["A", "B", "A"]);
});

test("D1-07 without a turn, the same call id with other arguments is refused instead of answered with the first", async () => {
  const given = await overHttp();
  const call = (order: string) =>
    given.call("create_invoice", { ...INVOICE, order }, { runId: "r", toolCallId: "f_0" });
  const said = [await call("A"), await call("B")];

  expect(said[1]?.outcome).toMatchObject({ kind: "refused", because: "other_arguments" });
  expect(given.effects()).toHaveLength(1);
});

test("D1-08 arguments that the caller changes after the first send do not change what is sent again", async () => {
  const given = await overHttp({
    script: { create_invoice: [{ reply: "reset" }, {}] },
    destination: HONOURS_KEYS,
    policy: { create_invoice: keyed },
  });
  const mine = { ...INVOICE };
  given.guard.on("transition", ({ to }) => {
    if (to === "uncertain") mine.amount = 9_999;
  });
  const said = await given.call("create_invoice", mine);

  expect(said.kind).toBe("succeeded");
  const sent = given.server.log.arrivals("create_invoice").map((arrival) => arrival.arguments.amount);
  expect(sent).toEqual([12, 12]);
  expect(mine).toEqual({ ...INVOICE, amount: 9_999 });
});
