/**
 * The proxy inside a program of your own: it listens for hosts over HTTP and guards the way to a server.
 * Run: npx tsx examples/proxy/http.ts
 */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { sqliteStore } from "../../adapters/stores/sqlite/index.ts";
// #region imports
import { proxyDefaults, startProxy } from "../../adapters/surfaces/proxy/index.ts";
import { createGuard } from "../../src/index.ts";
// #endregion
import { ASKS, brief, lossyBilling } from "../support/lossy-billing.ts";

const server = await lossyBilling();

// #region start
const policies = proxyDefaults({
  servers: { billing: { tools: { create_invoice: { identityArgs: ["/customer", "/order"] } } } },
});
const guard = createGuard({ store: sqliteStore(), ...policies });
await guard.start();
const proxy = await startProxy({ guard, server: "billing", target: { url: server.url }, port: 0 });
// #endregion

// A host that knows nothing of indoubt. The server makes the invoice and loses the reply; the model asks again.
const host = new Client({ name: "host", version: "1.0.0" });
await host.connect(new StreamableHTTPClientTransport(new URL(proxy.url)) as never);
for (const { name, arguments: args } of ASKS) {
  const { content } = await host.callTool({ name, arguments: args });
  const [{ text }] = content as [{ text: string }];
  console.log(`the model reads: ${brief(text)}`);
}
console.log(`invoices: ${server.invoices()}`);

await host.close();
// #region end
await proxy.close();
await guard.close();
// #endregion
await server.close();
