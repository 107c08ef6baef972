/** R1: an error-shaped answer after a commit, a wrong "rolled back", "already exists". */
import { expect, test } from "vitest";
import { absent, applied, partial, type ReconcileHook } from "../../src/index.ts";
import { INVOICE, inTurn, kinds, objectsIn, overHttp, READ, sleep } from "./harness.ts";
import { byOrder, HONOURS_KEYS, INVOICE_TOOL, read, reviewed, write } from "./tools.ts";

const looked = { identityArgs: ["/order"], reconcile: byOrder };

test("R1-01 'success: false' with an empty message after the commit is no proof: the look says applied", async () => {
  // Disputed how many errors count as doubt: DESIGN section 5 lets the operator declare what the answer means.
  const unclear = { at: "/structuredContent/success", equals: false, means: "uncertain" } as const;
  const given = await overHttp({
    script: { create_invoice: [{ reply: { success_false: "" } }, {}] },
    policy: { create_invoice: { ...looked, resultErrors: [unclear], repeat: "recall" } },
  });
  const said = await inTurn(2, () => given.call("create_invoice", INVOICE));

  expect(kinds(said)).toEqual(["applied", "applied"]);
  expect(said[0]?.text).toContain("inv_1");
  expect(given.effects()).toHaveLength(1);
});

test("R1-01 a tool error with a hook behind it is doubt until the destination was asked", async () => {
  const given = await overHttp({
    script: { create_invoice: [{ reply: { isError: "" } }] },
    policy: { create_invoice: looked },
  });
  const said = await given.call("create_invoice", INVOICE);

  expect(said.outcome).toMatchObject({ kind: "applied", ref: "inv_1" });
  expect(given.arrivals("create_invoice")).toBe(1);
});

test("R1-02 the first part landed and the second failed: the verdict is per part, and nothing is posted again", async () => {
  const parts: ReconcileHook = async (intent, { call }) => {
    const [issue] = objectsIn(await call("find_issue", { title: intent.arguments.title ?? "" }), "found");
    const comment = issue?.comment === undefined ? "absent" : "applied";
    return issue
      ? partial({
          items: [
            { item: "issue", verdict: "applied" },
            { item: "comment", verdict: comment },
          ],
        })
      : absent();
  };
  const given = await overHttp({
    tools: [write("create_issue"), read("find_issue", "create_issue")],
    script: { create_issue: [{ commit: { partial: 1 }, reply: { isError: "comment failed" } }, {}] },
    policy: {
      create_issue: { identityArgs: ["/title"], reconcile: { look: parts, settle: 100, staleness: 0 } },
      find_issue: READ,
    },
  });
  const first = await given.call("create_issue", { title: "x", comment: "y" });
  // The comment may still arrive: a missing part counts after quiescence only.
  expect(first.kind).toBe("uncertain");
  await given.until(first.outcome.operation, "partial");
  const second = await given.call("create_issue", { title: "x", comment: "y" });

  expect(second.outcome).toMatchObject({
    kind: "partial",
    items: [
      { item: "issue", verdict: "applied" },
      { item: "comment", verdict: "absent" },
    ],
  });
  expect(given.arrivals("create_issue")).toBe(1);
  expect(await given.queue()).toHaveLength(1);
});

test("R1-03 a server that commits and says 'busy, try again' is not obeyed", async () => {
  const given = await overHttp({
    script: { create_invoice: [{ reply: { isError: "busy, try again" } }, {}] },
    destination: { visibleAfter: 60_000 },
    policy: { create_invoice: looked },
  });
  const said = await inTurn(3, () => given.call("create_invoice", INVOICE));

  expect(kinds(said)).toEqual(["uncertain", "uncertain", "uncertain"]);
  expect(given.arrivals("create_invoice")).toBe(1);
});

