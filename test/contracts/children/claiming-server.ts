/** A real MCP server with a tool that claims to be read-only, and one that claims nothing. */
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const inputSchema = { type: "object" as const, properties: { order: { type: "string" } } };
const tools = [
  { name: "create_invoice", description: "Creates an invoice.", inputSchema },
  { name: "find_invoice", description: "Finds one.", inputSchema, annotations: { readOnlyHint: true } },
];
const server = new Server({ name: "claiming", version: "1.0.0" }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
await server.connect(new StdioServerTransport());
