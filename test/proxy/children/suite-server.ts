/**
 * `suite-server.ts [PORT]`: a server that has what the official conformance suite asks for, over Streamable HTTP on that
 * port, else over stdio.
 */
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { type EventStore, StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  type JSONRPCMessage,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  SetLevelRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { prompt, promptList, RESOURCES, read, TEMPLATES } from "../suite-offers.ts";
import { runTool, toolList } from "../suite-tools.ts";

function given<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new McpError(ErrorCode.InvalidParams, `There is no ${what}.`);
  return value;
}

function offering(): Server {
  const capabilities = { tools: {}, prompts: {}, resources: { subscribe: true }, logging: {}, completions: {} };
  const server = new Server({ name: "suite-server", version: "1.0.0" }, { capabilities });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: toolList() }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) =>
    given(runTool(params.name), `tool ${params.name}`)(params.arguments ?? {}, extra),
  );
  server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: promptList() }));
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) =>
    given(prompt(params.name, params.arguments ?? {}), `prompt ${params.name}`),
  );
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: [...RESOURCES] }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: TEMPLATES }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }) =>
    given(read(params.uri), `resource ${params.uri}`),
  );
  server.setRequestHandler(SubscribeRequestSchema, () => ({}));
  server.setRequestHandler(UnsubscribeRequestSchema, () => ({}));
  server.setRequestHandler(SetLevelRequestSchema, () => ({}));
  server.setRequestHandler(CompleteRequestSchema, ({ params }) => {
    const values = ["paris", "park", "party"].filter((word) => word.startsWith(params.argument.value));
    return { completion: { values, total: values.length, hasMore: false } };
  });
  return server;
}

/** Events of one session, so that a stream can be taken up again. */
function eventStore(): EventStore {
  const events: { readonly id: string; readonly stream: string; readonly message: JSONRPCMessage }[] = [];
  return {
    async storeEvent(stream, message) {
      const id = `${stream}:${events.length}`;
      events.push({ id, stream, message });
      return id;
    },
    async replayEventsAfter(last, { send }) {
      const from = events.findIndex(({ id }) => id === last);
      const stream = events[from]?.stream ?? "";
      // What opened the stream is no message.
      const missed = events.slice(from + 1).filter((event) => event.stream === stream && "jsonrpc" in event.message);
      for (const { id, message } of missed) await send(id, message);
      return stream;
    },
  };
}

async function serveHttp(port: number): Promise<void> {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  async function open(): Promise<StreamableHTTPServerTransport> {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      eventStore: eventStore(),
      retryInterval: 50,
      enableDnsRebindingProtection: true,
      allowedHosts: [`127.0.0.1:${port}`, `localhost:${port}`],
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    await offering().connect(transport as never);
    return transport;
  }
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const id = request.headers["mcp-session-id"]?.toString();
    // The suite's posts by hand name an older revision than the session has, and streams end early only in the newest.
    if (id !== undefined) rename(request, "mcp-protocol-version", "2025-11-25");
    const transport = id === undefined ? await open() : sessions.get(id);
    if (transport) await transport.handleRequest(request, response);
    else response.writeHead(404).end();
  }
  const server = createServer((request, response) => void handle(request, response));
  server.listen(port, "127.0.0.1", () => console.log(`http://127.0.0.1:${port}/mcp`));
}

/** Where the transport reads it. */
function rename(request: IncomingMessage, header: string, value: string): void {
  const at = request.rawHeaders.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === header);
  if (at >= 0) request.rawHeaders[at + 1] = value;
  request.headers[header] = value;
}

const port = process.argv[2];
if (port === undefined) await offering().connect(new StdioServerTransport());
else await serveHttp(Number(port));
