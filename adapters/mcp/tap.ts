/** The state of one instrumented transport, and what its halves share. */
import { randomUUID } from "node:crypto";
import type { Release } from "../../src/entries/review.ts";
import type { GuardedCalls } from "../../src/entries/wire.ts";
import type { JsonObject } from "../../src/index.ts";
import type { Flight } from "./flight.ts";
import { type Frame, idKey } from "./frames.ts";
import type { Call, CallHost } from "./guarded-call.ts";
import type { AskedPage } from "./lists.ts";
import type { AskedQuestions } from "./questions.ts";
import type { TapFacts } from "./scope.ts";
import type { AskedTask } from "./task-watch.ts";

/** Any MCP transport: SDK v1, SDK v2, `@ai-sdk/mcp` or your own. Described by shape, so that no SDK is loaded. */
export interface McpTransport {
  start(): Promise<void>;
  send(message: never, options?: never): Promise<void>;
  close(): Promise<void>;
  onmessage?: unknown;
  onclose?: unknown;
  onerror?: unknown;
}

/** Options of `send`, of all clients together. */
export interface SendOptions {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** v2 over HTTP in the 2026 era: the client's cancellation of this one request. */
  readonly requestSignal?: AbortSignal | undefined;
  /** v2: the transport's word that the answer stream is over. */
  readonly onRequestStreamEnd?: (() => void) | undefined;
  /** `@ai-sdk/mcp`: the same as `requestSignal`. */
  readonly signal?: AbortSignal | undefined;
}

export type Send = (message: unknown, options?: SendOptions) => Promise<void>;
/** A relay's handler answers with a promise: whether the message was written to its host. */
export type MessageHandler = (message: unknown, extra?: unknown) => unknown;

export interface Departed {
  readonly flight: Flight;
  /** Absent for reads by hooks and for resends: no client waits for those. */
  readonly call?: Call;
}

export interface Tap extends CallHost {
  readonly transport: McpTransport;
  readonly facts: TapFacts;
  /** The transport's own methods. */
  readonly send: Send;
  readonly close: (...options: unknown[]) => Promise<void>;
  /** Calls whose guard has not answered yet. */
  readonly calls: Set<Call>;
  /** Calls by the id of the request that waits. */
  readonly waiting: Map<string, Call>;
  /** Attempts by the id on the wire. */
  readonly flights: Map<string, Departed>;
  /** Ids whose answer has come; a second answer is swallowed. */
  readonly answeredIds: Set<string>;
  /** Attempts by the progress token on the wire. */
  readonly progress: Map<string, Departed>;
  /** The client's own questions about tasks, by their ids. */
  readonly askedTasks: Map<string, AskedTask>;
  /** `tools/list` requests under way. */
  readonly lists: Map<string, AskedPage>;
  /** What the server calls itself. */
  release?: Release | undefined;
  /** Requests of the server that the client works on, with the flights that wait for them. */
  readonly asked: AskedQuestions;
  /** What the client puts into each request of the 2026 era. */
  envelope?: JsonObject;
  /** The client's own handler. */
  onmessage?: MessageHandler | undefined;
  /** The message that is being handed over now: handlers chain older handlers, and must not be met twice with it. */
  delivering?: unknown;
  /** Takes back the registration for reads by hooks and for resends. */
  disconnect?: (() => void) | undefined;
  /** Resolves when the client has heard of the close. */
  farewell?: Promise<void>;
}

const KEPT_ANSWERED_IDS = 1000;

/** Transports whose handler says when a message was written to the host. */
export const RELAYS = new WeakSet<object>();

export function createTap(guard: GuardedCalls, server: string, transport: McpTransport, deadline?: number): Tap {
  const session = randomUUID().slice(0, 8);
  const facts = { fetchSeen: false, closed: false, gone: false };
  let minted = 0;
  return {
    guard,
    server,
    transport,
    deadline,
    facts,
    send: (transport.send as Send).bind(transport),
    close: transport.close.bind(transport),
    paused: new Set(),
    calls: new Set(),
    waiting: new Map(),
    flights: new Map(),
    answeredIds: new Set(),
    progress: new Map(),
    lists: new Map(),
    tasks: new Map(),
    askedTasks: new Map(),
    asked: new Map(),
    canSetHeaders: () => facts.fetchSeen || hasPerRequestStream(transport),
    freshId: () => `indoubt-${session}-${++minted}`,
  };
}

/** v2's HTTP transport: one request per message, with headers of its own. */
export const hasPerRequestStream = (transport: object): boolean =>
  "hasPerRequestStream" in transport && transport.hasPerRequestStream === true;

/** Closed, or a stdio transport without its process: nothing can be handed over. */
export const isConnected = (tap: Tap): boolean =>
  !tap.facts.closed && !("pid" in tap.transport && tap.transport.pid === null);

/** A frame goes out: its id and its progress token are ours to watch until the answer. */
export function depart(tap: Tap, departed: Departed): void {
  const { flight } = departed;
  const key = idKey(flight.id);
  if (key === undefined) return;
  tap.flights.set(key, departed);
  tap.answeredIds.delete(key);
  const token = idKey((flight.frame.params._meta as JsonObject | undefined)?.progressToken);
  if (token === undefined) return;
  tap.progress.set(token, departed);
  void flight.evidence.then(() => {
    if (tap.progress.get(token) === departed) tap.progress.delete(token);
  });
}

/** The attempt that a frame answers, taken off the board. */
export function arrive(tap: Tap, frame: Frame): Departed | undefined {
  const key = idKey(frame.id);
  const departed = key === undefined ? undefined : tap.flights.get(key);
  if (!departed || key === undefined) return undefined;
  tap.flights.delete(key);
  tap.answeredIds.add(key);
  const [oldest] = tap.answeredIds;
  if (tap.answeredIds.size > KEPT_ANSWERED_IDS && oldest !== undefined) tap.answeredIds.delete(oldest);
  return departed;
}

/** Hands something to the client. What it throws says that it did not want it, and is its own business. */
export function deliver(tap: Tap, frame: Frame, extra: unknown): boolean | Promise<boolean> {
  if (!tap.onmessage || tap.facts.gone) return false;
  try {
    const written = pass(tap, tap.onmessage, frame, extra);
    return written instanceof Promise && RELAYS.has(tap.transport) ? written : true;
  } catch {
    return false;
  }
}

/** Calls a handler of the client with a message that we are done with. */
export function pass(tap: Tap, handler: MessageHandler, message: unknown, extra: unknown): unknown {
  const outer = tap.delivering;
  tap.delivering = message;
  try {
    return handler(message, extra);
  } finally {
    tap.delivering = outer;
  }
}
