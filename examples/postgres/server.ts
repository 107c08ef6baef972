/**
 * An MCP server in front of PostgreSQL, over stdio, as somebody else might have written it. `--dies after-commit` or
 * `--dies before-commit`: it dies in its first insert, without an answer.
 */
import { parseArgs } from "node:util";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import pg from "pg";
import { z } from "zod";

const { values: options } = parseArgs({ options: { dies: { type: "string" } } });
const database = new pg.Client({ connectionString: process.env.DATABASE_URL });
await database.connect();
const die = () => process.kill(process.pid, "SIGKILL");

const server = new McpServer({ name: "orders", version: "1.0.0" });
const inputSchema = { item: z.string(), count: z.number().int(), reference: z.string().optional() };
server.registerTool("insert_order", { description: "Takes an order.", inputSchema }, async (order) => {
  const { item, count, reference = null } = order;
  await database.query("begin");
  const insert = "insert into orders (item, count, reference) values ($1, $2, $3) returning id";
  const { rows } = await database.query<{ id: string }>(insert, [item, count, reference]);
  if (options.dies === "before-commit") die();
  await database.query("commit");
  if (options.dies === "after-commit") die();
  return { content: [{ type: "text", text: `order ${rows[0]?.id}` }] };
});
await server.connect(new StdioServerTransport());
