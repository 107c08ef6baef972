/** A stdio server behind the guard: its messages pass as they came, its tool calls are guarded, and it may die and come again. */

import type { GuardedCalls } from "../../../src/entries/wire.ts";
import type { CallContext } from "../../../src/index.ts";
import { guardTransport, type McpTransport } from "../../mcp/index.ts";
import {
  asRelay,
  connectionLost,
  connectionReady,
  type Frame,
  idKey,
  isAnswer,
  isFrame,
  isRequest,
  isToolCall,
  type RequestId,
  unanswered,
} from "../../mcp/relay/index.ts";
import type { Back, BackOptions } from "./back.ts";
import { bytesOf, errorFrame, type Read, readMessage } from "./messages.ts";
import { type ServerCommand, type ServerProcess, startServer } from "./server-process.ts";

const SERVER_GONE = -32000;
const GUARD_FAILED = -32603;
/** A server that starts again has so long to answer the greeting, in ms. */
const GREETING = 30_000;

export interface StdioBackOptions extends BackOptions {
  readonly command: ServerCommand;
}

interface State {
  readonly options: StdioBackOptions;
  readonly transport: McpTransport & { send(message: unknown): Promise<void> };
  /** Requests of the host that the guard does not watch. */
  readonly pending: Map<string, RequestId>;
  /** Questions of a server that is gone: their answers are for nobody. */
  readonly stale: Set<string>;
  /** Questions of this life that the host has not answered. */
  readonly asked: Map<string, RequestId>;
  life: ServerProcess | undefined;
  starting: Promise<boolean> | undefined;
  /** The host's own words of the 2025 handshake, for a server that starts again. */
  initialize?: Frame | undefined;
  initialized?: Uint8Array | undefined;
  /** The answer to a handshake of our own is awaited. */
  handshake?: { readonly id: string; readonly answered: (frame: Frame) => void } | undefined;
  /** How the last life of the server ended. */
  how: string;
  /** What the last life left behind has been cleared away. */
  cleared: Promise<void>;
  /** This life of the server answered something of the host's. */
  served: boolean;
  closing: boolean;
  chatter: boolean;
}

export function stdioBack(options: StdioBackOptions): Back {
  const state: State = {
    options,
    transport: undefined as never,
    pending: new Map(),
    stale: new Set(),
    asked: new Map(),
    life: undefined,
    starting: undefined,
    how: "is not running",
    cleared: Promise.resolve(),
    served: false,
    closing: false,
    chatter: false,
  };
  Object.assign(state, { transport: guardedTransport(options.guard, state) });
  void up(state);
  return {
    fromHost: (read, context) => fromHost(state, read, context),
    unanswered: () => unanswered(state.transport),
    async close() {
      state.closing = true;
      await state.life?.end();
      connectionLost(state.transport);
    },
  };
}

/** What the guard takes for a client's transport: below it the server's pipes, above it the host. */
function guardedTransport(guard: GuardedCalls, state: State): State["transport"] {
  const { server, deadline, toHost } = state.options;
  const transport = {
    get pid() {
      return state.life?.pid ?? null;
    },
    start: async () => {},
    close: async () => {},
    async send(message: unknown) {
      if (!(await state.life?.input.write(bytesOf(message as object)))) {
        throw Object.assign(new Error("The server does not read."), { code: "EPIPE" });
      }
    },
    onmessage: (message: unknown) => toHost(message as object),
  };
  guardTransport(guard, server, transport as unknown as McpTransport, { deadline });
  asRelay(transport);
  return transport as unknown as State["transport"];
}

async function fromHost(state: State, { bytes, value }: Read, context: CallContext): Promise<void> {
  // A guarded call needs no server to be answered from the record; the start goes on beside it where it can.
  if (!state.life?.pid || state.starting) await up(state);
  if (!isFrame(value)) return void state.life?.input.write(bytes);
  const key = idKey(value.id);
  if (value.method === "initialize") state.initialize = value;
  if (value.method === "notifications/initialized") state.initialized = bytes;
  if (isAnswer(value) && key !== undefined && state.stale.delete(key)) return;
  if (isAnswer(value) && key !== undefined) state.asked.delete(key);
  if (isRequest(value) && !isToolCall(value)) {
    if (!state.life?.pid) return gone(state, value.id, state.how);
    state.pending.set(idKey(value.id) ?? "", value.id);
  }
  state.options
    .inContext(context, () => state.transport.send(value))
    .catch((error: unknown) => {
      if (isToolCall(value)) void state.options.toHost(errorFrame(value.id, GUARD_FAILED, said(error)));
    });
  // A host that writes faster than the server reads waits, as it would without us.
  await state.life?.input.drained();
}

