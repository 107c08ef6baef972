/** `caller.ts FILE URL MODE`: one guarded call in a process that its parent kills. MODE: `call`, or `claim` to stop before the send. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { guardClient } from "../../../adapters/mcp/index.ts";
import { sqliteStore } from "../../../adapters/stores/sqlite/index.ts";
import { createGuard, unclear } from "../../../src/index.ts";

const [file = "", url = "", mode = "call"] = process.argv.slice(2);
/** Frozen into the record at the send: whoever recovers it is bound by these limits. */
const LOOKED_UP = {
  identityArgs: ["/order"],
  reconcile: { look: () => unclear("not by this process"), settle: 200, staleness: 20, absentReads: 1 },
};
const store = sqliteStore({ file });
const guard = createGuard({
  store,
  secret: "a secret of the incident cases",
  lease: 500,
  servers: { "billing.acme": { deadline: 30_000, tools: { create_invoice: LOOKED_UP } } },
});
const client = guardClient(guard, "billing.acme", new Client({ name: "caller", version: "1.0.0" }));
await client.connect(new StreamableHTTPClientTransport(new URL(url)) as never);
if (mode === "claim") {
  const begin = store.begin.bind(store);
  store.begin = async (request) => {
    await begin(request);
    console.log("claimed");
    return new Promise(() => {});
  };
}
console.log("calling");
await client.callTool({ name: "create_invoice", arguments: { customer: "acme", order: "o-1", amount: 12 } });
console.log("answered");
