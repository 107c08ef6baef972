/** The echo server of a path test: it counts the calls that arrive, and fails as they ask. It has no other effect. */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";
import { type Frame, isFrame, isRequest } from "../../../mcp/relay/index.ts";
import { version } from "../version.ts";
import { type Asked, askedSchema, echoResult, parsed, TOOL } from "./echo.ts";

export interface EchoServer {
  readonly url: string;
  close(): Promise<void>;
}

const LONGEST_BODY = 64 * 1024;
const MOST_CONNECTIONS = 500;
/** Marks, and arrivals of one of them. */
const MOST_KEPT = 1_000;
/** So that a path that repeats without end comes to an end: from then on a call is answered at once. */
const MOST_FAULTS = 10;
/** Longer than load balancers keep idle connections: the trials alone break them. In ms. */
const IDLE = 75_000;
const VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26"];

/** @param port 0 takes a free one */
export async function startEchoServer(host: string, port: number): Promise<EchoServer> {
  const instance = randomUUID();
  const arrivals = newArrivals();

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== "POST") return look(request, response);
    const body = await bodyOf(request);
    if (body === undefined) return void response.writeHead(413).end();
    const frame = parsed(body);
    if (!isFrame(frame)) return void response.writeHead(400).end("Not one JSON-RPC message\n");
    if (!isRequest(frame)) return void response.writeHead(202).end();
    if (frame.method === "tools/call") return call(frame, response);
    const result = resultOf(frame);
    answer(response, result ? { id: frame.id, result } : { id: frame.id, error: UNKNOWN_METHOD });
  }

  function call(frame: Frame, response: ServerResponse): void {
    const { params: { name, arguments: given, _meta } = {}, id } = frame as Frame & { params?: CallParams };
    const { data: asked } = askedSchema.safeParse(given ?? {});
    if (name !== TOOL || !asked) {
      answer(response, { id, error: { code: -32602, message: `Call ${TOOL}.` } });
      return;
    }
    const { mark, count } = asked;
    const arrival = mark === undefined ? 0 : arrivals.add(mark);
    const counted = count && { arrivals: Object.fromEntries(count.map((each) => [each, arrivals.of(each)])) };
    const result = echoResult({ echo: "indoubt", instance, ...(mark !== undefined && { mark }), ...counted });
    const fault = arrival <= MOST_FAULTS ? asked : {};
    fail(fault, { response, message: { id, result }, progressToken: _meta?.progressToken });
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = IDLE;
  server.maxConnections = MOST_CONNECTIONS;
  server.listen(port, host);
  await once(server, "listening");
  const at = server.address() as AddressInfo;
  const name = at.family === "IPv6" ? `[${at.address}]` : at.address;
  return {
    url: `http://${name}:${at.port}/mcp`,
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

interface CallParams {
  readonly name?: unknown;
  readonly arguments?: unknown;
  readonly _meta?: { readonly progressToken?: unknown };
}

const UNKNOWN_METHOD = { code: -32601, message: "Method not found" };

function resultOf({ method, params }: Frame): object | undefined {
  if (method === "ping") return {};
  if (method === "tools/list") return { tools: [PUBLISHED] };
  if (method !== "initialize") return undefined;
  const protocolVersion = VERSIONS.find((each) => each === params?.protocolVersion) ?? VERSIONS[0];
  const serverInfo = { name: "indoubt-path-echo", version: version() };
  return { protocolVersion, capabilities: { tools: {} }, serverInfo };
}

/** It claims to be a write: a path that repeats reads alone is in order. */
const PUBLISHED = {
  name: TOOL,
  description: "Counts marked calls and fails on purpose. For tests of the path to this server; it changes nothing.",
  inputSchema: z.toJSONSchema(askedSchema, { io: "input" }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
};

/** A load balancer may look whether it lives; it offers no stream of its own. */
function look({ method, headers }: IncomingMessage, response: ServerResponse): void {
  const healthy = (method === "GET" || method === "HEAD") && !headers.accept?.includes("text/event-stream");
  response.writeHead(healthy ? 200 : 405, { "content-type": "text/plain" }).end("indoubt path serve\n");
}

function newArrivals() {
  const marks = new Map<string, number[]>();
  return {
    /** @returns the how manieth it is */
    add(mark: string): number {
      const times = marks.get(mark) ?? [];
      if (times.length < MOST_KEPT) times.push(performance.now());
      marks.set(mark, times);
      if (marks.size > MOST_KEPT) marks.delete(marks.keys().next().value ?? "");
      return times.length;
    },
    of(mark: string): number[] {
      const times = marks.get(mark) ?? [];
      return times.map((time) => Math.round(time - (times[0] ?? 0)));
    },
  };
}

interface Exchange {
  readonly response: ServerResponse;
  readonly message: object;
  readonly progressToken: unknown;
}

function fail({ fault, status = 502, for_ms = 1, every_ms }: Asked, exchange: Exchange): void {
  const { response, message } = exchange;
  if (fault === undefined) answer(response, message);
  else if (fault === "reset") response.socket?.resetAndDestroy();
  else if (fault === "close") response.destroy();
  else if (fault === "cut") cut(response, message);
  else if (fault === "status") response.writeHead(status, { "content-type": "text/plain" }).end("On purpose\n");
  else wait(exchange, for_ms, every_ms);
}

const textOf = (message: object): string => JSON.stringify({ jsonrpc: "2.0", ...message });

function answer(response: ServerResponse, message: object): void {
  response.writeHead(200, { "content-type": "application/json" }).end(textOf(message));
}

function cut(response: ServerResponse, message: object): void {
  const text = textOf(message);
  response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
  response.write(text.slice(0, text.length / 2), () => response.destroy());
}

function wait({ response, message, progressToken }: Exchange, forMs: number, everyMs: number | undefined): void {
  const event = (content: object) => `event: message\ndata: ${textOf(content)}\n\n`;
  const streaming = everyMs !== undefined && progressToken !== undefined;
  let progress = 0;
  const tell = (): void => {
    progress += everyMs ?? 0;
    const params = { progressToken, progress, total: forMs };
    response.write(event({ method: "notifications/progress", params }));
  };
  const ticking = streaming ? setInterval(tell, everyMs) : undefined;
  const done = setTimeout(() => {
    clearInterval(ticking);
    if (streaming) response.end(event(message));
    else answer(response, message);
  }, forMs);
  response.once("close", () => {
    clearInterval(ticking);
    clearTimeout(done);
  });
  if (!streaming) return;
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  response.flushHeaders();
}

/** Undefined: it is too long. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > LONGEST_BODY) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
