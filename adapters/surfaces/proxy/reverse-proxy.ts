/** HTTP host, HTTP server: each request goes on as it came, and tool calls under the guard. */
import { isUtf8 } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { GuardedCalls } from "../../../src/entries/wire.ts";
import { type CallContext, withCallContext } from "../../../src/index.ts";
import { guardFetch } from "../../mcp/index.ts";
import { deliveredWhen, type Fetch, isEventStream, isFrame, isModern, isToolCall } from "../../mcp/relay/index.ts";
import { connectionsOf, type Seen } from "./connections.ts";
import { refusalOf } from "./gate.ts";
import type { HttpTarget } from "./http-back.ts";
import { bodyOf, drained, type Handler, isPacked, PACKED, rpcError, sendJson, writtenWhole } from "./http-listener.ts";
import { contextOf, principalOf } from "./identity.ts";
import { bytesOf, type Read, readMessage } from "./messages.ts";
import { beginsOldTransport, OLD_TRANSPORT, OldTransport } from "./old-transport.ts";
import { moved, movedTo, rawFetch } from "./raw-fetch.ts";
import { type Receipts, receipts } from "./receipts.ts";
import type { StatusTool } from "./status-tool.ts";

export interface ReverseProxyOptions {
  readonly guard: GuardedCalls;
  readonly server: string;
  readonly target: HttpTarget;
  readonly deadline: number;
  /** `Authorization` is the proxy's own and is not passed on. */
  readonly ownsAuthorization: boolean;
  readonly principals: "authorization" | "one";
  readonly status: StatusTool | undefined;
  say(line: string): void;
}

export interface Relay {
  readonly handle: Handler;
  /** Where hosts find the server. */
  readonly path: string;
  close(): Promise<void>;
}

/** Of one connection alone; never passed on. */
const HOP_BY_HOP = ["connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"];
const MOST_SESSIONS = 10_000;

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: string;
  readonly headers: Headers;
  readonly principal: string | undefined;
}

export function reverseProxy(options: ReverseProxyOptions): Relay {
  const { guard, server, target, deadline } = options;
  const raw = rawFetch();
  const fetch = guardFetch(guard, { server, fetch: raw, deadline });
  const connections = connectionsOf({ guard, server, url: target.url, fetch: raw });
  const sessions = new Map<string, Receipts>();
  const receiptsOf = (session: string): Receipts => {
    const known = sessions.get(session) ?? receipts();
    sessions.delete(session);
    sessions.set(session, known);
    if (sessions.size > MOST_SESSIONS) sessions.delete(sessions.keys().next().value ?? "");
    return known;
  };
  return {
    path: new URL(target.url).pathname,
    handle: async (request, response) => {
      const headers = headersFor(request, options);
      const credential = options.ownsAuthorization ? undefined : request.headers.authorization;
      const principal = options.principals === "one" ? undefined : principalOf(credential);
      const url = urlFor(target.url, request.url ?? "/");
      const exchange = { request, response, url, headers, principal };
      if (request.method === "GET" || request.method === "HEAD")
        return passOn(
          fetch,
          exchange,
          deliveredWhen({ method: request.method }, () => writtenWhole(response)),
          {},
          options.say,
        );
      const body = await bodyOf(request);
      if (!body) return sendJson(response, 413, rpcError("The message is larger than 64 MB."));
      await post(exchange, body);
    },
    async close() {
      connections.close();
      await Promise.all([...sessions.values()].map((session) => session.left()));
    },
  };

  async function post(exchange: Exchange, body: Buffer): Promise<void> {
    const { request, response, headers, principal } = exchange;
    const read = readMessage(body);
    const { value } = read;
    const method = request.method ?? "POST";
    if (body.length > 0 && isPacked(request)) return sendJson(response, 415, rpcError(PACKED));
    const refusal = refusalOf(read);
    if (refusal) {
      options.say(`indoubt proxy: ${refusal.why}`);
      const { reply = rpcError(refusal.why, -32600) } = refusal;
      return sendJson(response, isReadable(read) ? 200 : 400, reply);
    }
    if (!isReadable(read)) return passOn(raw, exchange, { method, body: new Uint8Array(body) }, {}, options.say);
    if (isToolCall(value) && method !== "POST")
      return sendJson(response, 405, rpcError("A tools/call goes by POST.", -32600, value.id), { allow: "POST" });
    const { status } = options;
    if (status && isFrame(value) && status.isFor(value))
      return sendJson(response, 200, await status.answer(value, principal));
    const call = isToolCall(value) ? value : undefined;
    if (call && !/json|^$/.test(headers.get("content-type") ?? "")) {
      return sendJson(response, 415, rpcError("A tools/call has the content type application/json.", -32600, call.id));
    }
    const session = headers.get("mcp-session-id");
    const receipt = session === null || (isFrame(value) && isModern(value)) ? undefined : receiptsOf(session);
    await receipt?.heard(value);
    connections.seen({ principal, headers, value } satisfies Seen);
    const init = { method, body: body.toString("utf8") };
    const context = call ? contextOf(call, principal) : {};
    const received = call && (() => receipt?.await(call.id, writtenWhole(response)) ?? writtenWhole(response));
    const lists = status && isFrame(value) && value.method === "tools/list" ? value : undefined;
    if (lists) status?.notice(lists);
    const guarded: Fetch = async (url, whole) => {
      const answer = await fetch(url, whole);
      const elsewhere = movedTo(answer, exchange.url);
      if (elsewhere === undefined || !KEEPS_METHOD.includes(answer.status)) return answer;
      options.say(`indoubt proxy: the server "${server}" ${moved(elsewhere)}`);
      throw new Error(`It ${moved(elsewhere)}`);
    };
    await passOn(
      guarded,
      exchange,
      received ? deliveredWhen(init, received) : init,
      context,
      options.say,
      lists && status,
    );
  }
}

