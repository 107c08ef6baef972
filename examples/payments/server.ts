/**
 * An MCP server in front of the payment API, over Streamable HTTP, as somebody else might have written it. It hands the
 * caller's key on. `LOSE` in the environment: its connection is cut at the first call, `after_work` or `during_work`.
 */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";

const { API_URL = "", LOSE } = process.env;
let calls = 0;

const charge = {
  customer: z.string(),
  amount: z.number().int().describe("In cents"),
  currency: z.string().length(3),
  idempotency_key: z.string().max(255).optional(),
};

function server(response: ServerResponse): McpServer {
  const mcp = new McpServer({ name: "payments", version: "1.0.0" });
  const description = "Charges a customer. The same idempotency_key gives the same charge for 24 hours.";
  mcp.registerTool("create_charge", { description, inputSchema: charge }, async ({ idempotency_key, ...wanted }) => {
    calls += 1;
    if (LOSE === "during_work" && calls === 1) setTimeout(() => response.destroy(), 200);
    const cut = LOSE === "after_work" && calls === 1;
    const answered = await fetch(API_URL, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(idempotency_key !== undefined && { "idempotency-key": idempotency_key }),
      },
      body: JSON.stringify(wanted),
    });
    if (cut) response.destroy();
    const body = (await answered.json()) as { id?: string; error?: { type: string; message: string } };
    return {
      content: [{ type: "text", text: body.error?.message ?? `charged: ${body.id}` }],
      structuredContent: { id: body.id, code: body.error?.type },
      isError: !answered.ok,
    };
  });
  return mcp;
}

const http = createServer(async (request, response) => {
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
  await server(response).connect(transport as never);
  await transport.handleRequest(request, response);
}).listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`));
