/**
 * Wrap a client. With nothing but a store, each write is recorded, sent once, and held while it is in doubt.
 * Run: npx tsx examples/three-lines.ts
 */
// #region imports
import { guardClient } from "../adapters/mcp/index.ts";
import { sqliteStore } from "../adapters/stores/sqlite/index.ts";
import { createGuard } from "../src/index.ts";
// #endregion
import { connectBilling } from "./support/billing.ts";

const client = await connectBilling();

// #region wrap
const guard = createGuard({ store: sqliteStore() });
const billing = guardClient(guard, "billing", client);
const result = await billing.callTool({ name: "create_invoice", arguments: { order: "1042", cents: 9000 } });
// #endregion

console.log(JSON.stringify(result.content));
await guard.close();
await client.close();
