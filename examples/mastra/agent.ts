/**
 * A Mastra agent. Its MCP client sends a call again after a lost connection; behind the guard there is one invoice.
 * Run: npx tsx examples/mastra/agent.ts
 */
// #region imports
import { Agent } from "@mastra/core/agent";
import { MCPClient } from "@mastra/mcp";
import { guardServer, guardTools } from "../../adapters/frameworks/mastra/index.ts";
import { sqliteStore } from "../../adapters/stores/sqlite/index.ts";
import { createGuard } from "../../src/index.ts";
// #endregion
import { lossyBilling } from "../support/lossy-billing.ts";
import { scriptedModel } from "../support/scripted-ai-sdk.ts";

const { url, invoices, close } = await lossyBilling();
const model = scriptedModel("billing_") as never;
const runId = `run-${Date.now()}`;

// #region guard
const guard = createGuard({
  store: sqliteStore(),
  servers: { "billing.acme": { tools: { find_invoice: { effect: "read" } } } },
});
const mcp = new MCPClient({
  servers: { billing: guardServer(guard, "billing.acme", { url: new URL(url), onToolError: "return" as const }) },
});
// #endregion
// #region run
const tools = guardTools(await mcp.listTools());
const clerk = new Agent({ id: "clerk", name: "clerk", instructions: "Write invoices.", model, tools });
const { text } = await clerk.generate("Invoice order 1042.", { runId, maxSteps: 10 });
// #endregion

console.log(`${text}; invoices: ${invoices()}`);
await mcp.disconnect();
await guard.close();
await close();
