/**
 * A small billing server, as somebody else might have written it: MCP over stdio, state in JSON lines. It knows nothing
 * of indoubt. `--lose TOOL` (as often as you like) makes it do the work of the first call of that tool and lose the reply.
 */
import { randomInt } from "node:crypto";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";

const { values: options } = parseArgs({
  options: { folder: { type: "string", default: "." }, lose: { type: "string", multiple: true, default: [] } },
});

/** What the server holds: one line per effect. This file is the judge of every claim about duplicates. */
const effects = join(options.folder, "effects.jsonl");
/** What the server was asked: one line per request that arrived. */
const requests = join(options.folder, "requests.jsonl");

type Effect = { readonly id: string; readonly kind: string; readonly order: string; readonly [field: string]: unknown };

const held = (): Effect[] =>
  existsSync(effects)
    ? readFileSync(effects, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
    : [];

function write(kind: string, fields: { order: string; [field: string]: unknown }): Effect {
  const id = `${kind.slice(0, 3).toUpperCase()}-${randomInt(10_000_000, 99_999_999)}`;
  const effect = { id, kind, ...fields };
  appendFileSync(effects, `${JSON.stringify(effect)}\n`);
  return effect;
}

const toLose = new Set(options.lose);

/** Answers, or keeps silent: the effect is there, the caller hears nothing. */
function reply(tool: string, did: string, body: Record<string, unknown>): CallToolResult | Promise<never> {
  const lost = toLose.delete(tool);
  appendFileSync(requests, `${JSON.stringify({ tool, did, reply: lost ? "lost" : "sent" })}\n`);
  if (lost) return new Promise(() => {});
  return { content: [{ type: "text", text: did }], structuredContent: body };
}

const order = z.string().describe("Number of the order");
const cents = z.number().int().positive();
const server = new McpServer({ name: "billing", version: "1.0.0" });

server.registerTool(
  "create_invoice",
  { description: "Creates an invoice.", inputSchema: { order, cents } },
  (invoice) => {
    const { id } = write("invoice", invoice);
    return reply("create_invoice", `created invoice ${id}`, { id });
  },
);

server.registerTool(
  "find_invoice",
  { description: "Finds the invoices of an order.", inputSchema: { order }, annotations: { readOnlyHint: true } },
  (wanted) => {
    const invoices = held().filter((effect) => effect.kind === "invoice" && effect.order === wanted.order);
    return reply("find_invoice", `found ${invoices.map(({ id }) => id).join(", ") || "nothing"}`, { invoices });
  },
);

server.registerTool(
  "charge_card",
  { description: "Charges the card on file.", inputSchema: { order, cents } },
  (charge) => {
    const { id } = write("charge", charge);
    return reply("charge_card", `charged the card, ${id}`, { id });
  },
);

server.registerTool(
  "create_payment",
  {
    description: "Creates a payment. The same idempotency_key gives the same payment for 24 hours.",
    inputSchema: { order, cents, idempotency_key: z.string().optional() },
  },
  (payment) => {
    const key = payment.idempotency_key;
    const known = key === undefined ? undefined : held().find((effect) => effect.idempotency_key === key);
    if (known) return reply("create_payment", `knows this key, it made ${known.id}`, { id: known.id });
    const { id } = write("payment", payment);
    return reply("create_payment", `created payment ${id}`, { id });
  },
);

await server.connect(new StdioServerTransport());