const said = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Resolves to whether the server runs and has been greeted. */
function up(state: State): Promise<boolean> {
  if (state.closing) return Promise.resolve(false);
  if (state.life?.pid && !state.starting) return Promise.resolve(true);
  state.starting ??= start(state).finally(() => {
    state.starting = undefined;
  });
  return state.starting;
}

async function start(state: State): Promise<boolean> {
  await state.cleared;
  const life = startServer(state.options.command);
  state.life = life;
  state.served = false;
  state.cleared = read(state, life).then((how) => ended(state, how));
  void state.cleared.then(() => afterwards(state));
  const failed = life.ended.then(() => false);
  const greeted = state.initialize && state.initialized ? greet(state, life) : Promise.resolve(true);
  const ready = await Promise.race([greeted, failed]);
  if (ready && life.pid !== null) connectionReady(state.transport);
  return ready;
}

/** A server that starts again hears what the host said to the first one. */
async function greet(state: State, life: ServerProcess): Promise<boolean> {
  const id = `indoubt-again-${life.pid}`;
  const answer = new Promise<Frame>((answered) => {
    state.handshake = { id, answered };
  });
  await life.input.write(Buffer.from(`${JSON.stringify({ ...state.initialize, id })}\n`));
  const tooLong = setTimeout(() => life.kill(), GREETING).unref();
  const { error } = await answer;
  clearTimeout(tooLong);
  state.handshake = undefined;
  if (error !== undefined) {
    state.options.say("started again, but does not accept the host's greeting");
    return false;
  }
  return life.input.write(state.initialized ?? new Uint8Array());
}

async function read(state: State, life: ServerProcess): Promise<string> {
  try {
    for await (const line of life.lines) {
      fromServer(state, readMessage(line));
      await state.options.drained();
    }
  } catch (error) {
    if (life.pid !== null) state.options.say(`is stopped: ${said(error)}`);
    life.kill();
  }
  return life.ended;
}

function fromServer(state: State, message: Read): void {
  const { value } = message;
  if (Array.isArray(value) && value.some((each) => isFrame(each) && isAnswer(each))) {
    // One answer in a batch may be a guarded one: each goes its own way.
    for (const each of value) fromServer(state, { bytes: new Uint8Array(), value: each });
    return;
  }
  if (!isFrame(value)) {
    chatter(state, message);
    return;
  }
  const key = idKey(value.id);
  if (isAnswer(value) && key !== undefined) {
    const { handshake } = state;
    if (handshake && handshake.id === value.id) {
      handshake.answered(value);
      return;
    }
    if (state.pending.delete(key)) state.served = true;
  } else if (isRequest(value) && key !== undefined) {
    state.asked.set(key, value.id);
    state.stale.delete(key);
  }
  const handler = state.transport.onmessage as (frame: unknown) => unknown;
  handler(value);
}

/** A host may know what to do with it: it passes, and the operator hears of it once. */
function chatter(state: State, { bytes, value }: Read): void {
  const text = Buffer.from(bytes).toString("utf8").trim();
  if (text !== "" && !state.chatter) {
    state.chatter = true;
    state.options.say(`writes to stdout what is no MCP message: ${JSON.stringify(text.slice(0, 200))}`);
  }
  void (typeof value === "object" && value !== null ? state.options.toHost(value) : state.options.rawToHost(bytes));
}

function ended(state: State, how: string): void {
  state.how = how;
  if (!state.closing) state.options.say(how);
  for (const [key, requestId] of state.asked) {
    state.stale.add(key);
    const params = { requestId, reason: "The server that asked has ended." };
    if (!state.closing) void state.options.toHost({ jsonrpc: "2.0", method: "notifications/cancelled", params });
  }
  state.asked.clear();
  state.handshake = undefined;
  connectionLost(state.transport);
  const waiting = [...state.pending.values()];
  state.pending.clear();
  for (const id of waiting) gone(state, id, how);
}

/** One that never served would only end again: the next request of the host gives it another chance. */
function afterwards(state: State): void {
  if (!state.closing && state.served) void up(state);
}

function gone(state: State, id: RequestId, how: string): void {
  const text = `The MCP server "${state.options.server}" ${how} before it answered this request.`;
  void state.options.toHost(errorFrame(id, SERVER_GONE, text));
}
