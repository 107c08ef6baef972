/**
 * HTTP hosts, stdio server. In the 2025 era each session has a server process of its own, as each stdio host would. In the
 * 2026 era there are no sessions: one process serves all, and ids are made unique on the way there and back.
 */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { GuardedCalls } from "../../../src/entries/wire.ts";
import { type CallContext, withCallContext } from "../../../src/index.ts";
import { type Frame, headerMismatch, isFrame, isModern, isRequest, isToolCall } from "../../mcp/relay/index.ts";
import { type Back, settled } from "./back.ts";
import { refusalOf } from "./gate.ts";
import { bodyOf, isPacked, PACKED, rpcError, sendJson } from "./http-listener.ts";
import { contextOf, principalOf } from "./identity.ts";
import { type Read, readMessage } from "./messages.ts";
import type { Relay } from "./reverse-proxy.ts";
import type { ServerCommand } from "./server-process.ts";
import type { StatusTool } from "./status-tool.ts";
import { stdioBack } from "./stdio-back.ts";
import { type Streams, streams, type Waiting } from "./streams.ts";
import { uniqueIds } from "./unique-ids.ts";

export interface SessionsOptions {
  readonly guard: GuardedCalls;
  readonly server: string;
  readonly command: ServerCommand;
  readonly deadline: number;
  readonly ownsAuthorization: boolean;
  readonly principals: "authorization" | "one";
  readonly status: StatusTool | undefined;
  say(line: string): void;
}

/** One server process and the streams of those who talk to it. */
interface Session {
  readonly streams: Streams;
  readonly back: Back;
  lastUsed: number;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly read: Read;
  readonly frame: Frame;
}

const PATH = "/mcp";
/** A session that nobody uses and whose streams are closed ends after this time, in ms. */
const IDLE = 30 * 60_000;
/** Each is a process. */
const MOST_SESSIONS = 200;
const LOOK_EVERY = 60_000;
const SESSION_NOT_FOUND = -32001;
const HEADER_MISMATCH = -32020;
const INVALID_REQUEST = -32600;

