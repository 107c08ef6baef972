/**
 * A loop of your own over the API of Anthropic. The first reply is lost and the model asks again: one invoice.
 * Run: npx tsx examples/loops/anthropic.ts
 */
// #region imports
import Anthropic from "@anthropic-ai/sdk";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { runToolCalls } from "../../adapters/frameworks/loops/index.ts";
import { guardClient } from "../../adapters/mcp/index.ts";
import { sqliteStore } from "../../adapters/stores/sqlite/index.ts";
import { createGuard } from "../../src/index.ts";
// #endregion
import { brief, lossyBilling } from "../support/lossy-billing.ts";
import { scriptedApi } from "./scripted-api.ts";

const { url, invoices, close } = await lossyBilling();
const api = await scriptedApi();
const anthropic = new Anthropic({ apiKey: "none", baseURL: api.baseURL });
const model = "scripted";
const runId = `run-${Date.now()}`;

// #region guard
const guard = createGuard({
  store: sqliteStore(),
  servers: { "billing.acme": { tools: { find_invoice: { effect: "read" } } } },
});
const billing = guardClient(guard, "billing.acme", new Client({ name: "clerk", version: "1.0.0" }));
await billing.connect(new StreamableHTTPClientTransport(new URL(url)));
// #endregion
// #region loop
const tools = (await billing.listTools()).tools.map(({ name, description = "", inputSchema }) => ({
  name,
  description,
  input_schema: inputSchema as Anthropic.Tool.InputSchema,
}));
const messages: Anthropic.MessageParam[] = [{ role: "user", content: "Invoice order 1042." }];
for (;;) {
  const message = await anthropic.messages.create({ model, max_tokens: 1024, tools, messages });
  messages.push({ role: "assistant", content: message.content });
  if (message.stop_reason !== "tool_use") break;
  messages.push({ role: "user", content: await runToolCalls(message, billing, { runId }) });
}
// #endregion

for (const { content } of messages) {
  if (!Array.isArray(content)) continue;
  for (const block of content) {
    if (block.type !== "tool_result" || !Array.isArray(block.content)) continue;
    for (const part of block.content) if (part.type === "text") console.log("the model reads:", brief(part.text));
  }
}
console.log(`done; invoices: ${invoices()}`);
await billing.close();
await guard.close();
await close();
api.close();
