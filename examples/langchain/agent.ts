/**
 * A LangChain agent with tool retries switched on. The first reply is lost, the retries repeat nothing: one invoice.
 * Run: npx tsx examples/langchain/agent.ts
 */
// #region imports
import { MemorySaver } from "@langchain/langgraph";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { type AgentMiddleware, createAgent, toolRetryMiddleware } from "langchain";
import { loadGuardedTools } from "../../adapters/frameworks/langchain/index.ts";
import { sqliteStore } from "../../adapters/stores/sqlite/index.ts";
import { createGuard } from "../../src/index.ts";
// #endregion
import { lossyBilling } from "../support/lossy-billing.ts";
import { ScriptedModel } from "./model.ts";

const { url, invoices, close } = await lossyBilling();
const model = new ScriptedModel({});
const thread_id = `order-${Date.now()}`;

// #region guard
const guard = createGuard({
  store: sqliteStore(),
  servers: { "billing.acme": { tools: { find_invoice: { effect: "read" } } } },
});
const client = new Client({ name: "clerk", version: "1.0.0" });
await client.connect(new StreamableHTTPClientTransport(new URL(url)) as Transport);
const tools = await loadGuardedTools(guard, "billing.acme", client);
// #endregion
// #region run
const middleware = [toolRetryMiddleware() as AgentMiddleware]; // Retries whatever throws; nothing does.
const clerk = createAgent({ model, tools, middleware, checkpointer: new MemorySaver() });
const asked = { messages: [{ role: "user", content: "Invoice order 1042." }] };
const { messages } = await clerk.invoke(asked, { configurable: { thread_id } });
// #endregion

console.log(`${messages.at(-1)?.text}; invoices: ${invoices()}`);
await client.close();
await guard.close();
await close();
