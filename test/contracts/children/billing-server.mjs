/**
 * The server of somebody who follows docs/contracts.md: a tool with a key field, and one that looks. It is copied into their
 * folder as `billing-server.js`, so it is plain JavaScript. ROLE=reader may not write; a file named `lose` keeps answers.
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const FILE = "invoices.jsonl";
const held = () =>
  existsSync(FILE)
    ? readFileSync(FILE, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
    : [];
const answer = (text, body = {}) => ({ content: [{ type: "text", text }], structuredContent: body });
const refusal = (text) => ({ ...answer(text), isError: true });

const order = { type: "string" };
const fields = { order, amount: { type: "number" }, idempotency_key: { type: "string" } };
const tools = [
  { name: "create_invoice", inputSchema: { type: "object", properties: fields }, annotations: {} },
  { name: "find_invoice", inputSchema: { type: "object", properties: { order } }, annotations: { readOnlyHint: true } },
];

const server = new Server({ name: "my-billing", version: "1.0.0" }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
  const { name, arguments: call = {} } = params;
  if (name === "find_invoice") {
    const invoices = held().filter((invoice) => invoice.order === call.order);
    return answer(`${invoices.length} found`, { invoices });
  }
  if (process.env.ROLE === "reader") return refusal("You may not write.");
  const known = held().find((invoice) => invoice.idempotency_key === call.idempotency_key);
  if (known && call.idempotency_key !== undefined) {
    const same = known.order === call.order && known.amount === call.amount;
    return same ? answer("created", { id: known.id }) : refusal("The key belongs to another invoice.");
  }
  const id = `inv_${held().length + 1}`;
  appendFileSync(FILE, `${JSON.stringify({ id, ...call })}\n`);
  if (existsSync("lose")) await new Promise(() => {});
  return answer("created", { id });
});
await server.connect(new StdioServerTransport());