test("R1-04 a false failure does not stand: the host hears of it when the destination shows the effect", async () => {
  const given = await overHttp({
    script: { create_invoice: [{ reply: { isError: "failed" } }] },
    destination: { visibleAfter: 250 },
    policy: { create_invoice: { ...looked, reconcile: { look: byOrder, settle: 2_000 } } },
  });
  const heard: unknown[] = [];
  given.guard.on("transition", ({ operation, to }) => heard.push([operation, to]));
  const said = await given.call("create_invoice", INVOICE);
  expect(said.kind).toBe("uncertain");
  await sleep(260);
  await given.until(said.outcome.operation, "applied");

  expect(heard).toContainEqual([said.outcome.operation, "applied"]);
  // The agent gave up; when it asks once more it hears the truth.
  expect((await given.call("create_invoice", INVOICE)).outcome).toMatchObject({ kind: "applied", recalled: true });
  expect(given.effects()).toHaveLength(1);
});

test("R1-05 neither reply is trusted: a 500 with an effect is applied, a 200 without one goes to the queue", async () => {
  const verified = {
    ...looked,
    reconcile: { look: byOrder, settle: 50, staleness: 20 },
    verify: "after_success",
  } as const;
  const given = await overHttp({
    script: { create_invoice: [{ reply: { status: 500, when: "after" } }, { reply: "success_without_effect" }] },
    policy: { create_invoice: verified },
  });
  const lost = await given.call("create_invoice", INVOICE);
  const lied = await given.call("create_invoice", { ...INVOICE, order: "o-2" });
  expect(kinds([lost, lied])).toEqual(["applied", "succeeded"]);
  await sleep(150);
  await given.guard.sweep();

  const item = await given.guard.queue.show(lied.outcome.operation);
  expect(item).toMatchObject({ conflict: true, reason: "not_shown_after_success" });
  expect(await given.queue()).toEqual([lied.outcome.operation]);
});

const exists = (means: "applied") => ({ at: "/content/0/text", equals: "Already exists: inv_1", means });
const resendable = {
  identityArgs: ["/order"],
  contract: reviewed(INVOICE_TOOL),
  deadline: 5_000,
  repeatAnswers: [exists("applied")],
};

test("R1-06 'already exists' on the repeat of our own lost attempt means that it was applied", async () => {
  const given = await overHttp({
    script: { create_invoice: [{ reply: "reset" }, { reply: { already_exists: "inv_1" } }] },
    destination: HONOURS_KEYS,
    policy: { create_invoice: resendable },
  });
  const said = await given.call("create_invoice", INVOICE);

  expect(said.outcome).toMatchObject({ kind: "applied", attempts: 2 });
  expect(said.isError).toBe(true);
  expect(given.effects()).toHaveLength(1);
});

test("R1-07 'already exists' on a first attempt is never counted as applied", async () => {
  const given = await overHttp({
    script: { create_invoice: [{ reply: { already_exists: "inv_1" } }] },
    policy: { create_invoice: { repeatAnswers: [exists("applied")] } },
  });
  const said = await given.call("create_invoice", INVOICE);

  expect(said.kind).toBe("failed");
  expect(said.text).toContain("Already exists: inv_1");
  expect(given.effects()).toHaveLength(0);
});

test("R1-08 when we refuse, the reader gets the reason and the reference, not a bare failure", async () => {
  const given = await overHttp({ script: { create_invoice: [{ reply: "reset" }] } });
  const first = await given.call("create_invoice", INVOICE);
  const held = await given.call("create_invoice", INVOICE);
  const other = await given.call("create_invoice", { ...INVOICE, order: "o-2" }, { operationId: "one" });
  const reused = await given.call("create_invoice", { ...INVOICE, order: "o-3" }, { operationId: "one" });

  expect(held.text).toContain(first.outcome.operation);
  expect(held.text).toContain("This request was not sent");
  expect(reused.outcome).toMatchObject({ because: "other_arguments", operation: other.outcome.operation });
  expect(reused.text).toMatch(/nothing was done/);
});

test("R1-02 a hook that finds everything settles the same error as applied", async () => {
  const whole: ReconcileHook = async () => applied({ ref: "issue 1" });
  const given = await overHttp({
    tools: [write("create_issue")],
    script: { create_issue: [{ reply: { isError: "comment failed" } }] },
    policy: { create_issue: { identityArgs: ["/title"], reconcile: whole } },
  });

  expect((await given.call("create_issue", { title: "x" })).outcome).toMatchObject({ kind: "applied", ref: "issue 1" });
});
