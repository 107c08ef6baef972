/**
 * A real MCP server over Streamable HTTP whose list changes while it is being asked for: the announcement goes out on the
 * stream of notifications, then comes the answer with the list of before. Only the first list is that slow.
 */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const tool = (name: string) => ({ name, inputSchema: { type: "object" as const, properties: { order: {} } } });
let tools = [tool("create_invoice")];
let asked = 0;

const server = new Server({ name: "changing", version: "1.0.0" }, { capabilities: { tools: { listChanged: true } } });
const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID });
const http = createServer((request, response) => void handle(request, response));
const listening = once(http, "listening-client");

server.setRequestHandler(ListToolsRequestSchema, async () => {
  const before = tools;
  asked += 1;
  if (asked > 1) return { tools };
  await listening;
  tools = [...tools, tool("another")];
  await server.sendToolListChanged();
  await sleep(300);
  return { tools: before };
});
await server.connect(transport as never);

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const handled = transport.handleRequest(request, response);
  if (request.method === "GET") setTimeout(() => http.emit("listening-client"), 100);
  await handled;
}
http.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`));
