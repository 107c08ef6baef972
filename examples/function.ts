/**
 * Guard any async function, MCP or not. A throw proves nothing about the effect: the outcome is uncertain.
 * Run: npx tsx examples/function.ts
 */
// #region imports
import { sqliteStore } from "../adapters/stores/sqlite/index.ts";
import { createGuard, guardFunction } from "../src/index.ts";

// #endregion

const refunds: string[] = [];
/** A payment provider that refunds, then drops the line. */
const psp = {
  async refund({ payment }: { payment: string; cents: number }) {
    refunds.push(payment);
    throw new Error("socket hang up");
  },
};
const payment = `p-${Date.now()}`;

// #region function
const guard = createGuard({ store: sqliteStore() });
const refund = guardFunction(guard, { server: "psp", tool: "refund" }, (args: { payment: string; cents: number }) =>
  psp.refund(args),
);
const first = await refund({ payment, cents: 500 });
const second = await refund({ payment, cents: 500 }); // Held: nothing is sent.
// #endregion

console.log(
  `${first.kind}, then ${second.kind} and held: ${second.heldBy === first.operation}; refunds: ${refunds.length}`,
);
await guard.close();
