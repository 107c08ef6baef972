import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createEngine, type Inbound, isRequest } from "./engine.ts";
import { claimedVersion, eraOf, errorMessage } from "./eras.ts";
import { event, type HttpHost, httpChannel } from "./http-channel.ts";
import { type JsonObject, parseMessage, requestIdOf } from "./json.ts";
import { bodyOf, closeServer, headersOf, listen, refuseConnections } from "./node-http.ts";
import { createRunDirectory, type FaultServerOptions } from "./run-directory.ts";
import { controlOf, type FaultServerControl } from "./server-control.ts";

/** What only the HTTP server can be told. */
export interface HttpFaultServerOptions extends FaultServerOptions {
  /**
   * How a healthy answer travels; both are allowed by the specification.
   * @default "json"
   */
  readonly answers?: "json" | "sse";
  /**
   * Whether the 2025 era hands out session ids and insists on them.
   * @default "stateful"
   */
  readonly sessions?: "stateful" | "stateless";
}

type HttpInbound = Required<Inbound>;

/** A fault server in this process. */
export interface HttpFaultServer extends FaultServerControl {
  readonly url: string;
  /** Drops all connections and refuses new ones, as `kill -9` would. */
  crash(): Promise<void>;
  /** Listens again on the same port; sessions of the 2025 era are gone, the destination is not. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts a scripted MCP server over Streamable HTTP on a free loopback port.
 *
 * @example
 * const server = await startFaultServer({ script: { create_invoice: [{ reply: "close_stream" }] } });
 * // connect any MCP client to server.url and call create_invoice
 * console.log(server.log.effects("create_invoice").length);
 * await server.close();
 */
export async function startFaultServer(options: HttpFaultServerOptions = {}): Promise<HttpFaultServer> {
  const { answers = "json", sessions: sessionMode = "stateful", ...shared } = options;
  const directory = createRunDirectory(shared, "http");
  const engine = createEngine(directory);
  const sessions = new Set<string>();
  const resumable = new Map<string, JsonObject>();
  const server = createServer((request, response) => void serve(request, response));
  const port = await listen(server, 0);

  const host: HttpHost = {
    answers,
    keepForResume: (message) => {
      const id = randomUUID();
      if (message !== undefined) resumable.set(id, message);
      return id;
    },
    crash: () => void closeServer(server),
  };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === "GET") openListening(request, response);
    else if (request.method === "DELETE") endSession(request, response);
    else if (request.method !== "POST") refuse(response, 405, "Method not allowed");
    else {
      const raw = await bodyOf(request).catch(() => undefined);
      const message = parseMessage(raw ?? "");
      if (raw === undefined) return;
      if (message === undefined) refuse(response, 400, "Not one JSON-RPC message");
      else receive({ message, raw, headers: headersOf(request) }, response);
    }
  }

  function receive(inbound: HttpInbound, response: ServerResponse): void {
    const { message, headers } = inbound;
    const session = headers["mcp-session-id"];
    const stateful = sessionMode === "stateful" && eraOf(message) === "2025-11-25";
    const unknown = stateful && message.method !== "initialize" && isRequest(message) && !sessions.has(session ?? "");
    const mismatch = headerMismatch(inbound);
    if (unknown) refuse(response, session === undefined ? 400 : 404, "Session not found", -32001);
    else if (mismatch !== undefined) refuse(response, 400, mismatch, -32020, requestIdOf(message) ?? null);
    else if (!isRequest(message)) {
      engine.receive(inbound);
      response.writeHead(202).end();
    } else {
      const opened = stateful && message.method === "initialize" ? { "mcp-session-id": randomUUID() } : undefined;
      if (opened !== undefined) sessions.add(opened["mcp-session-id"]);
      engine.handle(
        inbound,
        httpChannel(response, host, opened ?? {}, () => server.listening && engine.disconnected(inbound)),
      );
    }
  }

  function openListening(request: IncomingMessage, response: ServerResponse): void {
    const headers = headersOf(request);
    const lastEvent = headers["last-event-id"];
    const kept = lastEvent === undefined ? undefined : resumable.get(lastEvent);
    const welcome = lastEvent === undefined && sessions.has(headers["mcp-session-id"] ?? "");
    if (kept === undefined && !welcome) refuse(response, 405, "No stream here");
    else {
      response.writeHead(200, { "content-type": "text/event-stream" });
      if (kept === undefined) response.flushHeaders();
      else response.end(event(kept));
    }
  }

  function endSession(request: IncomingMessage, response: ServerResponse): void {
    const known = sessions.delete(headersOf(request)["mcp-session-id"] ?? "");
    response.writeHead(known ? 200 : 405).end();
  }

  async function restart(): Promise<void> {
    await closeServer(server);
    sessions.clear();
    await listen(server, port);
  }

  return {
    url: `http://127.0.0.1:${port}/mcp`,
    ...controlOf(directory),
    crash: () => refuseConnections(server),
    restart,
    close: async () => {
      engine.close();
      await closeServer(server);
      directory.remove();
    },
  };
}

/** The 2026 era wants the version and the method in the headers too, and the same as in the body. */
function headerMismatch({ message, headers }: HttpInbound): string | undefined {
  const version = claimedVersion(message);
  if (version === undefined) return undefined;
  if (headers["mcp-protocol-version"] !== version) return "MCP-Protocol-Version differs from the body";
  return headers["mcp-method"] === message.method ? undefined : "Mcp-Method differs from the body";
}

function refuse(
  response: ServerResponse,
  status: number,
  message: string,
  code = -32000,
  id: string | number | null = null,
): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(errorMessage(id, { code, message })));
}
