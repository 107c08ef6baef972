/**
 * Declare the destination's documented promise. The reply is lost; the guard sends again with the same key.
 * Run: npx tsx examples/contract.ts
 */
// #region imports
import { guardClient } from "../adapters/mcp/index.ts";
import { sqliteStore } from "../adapters/stores/sqlite/index.ts";
import { contract, createGuard, toolFingerprint } from "../src/index.ts";
// #endregion
import { billingServer } from "./support/billing.ts";

const { client, effects } = await billingServer(["create_payment"]);

// #region contract
const payments = contract({
  dedupes: "key",
  key: { argument: "/idempotency_key" },
  window: "24h",
  concurrent: "joined",
  mismatch: "ignored",
  replaysErrors: false,
  scope: { caller: "acme-prod", downstream: "included" },
  review: { source: "adapters/surfaces/demo/server.ts", by: "you", on: "2026-11-30" },
  pin: { tool: "j8hNjvQk-kaN" },
});
const guard = createGuard({
  store: sqliteStore(),
  deadline: "2s",
  servers: { billing: { tools: { create_payment: { identityArgs: ["/order"], contract: payments } } } },
});
const billing = guardClient(guard, "billing", client);
const { tools } = await billing.listTools(); // The guard compares the live definition with the pin.
// #endregion

for (const tool of tools) console.log(`${tool.name}: pin ${toolFingerprint(tool)}`);
const order = `contract-${Date.now()}`;
const outcome = await billing.perform({ name: "create_payment", arguments: { order, cents: 9000 } });
console.log(`${outcome.kind} on basis ${outcome.basis}, ${outcome.attempts} sends, ${effects("payment")} payment`);

await guard.close();
await client.close();
