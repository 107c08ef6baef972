import { expect, it } from "vitest";
import type { Wire, WireEvidence } from "../../src/index.ts";
import { world } from "./support.ts";

it("I9: -32602 that a server answers after the tool ran (output validation, a handler that throws it) is no proof of no effect", async () => {
  const { guard, hand } = world();
  let effects = 0;
  // SDK v1 servers before the output check moved into the tool error, and low-level handlers: write, then -32602.
  const wire: Wire = {
    headers: false,
    async send(attempt): Promise<WireEvidence> {
      if (!attempt.mayStart()) return { kind: "not_sent", cause: "permit_lost" };
      effects += 1;
      const message = "Tool create_invoice has an output schema but no structured content was provided";
      return { kind: "rpc_error", code: -32602, message, id: "ours" };
    },
  };
  const call = { server: "billing", tool: "create_invoice", arguments: { order: "1042" } };
  const first = guard.perform(call, wire);
  await hand.move(1_000);
  const outcome = await first;
  expect(effects).toBe(1);
  expect(outcome.kind).not.toBe("rejected");
  void guard.perform(call, wire);
  await hand.move(1_000);
  expect(effects).toBe(1);
});
