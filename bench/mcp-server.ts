/** `mcp-server.ts v1|v2 stdio|http`: a server with one tool that does nothing; over HTTP it says its port. */
import { randomUUID } from "node:crypto";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type NodeIncomingMessageLike, toNodeHandler } from "@modelcontextprotocol/node";
import { McpServer as McpServerV1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { createMcpHandler, McpServer as McpServerV2 } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const [generation, transport] = process.argv.slice(2);
const echo = async ({ text }: { text: string }) => ({ content: [{ type: "text" as const, text }] });

function serverV1(): McpServerV1 {
  const server = new McpServerV1({ name: "bench", version: "1.0.0" });
  server.registerTool("echo", { description: "trivial", inputSchema: { text: z.string() } }, echo);
  return server;
}

function serverV2(): McpServerV2 {
  const server = new McpServerV2({ name: "bench", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.registerTool("echo", { description: "trivial", inputSchema: z.object({ text: z.string() }) }, echo);
  return server;
}

/** A session for each client. */
function httpV1(): Server {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const open = async (): Promise<StreamableHTTPServerTransport> => {
    const session: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse: true,
      onsessioninitialized: (id) => void sessions.set(id, session),
    });
    await serverV1().connect(session as Transport);
    return session;
  };
  return createServer(async (request, response) => {
    const known = sessions.get(String(request.headers["mcp-session-id"]));
    await (known ?? (await open())).handleRequest(request, response);
  });
}

const handler = toNodeHandler(createMcpHandler(serverV2));
const httpV2: RequestListener = (request, response) => void handler(request as NodeIncomingMessageLike, response);

if (transport === "stdio") {
  if (generation === "v1") await serverV1().connect(new StdioServerTransport());
  else serveStdio(serverV2);
} else {
  const server = generation === "v1" ? httpV1() : createServer(httpV2);
  server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port));
}
