import { createServer, type IncomingMessage, request as openRequest, type ServerResponse } from "node:http";
import { type JsonObject, objectAt, parseMessage, type RequestId, requestIdOf, textAt } from "./json.ts";
import { bodyOf, closeServer, headersOf, listen, refuseConnections } from "./node-http.ts";

/**
 * What the path does with one `tools/call`. All other traffic passes.
 * - `forward`: passes it on and the reply back
 * - `hang`: passes it on, the reply never comes back
 * - `swallow`: neither
 * - `cut_reply`: passes it on, half of the reply comes back, then the connection dies
 * - `keepalive_reset`: passes it on, then resets the caller's connection if it was used before; a fresh one is spared
 * - `repeats`: passes it on, then n times more; the last reply comes back
 * - `edge_timeout`: passes it on, but answers 504 after so many ms
 * - `delay`: passes it on after so many ms: slow, but healthy
 * - `reset`: a TCP reset, before it was passed on or after the server answered
 * - `status`: this answer, before it was passed on (instead of it) or after the server answered; a 3xx without
 *   `location` points back at the path
 */
export type PathStep =
  | "forward"
  | "hang"
  | "swallow"
  | "cut_reply"
  | "keepalive_reset"
  | { readonly repeats: number }
  | { readonly edge_timeout: number }
  | { readonly delay: number }
  | { readonly reset: "before" | "after" }
  | {
      readonly status: number;
      readonly when: "before" | "after";
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    };

/** How a path starts. */
export interface FaultPathOptions {
  /**
   * The n-th `tools/call` takes the n-th step, the last one repeats.
   * @default ["forward"]
   * @example [{ status: 502, when: "after" }, "forward"]
   */
  readonly steps?: readonly PathStep[];
}

/** A `tools/call` that came to the path; `forwarded` counts how often it was passed on. */
export interface PathArrival {
  readonly at: number;
  readonly tool: string;
  readonly requestId: RequestId;
  readonly headers: Readonly<Record<string, string>>;
  readonly forwarded: number;
}

/** A proxy between client and server. */
export interface FaultPath {
  readonly url: string;
  arrivals(): readonly PathArrival[];
  /** Replaces the steps; the next `tools/call` takes the first one. */
  plan(...steps: PathStep[]): void;
  /** Refuses connections from now on. */
  refuseConnections(): Promise<void>;
  /** Accepts connections again, on the same port. */
  acceptConnections(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts an HTTP proxy that plays gateways, load balancers and flaky sockets in front of `targetUrl`.
 *
 * @example
 * const path = await startFaultPath(server.url, { steps: [{ repeats: 1 }] });
 * // a client of path.url calls once; the server sees two calls
 * await path.close();
 */
export async function startFaultPath(targetUrl: string, options: FaultPathOptions = {}): Promise<FaultPath> {
  let steps = options.steps ?? ["forward"];
  let taken = 0;
  const arrivals: Mutable<PathArrival>[] = [];
  const served = new WeakSet<object>();
  const server = createServer((request, response) => void serve(request, response));
  const port = await listen(server, 0);
  const ownUrl = `http://127.0.0.1:${port}${new URL(targetUrl).pathname}`;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request).catch(() => undefined);
    if (body === undefined) return;
    const reused = served.has(request.socket);
    served.add(request.socket);
    const exchange: Exchange = { targetUrl, ownUrl, request, response, body, reused, forwarded: () => {} };
    const message = parseMessage(body);
    if (message?.method !== "tools/call") {
      await pass(exchange);
      return;
    }
    const arrival = arrivalOf(message, request);
    arrivals.push(arrival);
    const step = steps[Math.min(taken, steps.length - 1)] ?? "forward";
    taken += 1;
    await play({ ...exchange, forwarded: () => (arrival.forwarded += 1) }, step);
  }

