/** A refund whose answer is lost, so that something waits in the queue. */

import type { GuardedCalls } from "../../src/entries/wire.ts";
import { guardFunction } from "../../src/index.ts";

export function lostRefund(guard: GuardedCalls) {
  const refund = guardFunction(guard, { server: "psp", tool: "refund" }, async (_: { payment: string }) => {
    throw new Error("socket hang up");
  });
  return refund({ payment: `p-${Date.now()}` });
}
