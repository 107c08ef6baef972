/**
 * An agent of the Vercel AI SDK. The first reply is lost and the model asks again: one invoice.
 * Run: npx tsx examples/ai-sdk/agent.ts
 */
// #region imports
import { createMCPClient } from "@ai-sdk/mcp";
import { generateText, isStepCount } from "ai";
import { guardMcpClient } from "../../adapters/frameworks/ai-sdk/index.ts";
import { guardFetch } from "../../adapters/mcp/index.ts";
import { sqliteStore } from "../../adapters/stores/sqlite/index.ts";
import { createGuard, withCallContext } from "../../src/index.ts";
// #endregion
import { lossyBilling } from "../support/lossy-billing.ts";
import { scriptedModel } from "../support/scripted-ai-sdk.ts";

const { url, invoices, close } = await lossyBilling();
const model = scriptedModel();
const runId = `run-${Date.now()}`;

// #region guard
const server = "billing.acme";
const guard = createGuard({
  store: sqliteStore(),
  servers: { [server]: { tools: { find_invoice: { effect: "read" } } } },
});
const fetch = guardFetch(guard, { server });
const client = guardMcpClient(guard, server, await createMCPClient({ transport: { type: "http", url, fetch } }));
// #endregion
// #region run
const tools = await client.tools();
const { text } = await withCallContext({ runId }, () =>
  generateText({ model, tools, prompt: "Invoice order 1042.", stopWhen: isStepCount(10) }),
);
// #endregion

console.log(`${text}; invoices: ${invoices()}`);
await client.close();
await guard.close();
await close();
