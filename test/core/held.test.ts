/** A call with other arguments meets an operation of the same identity: it never gets that one's success (D7-03, I10). */
import { expect, it, onTestFinished } from "vitest";
import { memoryStore } from "../../adapters/stores/memory/index.ts";
import type { Wire, WireEvidence } from "../../src/entries/wire.ts";
import { createGuard, type GuardOptions } from "../../src/index.ts";

const DONE: WireEvidence = { kind: "result", result: { content: [{ type: "text", text: "INV-1" }] } };
const SILENT: WireEvidence = { kind: "silence", cause: "connection_reset" };

function billing(answer: WireEvidence, options: Partial<GuardOptions> = {}) {
  const tools = { create_invoice: { identityArgs: ["/order"] } };
  const guard = createGuard({ store: memoryStore(), servers: { billing: { tools } }, ...options });
  onTestFinished(() => guard.close({ within: 0 }));
  const effects: unknown[] = [];
  const wire: Wire = {
    headers: false,
    async send(attempt) {
      if (!attempt.mayStart()) return { kind: "not_sent", cause: "permit_lost" };
      effects.push(attempt.arguments);
      return answer;
    },
  };
  const call = (amount: number, more: object = {}) =>
    guard.perform({ server: "billing", tool: "create_invoice", arguments: { order: "o-1", amount }, ...more }, wire);
  return { guard, effects, call };
}

it("in doubt: held, with the state of the one that holds it", async () => {
  const { effects, call } = billing(SILENT);
  const { operation } = await call(1);
  expect(await call(2)).toMatchObject({
    kind: "uncertain",
    heldBy: operation,
    heldState: "uncertain",
    differentArguments: true,
  });
  expect(effects).toEqual([{ order: "o-1", amount: 1 }]);
});

it("settled and not received: refused, with the state and the way to a wanted repeat", async () => {
  const { guard, effects, call } = billing(DONE);
  const { operation } = await call(1);
  const refused = await call(2);
  expect(refused).toMatchObject({
    kind: "refused",
    because: "held_different_arguments",
    heldBy: operation,
    heldState: "succeeded",
    detail: expect.stringContaining("confirmRepeatOf"),
  });
  expect(JSON.stringify(guard.toolResult(refused))).not.toContain("INV-1");
  expect(effects).toHaveLength(1);
  await expect(call(2, { operationId: "wanted", confirmRepeatOf: operation })).resolves.toMatchObject({
    kind: "succeeded",
  });
});

it("the refusal, received, delivers nothing of the other one: its caller's repeat is still recalled", async () => {
  const { guard, effects, call } = billing(DONE);
  await call(1);
  guard.delivered(await call(2));
  await guard.sweep();
  expect(await call(1)).toMatchObject({ kind: "succeeded", recalled: true });
  expect(effects).toHaveLength(1);
});