export function sessionProxy(options: SessionsOptions): Relay {
  const sessions = new Map<string, Session>();
  const rename = uniqueIds();
  let shared: Session | undefined;
  const cleaning = setInterval(() => endIdle(sessions), LOOK_EVERY).unref();

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (new URL(request.url ?? "/", "http://host").pathname !== PATH) {
      return sendJson(response, 404, rpcError(`The MCP server is at ${PATH}.`));
    }
    if (request.method === "POST") return post(request, response);
    const { id, session } = sessionOf(request);
    if (id !== undefined && !session) return sessionNotFound(response);
    if (request.method === "GET" && session) return session.streams.listen(response);
    if (request.method === "DELETE" && session && id !== undefined) {
      sessions.delete(id);
      await session.streams.left();
      response.writeHead(200).end();
      await settled(session.back);
      return session.back.close();
    }
    sendJson(response, 405, rpcError("Only POST is served here without a session."), { allow: "POST" });
  }

  function sessionOf(request: IncomingMessage): { readonly id?: string; readonly session?: Session | undefined } {
    const id = request.headers["mcp-session-id"];
    return typeof id === "string" ? { id, session: sessions.get(id) } : {};
  }

  async function post(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    if (!body) return sendJson(response, 413, rpcError("The message is larger than 64 MB."));
    if (isPacked(request)) return sendJson(response, 415, rpcError(PACKED));
    const read = readMessage(lineOf(body));
    const { value } = read;
    if (value === undefined) return sendJson(response, 400, rpcError("The body is no JSON.", -32700));
    const refusal = refusalOf(read);
    if (refusal) {
      options.say(`indoubt proxy: ${refusal.why}`);
      return sendJson(response, 200, refusal.reply ?? rpcError(refusal.why, INVALID_REQUEST));
    }
    if (!isFrame(value)) return sendJson(response, 400, rpcError("One JSON-RPC message is expected.", INVALID_REQUEST));
    await take({ request, response, read, frame: value });
  }

  async function take(exchange: Exchange): Promise<void> {
    const { request, response, frame } = exchange;
    if (isModern(frame)) return modern(exchange);
    const { id, session } = sessionOf(request);
    if (session) return deliver(session, exchange);
    if (id !== undefined) return sessionNotFound(response);
    if (frame.method !== "initialize") {
      return sendJson(response, 400, rpcError("The header Mcp-Session-Id is missing: begin with initialize."));
    }
    if (sessions.size >= MOST_SESSIONS) {
      return sendJson(response, 503, rpcError(`There are ${MOST_SESSIONS} sessions already; end some, or wait.`));
    }
    const opened = randomUUID();
    const fresh = open(true);
    sessions.set(opened, fresh);
    response.setHeader("mcp-session-id", opened);
    await deliver(fresh, exchange);
  }

  async function modern(exchange: Exchange): Promise<void> {
    const { request, response, read, frame } = exchange;
    const wrong = headerMismatch(request.headers, frame);
    if (wrong !== undefined) {
      const id = isRequest(frame) ? frame.id : null;
      return sendJson(response, 400, rpcError(wrong, HEADER_MISMATCH, id));
    }
    shared ??= open(false);
    if (!isRequest(frame)) return deliver(shared, exchange);
    const renamed = rename(read);
    await deliver(shared, { ...exchange, read: renamed.read, frame: renamed.read.value as Frame }, renamed.restore);
  }

  function open(patient: boolean): Session {
    const own = streams(patient);
    const back = stdioBack({
      guard: options.guard,
      server: options.server,
      command: options.command,
      deadline: options.deadline,
      toHost: (message) => own.toHost(options.status?.added(message) ?? message),
      rawToHost: async () => false,
      drained: own.drained,
      say: (what) => options.say(`indoubt proxy: the server "${options.server}" ${what}`),
      inContext: withCallContext,
    });
    return { streams: own, back, lastUsed: Date.now() };
  }

  async function deliver(
    session: Session,
    { request, response, read, frame }: Exchange,
    restore: Waiting["restore"] = (message) => message,
  ): Promise<void> {
    session.lastUsed = Date.now();
    await session.streams.heard(frame);
    if (!isRequest(frame)) {
      await session.back.fromHost(read, {});
      return void response.writeHead(202).end();
    }
    const json = !(request.headers.accept ?? "").includes("text/event-stream");
    const owner = ownerOf(request);
    if (!session.streams.open({ frame, response, json, restore, owner })) {
      return sendJson(response, 200, rpcError("A request with this id still waits.", INVALID_REQUEST, frame.id));
    }
    if (isModern(frame)) cancelWhenLeft(session.back, response, frame);
    const context = contextFor(request, frame);
    options.status?.notice(frame);
    if (options.status?.isFor(frame)) {
      await session.streams.toHost(await options.status.answer(frame, context.principal));
      return;
    }
    await session.back.fromHost(read, context);
  }

  const contextFor = (request: IncomingMessage, frame: Frame): CallContext =>
    isToolCall(frame) ? contextOf(frame, ownerOf(request)) : {};

  function ownerOf({ headers }: IncomingMessage): string | undefined {
    const shares = options.principals === "one" || options.ownsAuthorization;
    return shares ? undefined : principalOf(headers.authorization);
  }

  return {
    path: PATH,
    handle,
    async close() {
      clearInterval(cleaning);
      const all = [...sessions.values(), ...(shared ? [shared] : [])];
      sessions.clear();
      await Promise.all(
        all.map(async ({ streams: own, back }) => {
          await Promise.all([own.left(), settled(back)]);
          await back.close();
        }),
      );
    },
  };
}

const sessionNotFound = (response: ServerResponse): void =>
  sendJson(response, 404, rpcError("There is no such session.", SESSION_NOT_FOUND));

/** In the 2026 era a host that closes the stream of its request takes it back. */
function cancelWhenLeft(back: Back, response: ServerResponse, frame: Frame): void {
  response.once("close", () => {
    if (response.writableFinished) return;
    const params = { requestId: frame.id ?? null, reason: "The host closed the request." };
    const message = { jsonrpc: "2.0", method: "notifications/cancelled", params };
    void back.fromHost(readMessage(Buffer.from(`${JSON.stringify(message)}\n`)), {});
  });
}

function endIdle(sessions: Map<string, Session>): void {
  for (const [id, { streams: own, back, lastUsed }] of sessions) {
    if (own.size > 0 || back.unanswered() > 0 || Date.now() - lastUsed < IDLE) continue;
    sessions.delete(id);
    void back.close();
  }
}

/** A line break in a JSON text can only be white space between tokens. */
const lineOf = (body: Buffer): Buffer =>
  Buffer.concat([Buffer.from(body.map((byte) => (byte === 0x0a || byte === 0x0d ? 0x20 : byte))), Buffer.from("\n")]);
