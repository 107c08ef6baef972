/**
 * A host process that makes the calls of a run and dies in the middle of the last one.
 * argv: the SQLite file, the command of the MCP server as JSON, the calls as JSON.
 */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { guardClient } from "../../../adapters/mcp/index.ts";
import { sqliteStore } from "../../../adapters/stores/sqlite/index.ts";
import { createGuard, type JsonObject, withCallContext } from "../../../src/index.ts";

const [, , file = "", server = "", list = ""] = process.argv;
const calls = JSON.parse(list) as { id: string; tool: string; arguments: JsonObject }[];
const guard = createGuard({ store: sqliteStore({ file }) });
const client = guardClient(guard, "crm", new Client({ name: "run", version: "1.0.0" }));
await client.connect(new StdioClientTransport({ ...JSON.parse(server), stderr: "ignore" }));
for (const call of calls) {
  const { content } = await withCallContext({ runId: "run-7", toolCallId: call.id }, () =>
    client.callTool({ name: call.tool, arguments: call.arguments }),
  );
  console.log(
    JSON.stringify({ call: call.id, text: (content as { text: string }[]).map(({ text }) => text).join("\n") }),
  );
}
