/**
 * Name each write yourself. A loader writes 500 rows, some equal on purpose, stops in the middle and starts over.
 * Run: npx tsx examples/operation-ids.ts
 */
// #region imports
import { guardClient } from "../adapters/mcp/index.ts";
import { sqliteStore } from "../adapters/stores/sqlite/index.ts";
import { createGuard } from "../src/index.ts";
// #endregion
import { billingServer } from "./support/billing.ts";

const { client, effects } = await billingServer();
const load = `load-${Date.now()}`;
/** Every tenth row is the same invoice as the row before, and meant so. */
const rows = Array.from({ length: 500 }, (_, index) => ({
  id: `${load}:${index}`,
  order: `${load}-${index % 10 === 9 ? index - 1 : index}`,
  cents: 9000,
}));

// #region ids
const guard = createGuard({ store: sqliteStore() });
const billing = guardClient(guard, "billing", client);

/** @returns how many rows were on record already */
async function loadRows(some: typeof rows): Promise<number> {
  let known = 0;
  for (const { id, order, cents } of some) {
    const call = { name: "create_invoice", arguments: { order, cents } };
    const outcome = await billing.perform(call, { operationId: id });
    if (outcome.kind !== "succeeded") throw new Error(`row ${id}: ${outcome.kind}`);
    if (outcome.recalled) known += 1;
  }
  return known;
}
// #endregion

await loadRows(rows.slice(0, 300));
console.log(`stopped after 300 rows: ${effects("invoice")} invoices`);
const known = await loadRows(rows);
console.log(`started over with all 500: ${known} on record already, ${effects("invoice")} invoices`);
await guard.close();
await client.close();
