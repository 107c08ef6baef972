/**
 * Declare how to look at the destination. The reply is lost; the guard finds the invoice and reports it.
 * Run: npx tsx examples/reconcile-hook.ts
 */
// #region imports
import { guardClient } from "../adapters/mcp/index.ts";
import { sqliteStore } from "../adapters/stores/sqlite/index.ts";
import { absent, applied, createGuard } from "../src/index.ts";
// #endregion
import { connectBilling } from "./support/billing.ts";

const client = await connectBilling(["create_invoice"]);

// #region guard
const guard = createGuard({
  store: sqliteStore(),
  deadline: "2s",
  servers: {
    billing: {
      tools: {
        find_invoice: { effect: "read" },
        create_invoice: {
          identityArgs: ["/order"],
          reconcile: async (intent, { call }) => {
            const { structuredContent } = await call("find_invoice", { order: intent.arguments.order ?? null });
            const { invoices } = structuredContent as { invoices: { id: string }[] };
            return invoices[0] ? applied({ ref: invoices[0].id, count: invoices.length }) : absent();
          },
        },
      },
    },
  },
});
const billing = guardClient(guard, "billing", client);
await guard.start();
// #endregion

const order = `hook-${Date.now()}`;
// #region perform
const outcome = await billing.perform({ name: "create_invoice", arguments: { order, cents: 9000 } });
switch (outcome.kind) {
  case "succeeded":
    console.log("invoiced, by the server's own answer");
    break;
  case "applied":
    console.log(`invoiced, found at the server: ${outcome.ref}`);
    break;
  case "uncertain":
  case "unresolved":
    console.log(`in doubt (${outcome.reason}): ${outcome.operation} waits`);
    break;
  default:
    console.log(`no invoice, or not known: ${outcome.kind}`);
}
// #endregion

await guard.close();
await client.close();
