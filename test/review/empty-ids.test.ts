import { expect, it } from "vitest";
import { type CallContext, guardFunction, withCallContext } from "../../src/index.ts";
import { world } from "./support.ts";

function bank() {
  const paid: unknown[] = [];
  const { guard } = world();
  const pay = guardFunction(guard, { server: "bank", tool: "pay" }, async ({ order }: { order: number }) => {
    paid.push(order);
    return { paid: order };
  });
  // As a program without types has it.
  const call = (context: unknown, order: number) => withCallContext(context as CallContext, () => pay({ order }));
  return { paid, call };
}

it.each([
  ["empty", { runId: "run", toolCallId: "" }],
  ["null", { runId: "run", toolCallId: null }],
  ["of a run that has none", { runId: "", toolCallId: "call_1" }],
])("T7: tool-call ids that are %s name nothing: another wish is sent, an equal one later, too", async (_what, ids) => {
  const { paid, call } = bank();
  expect(await call(ids, 1)).toMatchObject({ kind: "succeeded" });
  expect(await call(ids, 2)).toMatchObject({ kind: "succeeded" });
  expect(await call(ids, 1)).not.toHaveProperty("recalled");
  expect(paid).toEqual([1, 2, 1]);
});

it.each<[string, object]>([
  ["operationId", { operationId: "" }],
  ["operationId", { operationId: null }],
  ["operationId", { operationId: 17 }],
  ["principal", { principal: null }],
  ["issuedAt", { operationId: "order-1", issuedAt: "2020-01-01T00:00:00Z" }],
  ["issuedAt", { operationId: "order-1", issuedAt: null }],
  ["issuedAt", { operationId: "order-1", issuedAt: Number.NaN }],
])("I10: a call whose %s cannot be one (%o) is refused, and nothing is sent", async (name, context) => {
  const { paid, call } = bank();
  await expect(call(context, 1)).rejects.toMatchObject({
    code: "CONFIG_INVALID",
    message: expect.stringMatching(new RegExp(`^${name} .*nothing was sent`)),
  });
  expect(paid).toEqual([]);
});