const isReadable = ({ value, bytes }: Read): boolean => value !== undefined && isUtf8(bytes);

async function passOn(
  fetch: Fetch,
  exchange: Exchange,
  init: RequestInit,
  context: CallContext,
  say: (line: string) => void,
  status?: StatusTool,
): Promise<void> {
  const { response, url, headers } = exchange;
  const left = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) left.abort();
  });
  // Not copied: what was attached to `init` has to stay with it.
  const whole = Object.assign(init, { headers, signal: left.signal });
  try {
    const answer = await withCallContext(context, () => fetch(url, whole));
    await copy(status && answer.ok ? await withTool(answer, status) : withinProxy(answer, url), response);
  } catch (error) {
    if (left.signal.aborted) return;
    if (error instanceof OldTransport) say(`indoubt proxy: ${error.message}`);
    if (response.headersSent) response.destroy();
    else sendJson(response, 502, rpcError(`The MCP server could not be asked: ${said(error)}.`));
  }
}

/** Redirects after which a host sends the same message again. */
const KEEPS_METHOD = [307, 308];

/** A host follows a redirect by itself: one within the server leads through the proxy. */
function withinProxy(answer: Response, url: string): Response {
  const location = answer.headers.get("location");
  if (location === null || movedTo(answer, url) !== undefined || !URL.canParse(location, url)) return answer;
  const { pathname, search, hash } = new URL(location, url);
  answer.headers.set("location", `${pathname}${search}${hash}`);
  return answer;
}

/** A tool list is short: it is read whole. */
async function withTool(answer: Response, status: StatusTool): Promise<Response> {
  const text = await answer.text();
  const added = (json: string): string => {
    const { value } = readMessage(Buffer.from(json));
    return isFrame(value) ? Buffer.from(bytesOf(status.added(value))).toString("utf8") : json;
  };
  const own = isEventStream(answer)
    ? text.replace(/^data: ?(\{.*)$/gm, (_, json: string) => `data: ${added(json)}`)
    : added(text);
  const headers = new Headers(answer.headers);
  headers.delete("content-length");
  return new Response(own, { status: answer.status, statusText: answer.statusText, headers });
}

function said(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || ("code" in error ? String(error.code) : error.name);
}

async function copy(answer: Response, response: ServerResponse): Promise<void> {
  const headers = [...answer.headers].filter(([name]) => !HOP_BY_HOP.includes(name));
  response.writeHead(answer.status, answer.statusText, headers.flat());
  response.flushHeaders();
  let first = isEventStream(answer);
  for await (const chunk of answer.body ?? []) {
    if (response.destroyed) return;
    if (first && beginsOldTransport(chunk)) throw new OldTransport(`The server ${OLD_TRANSPORT}`);
    first = false;
    if (!response.write(chunk)) await drained(response);
  }
  response.end();
}

function headersFor(request: IncomingMessage, { target, ownsAuthorization }: ReverseProxyOptions): Headers {
  const headers = new Headers();
  const { rawHeaders } = request;
  const named = (request.headers.connection ?? "").toLowerCase().split(/\s*,\s*/);
  const dropped = [...HOP_BY_HOP, ...named, "host", "content-length", ...(ownsAuthorization ? ["authorization"] : [])];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    if (!dropped.includes(name.toLowerCase())) headers.append(name, rawHeaders[at + 1] ?? "");
  }
  for (const [name, value] of Object.entries(target.headers ?? {})) headers.set(name, value);
  // A body that we have to look into must not be packed.
  headers.set("accept-encoding", "identity");
  return headers;
}

/** The server's own path or `/mcp` is the server; every other path is the same path there. */
function urlFor(target: string, path: string): string {
  const to = new URL(target);
  const asked = new URL(path, to.origin);
  if (asked.pathname !== to.pathname && asked.pathname !== "/mcp")
    return `${to.origin}${asked.pathname}${asked.search}`;
  return `${to.origin}${to.pathname}${asked.search || to.search}`;
}
