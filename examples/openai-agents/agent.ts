/**
 * An agent of the OpenAI Agents SDK. The first reply is lost and the model asks again: one invoice.
 * Run: npx tsx examples/openai-agents/agent.ts
 */
// #region imports
import { Agent, getAllMcpTools, MCPServerStreamableHttp, run } from "@openai/agents";
import { agentErrorFunction, withCallIds } from "../../adapters/frameworks/openai-agents/index.ts";
import { guardFetch } from "../../adapters/mcp/index.ts";
import { sqliteStore } from "../../adapters/stores/sqlite/index.ts";
import { createGuard, withCallContext } from "../../src/index.ts";
// #endregion
import { lossyBilling } from "../support/lossy-billing.ts";
import { scriptedModel } from "./model.ts";

const { url, invoices, close } = await lossyBilling();
const model = scriptedModel();
const runId = `run-${Date.now()}`;

// #region guard
const server = "billing.acme";
const guard = createGuard({
  store: sqliteStore(),
  servers: { [server]: { tools: { find_invoice: { effect: "read" } } } },
});
const billing = new MCPServerStreamableHttp({
  url,
  name: "billing",
  timeout: 120_000, // Longer than the guard's deadline, which is 60 s.
  fetch: guardFetch(guard, { server }),
  errorFunction: agentErrorFunction,
});
await billing.connect();
// #endregion
// #region run
const tools = withCallIds(await getAllMcpTools({ mcpServers: [billing] }));
const clerk = new Agent({ name: "clerk", model, tools });
const { finalOutput } = await withCallContext({ runId }, () => run(clerk, "Invoice order 1042."));
// #endregion

console.log(`${finalOutput}; invoices: ${invoices()}`);
await billing.close();
await guard.close();
await close();