  return {
    url: ownUrl,
    arrivals: () => arrivals,
    plan: (...next) => {
      steps = next;
      taken = 0;
    },
    refuseConnections: () => refuseConnections(server),
    acceptConnections: async () => void (await listen(server, port)),
    close: () => closeServer(server),
  };
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

interface Exchange {
  readonly targetUrl: string;
  readonly ownUrl: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: string;
  /** The connection had carried a request before this one. */
  readonly reused: boolean;
  readonly forwarded: () => void;
}

async function play(exchange: Exchange, step: PathStep): Promise<void> {
  const { response, reused } = exchange;
  if (step === "forward" || (step === "keepalive_reset" && !reused)) await pass(exchange);
  else if (step === "swallow") return;
  else if (step === "hang") await settle(exchange);
  else if (step === "keepalive_reset") {
    await settle(exchange);
    response.socket?.resetAndDestroy();
  } else if (step === "cut_reply") await cutReply(exchange);
  else if ("repeats" in step) {
    for (let count = 0; count < step.repeats; count++) await settle(exchange);
    await pass(exchange);
  } else if ("delay" in step) {
    await new Promise((resolve) => setTimeout(resolve, step.delay));
    await pass(exchange);
  } else if ("edge_timeout" in step) await edgeTimeout(exchange, step.edge_timeout);
  else if ("reset" in step) {
    if (step.reset === "after") await settle(exchange);
    response.socket?.resetAndDestroy();
  } else {
    if (step.when === "after") await settle(exchange);
    const location = step.status >= 300 && step.status < 400 ? { location: exchange.ownUrl } : {};
    respond(response, step.status, { ...location, ...step.headers }, step.body ?? "");
  }
}

/** Passes the request on and streams the reply back; a caller who leaves takes the request with him. */
async function pass(exchange: Exchange): Promise<void> {
  const { response } = exchange;
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  const reply = await forward(exchange, gone.signal);
  if (reply === undefined) return respond(response, 502, {}, "Bad gateway");
  response.writeHead(reply.statusCode ?? 502, passedHeaders(reply));
  response.flushHeaders();
  reply.on("error", () => response.destroy());
  reply.pipe(response);
}

/** Passes the request on and waits until the server is done with it; the reply is dropped. */
async function settle(exchange: Exchange): Promise<void> {
  const reply = await forward(exchange);
  if (reply !== undefined) await bodyOf(reply).catch(() => "");
}

async function cutReply(exchange: Exchange): Promise<void> {
  const { response } = exchange;
  const reply = await forward(exchange);
  if (reply === undefined) return respond(response, 502, {}, "Bad gateway");
  const text = await bodyOf(reply).catch(() => "");
  response.writeHead(reply.statusCode ?? 502, { ...passedHeaders(reply), "content-length": Buffer.byteLength(text) });
  response.write(text.slice(0, text.length / 2), () => response.destroy());
}

async function edgeTimeout(exchange: Exchange, wait: number): Promise<void> {
  const { response } = exchange;
  const timer = setTimeout(() => respond(response, 504, {}, "Gateway timeout"), wait);
  const reply = await forward(exchange);
  const text = reply === undefined ? "" : await bodyOf(reply).catch(() => "");
  clearTimeout(timer);
  if (!response.headersSent)
    respond(response, reply?.statusCode ?? 502, reply === undefined ? {} : passedHeaders(reply), text);
}

/** The server's reply, or `undefined` when it could not be had. A connection of its own: no re-use below us. */
function forward(exchange: Exchange, signal?: AbortSignal): Promise<IncomingMessage | undefined> {
  const { targetUrl, request, body } = exchange;
  exchange.forwarded();
  return new Promise((resolve) => {
    const headers = { ...request.headers, host: new URL(targetUrl).host, connection: "close" };
    const options = {
      method: request.method ?? "POST",
      headers,
      agent: false,
      ...(signal === undefined ? {} : { signal }),
    };
    const upstream = openRequest(targetUrl, options, resolve);
    upstream.on("error", () => resolve(undefined));
    upstream.end(body);
  });
}

function respond(response: ServerResponse, status: number, headers: NodeHeaders, body: string): void {
  if (response.destroyed) return;
  response.writeHead(status, headers);
  response.end(body);
}

type NodeHeaders = Record<string, string | string[] | number>;

function passedHeaders(reply: IncomingMessage): NodeHeaders {
  const hopByHop = ["connection", "keep-alive", "transfer-encoding"];
  return Object.fromEntries(
    Object.entries(reply.headers).flatMap(([name, value]) =>
      value === undefined || hopByHop.includes(name) ? [] : [[name, value]],
    ),
  );
}

function arrivalOf(message: JsonObject, request: IncomingMessage): Mutable<PathArrival> {
  const params = objectAt(message, "params");
  return {
    at: Date.now(),
    tool: textAt(params, "name") ?? "",
    requestId: requestIdOf(message) ?? null,
    headers: headersOf(request),
    forwarded: 0,
  };
}
