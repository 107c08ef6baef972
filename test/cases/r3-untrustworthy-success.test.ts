/** R3: success without effect, failure flagged as success, somebody else's reply. */
import { expect, test } from "vitest";
import { INVOICE, inTurn, kinds, overHttp, sleep } from "./harness.ts";
import { byOrder } from "./tools.ts";

test("R3-01 a success that the destination does not show is taken back by a person, and the needed repeat runs", async () => {
  const given = await overHttp({
    script: { create_invoice: [{ reply: "success_without_effect" }, {}] },
    policy: {
      create_invoice: {
        identityArgs: ["/order"],
        reconcile: { look: byOrder, settle: 50, staleness: 20 },
        verify: "after_success",
        repeat: "recall",
      },
    },
  });
  const { outcome } = await given.call("create_invoice", INVOICE);
  await sleep(150);
  await given.guard.sweep();
  const item = await given.guard.queue.show(outcome.operation);
  expect(item).toMatchObject({ state: "succeeded", conflict: true, reason: "not_shown_after_success" });
  const by = { version: item.version, actor: "ann", reason: "it is not there" };
  await given.guard.queue.correct(item.id, { to: "not_applied", ...by });
  const again = await given.call("create_invoice", INVOICE);

  expect(again.outcome).toMatchObject({ kind: "succeeded" });
  expect(again.outcome.operation).not.toBe(outcome.operation);
  expect(given.effects()).toHaveLength(1);
});

test("R3-02 a success that says 'Error' in its text is a success, unless the operator declared what it means", async () => {
  const result = { content: [{ type: "text", text: "Error: no such customer" }], structuredContent: { id: "" } };
  const rule = { at: "/structuredContent/id", equals: "", means: "no_effect" } as const;
  const wrong = { commit: "none", reply: { result } } as const;
  const plain = await overHttp({ script: { create_invoice: [wrong] } });
  const ruled = await overHttp({
    script: { create_invoice: [wrong, {}] },
    policy: { create_invoice: { resultErrors: [rule] } },
  });

  expect((await plain.call("create_invoice", INVOICE)).kind).toBe("succeeded");
  expect(kinds(await inTurn(2, () => ruled.call("create_invoice", INVOICE)))).toEqual(["rejected", "succeeded"]);
});

test("R3-03 doubt is never a plain success, and a tool's own error keeps its flag", async () => {
  const given = await overHttp({
    script: { create_invoice: [{ reply: { isError: "no" } }], send_email: [{ reply: "reset" }] },
  });
  const error = await given.call("create_invoice", INVOICE);
  const doubt = await given.call("send_email", { to: "a", subject: "b", body: "c" });

  expect([error.result?.isError, doubt.result?.isError]).toEqual([true, true]);
  expect(doubt.result?._meta).toMatchObject({ "indoubt/outcome": { kind: "uncertain" } });
});
