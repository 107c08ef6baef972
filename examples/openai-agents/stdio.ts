/**
 * The same over stdio: the server is spawned by the SDK, its calls go through the guard.
 * Run: npx tsx examples/openai-agents/stdio.ts
 */
// #region imports
import { Agent, MCPServerStdio, run } from "@openai/agents";
import { guardMcpServer } from "../../adapters/frameworks/openai-agents/index.ts";
import { sqliteStore } from "../../adapters/stores/sqlite/index.ts";
import { createGuard } from "../../src/index.ts";
// #endregion
import { dyingBilling } from "../support/lossy-billing.ts";
import { scriptedModel } from "./model.ts";

const { command, args, invoices, close } = dyingBilling();
const model = scriptedModel();

// #region guard
const guard = createGuard({ store: sqliteStore() });
const plain = new MCPServerStdio({ command, args, cacheToolsList: true, timeout: 120_000 });
const billing = guardMcpServer(guard, "billing.acme", plain);
await billing.connect();
const clerk = new Agent({ name: "clerk", model, mcpServers: [billing] });
// #endregion
const { finalOutput } = await run(clerk, "Invoice order 1042.");

console.log(`${finalOutput}; invoices: ${invoices()}`);
await billing.close();
await guard.close();
close();
