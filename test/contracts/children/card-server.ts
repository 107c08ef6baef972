/**
 * A real billing server over Streamable HTTP that reads its key from a header and its rights from the sign-in. It writes one
 * line per effect into a file, which is the judge. Arguments: the file, then name=value for what it does wrong.
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const [file = "effects.jsonl", ...settings] = process.argv.slice(2);
/** key=dropped; right=ignored, right=late (refused after the work); window=ms; late=ms (a repeat takes effect that late). */
const set = new Map(settings.map((each) => each.split("=", 2) as [string, string]));

const properties = { order: { type: "string" }, cents: { type: "number" } };
const tools = [
  { name: "create_invoice", inputSchema: { type: "object" as const, properties } },
  {
    name: "find_invoices",
    inputSchema: { type: "object" as const, properties: { order: properties.order } },
    annotations: { readOnlyHint: true },
  },
];

const known = new Map<string, { readonly call: string; readonly at: number }>();
const invoices = (): { order: string }[] =>
  existsSync(file)
    ? readFileSync(file, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
    : [];
const text = (words: string) => ({ content: [{ type: "text" as const, text: words }] });
const refused = (words: string) => ({ isError: true, ...text(words) });

function create(call: Record<string, unknown>, key: string | undefined, mayWrite: boolean) {
  const right = set.get("right") ?? "checked";
  if (!mayWrite && right === "checked") return refused("forbidden");
  const words = JSON.stringify(call);
  const before = key === undefined || set.get("key") === "dropped" ? undefined : known.get(key);
  const write = () => appendFileSync(file, `${words}\n`);
  if (before && Date.now() - before.at < Number(set.get("window") ?? Number.POSITIVE_INFINITY)) {
    if (before.call !== words) return refused("the key belongs to another call");
    if (set.has("late")) setTimeout(write, Number(set.get("late")));
    return text("created");
  }
  if (key !== undefined) known.set(key, { call: words, at: Date.now() });
  write();
  return mayWrite || right === "ignored" ? text("created") : refused("forbidden");
}

function offering(): Server {
  const server = new Server({ name: "billing", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, { requestInfo }) => {
    const headers = requestInfo?.headers ?? {};
    const call = params.arguments ?? {};
    if (params.name === "create_invoice") {
      const key = headers["idempotency-key"];
      return create(call, key === undefined ? undefined : String(key), headers.authorization === "Bearer writer");
    }
    const found = invoices().filter(({ order }) => order === call.order);
    return { ...text(`${found.length} found`), structuredContent: { invoices: found } };
  });
  return server;
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const transport = new StreamableHTTPServerTransport({});
  await offering().connect(transport as never);
  await transport.handleRequest(request, response);
}

const http = createServer((request, response) => void answer(request, response));
http.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`));
