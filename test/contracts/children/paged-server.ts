/** A real MCP server whose tool list has a page per tool, and changes when it is told to (`grow`, `shrink`). */
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const tool = (name: string) => ({ name, inputSchema: { type: "object" as const, properties: { order: {} } } });
let tools = ["grow", "shrink", "create_invoice"].map(tool);

const server = new Server({ name: "paged", version: "1.0.0" }, { capabilities: { tools: { listChanged: true } } });
server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
  const index = Number(params?.cursor ?? 0);
  const next = index + 1 < tools.length ? { nextCursor: `${index + 1}` } : {};
  return { tools: tools.slice(index, index + 1), ...next };
});
server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
  if (params.name === "grow") tools = [...tools, tool("another")];
  if (params.name === "shrink") tools = tools.filter(({ name }) => name !== "create_invoice");
  if (params.name !== "create_invoice") await server.sendToolListChanged();
  return { content: [{ type: "text", text: "done" }] };
});
await server.connect(new StdioServerTransport());
