/** An HTTP server behind the guard, for a host that speaks in lines: each line is one POST, answers come back as lines. */
import type { CallContext } from "../../../src/index.ts";
import { guardFetch } from "../../mcp/index.ts";
import {
  deliveredWhen,
  endingWith,
  envelopeOf,
  type Fetch,
  type Frame,
  httpWire,
  idKey,
  isEventStream,
  isFrame,
  isModern,
  isObject,
  isRequest,
  isToolCall,
  modernHeaders,
  readSse,
  sendsOnce,
} from "../../mcp/relay/index.ts";
import type { Back, BackOptions } from "./back.ts";
import { type Answering, failed, hand, LOOKS, passAnswer } from "./http-answers.ts";
import type { Read } from "./messages.ts";
import { rawFetch } from "./raw-fetch.ts";
import { cancelledIn } from "./receipts.ts";

export interface HttpTarget {
  /** Where the server is. */
  readonly url: string;
  /** Sent with each request, e.g. a token. Never stored. @default {} */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface HttpBackOptions extends BackOptions {
  readonly target: HttpTarget;
}

interface State {
  readonly options: HttpBackOptions;
  readonly fetch: Fetch;
  readonly closing: AbortController;
  /** Requests that wait for their answer, and how to give one up. */
  readonly open: Map<string, AbortController>;
  /** Guarded calls under way. */
  readonly calls: Map<string, AbortController>;
  /** Those of them that it took back: their late answer is for the record alone. */
  readonly taken: WeakSet<AbortController>;
  readonly answering: Answering;
  session: string | undefined;
  version: string | undefined;
  envelope: ReturnType<typeof envelopeOf>;
  initialize?: Read;
  initialized?: Read;
  /** One sign-in to a new session at a time. */
  renewing: Promise<boolean> | undefined;
  listening: boolean;
  disconnect: (() => void) | undefined;
}

export function httpBack(options: HttpBackOptions): Back {
  const raw = rawFetch();
  // A tool call in a session that the server forgot is in doubt, but the calls after it need not be.
  const renewing: Fetch = async (url, init) => {
    const session = state.session;
    const response = await raw(url, init);
    if (response.status === 404 && session !== undefined && init?.method === "POST")
      renew(state, session).catch(() => {});
    return response;
  };
  const { guard, server, deadline } = options;
  const state: State = {
    options,
    fetch: guardFetch(guard, { server, fetch: sendsOnce(renewing), deadline }),
    closing: new AbortController(),
    open: new Map(),
    calls: new Map(),
    taken: new WeakSet(),
    answering: undefined as never,
    session: undefined,
    version: undefined,
    envelope: undefined,
    renewing: undefined,
    listening: false,
    disconnect: undefined,
  };
  const { toHost, drained, say } = options;
  const resume = (lastEvent: string): Promise<Response> => get(state, lastEvent);
  Object.assign(state, {
    answering: {
      server,
      url: options.target.url,
      toHost,
      drained,
      say,
      resume,
      listen: () => get(state, undefined),
      closing: state.closing.signal,
    },
  });
  let minted = 0;
  const wire = httpWire({
    url: options.target.url,
    fetch: raw,
    headers: (frame) => headersFor(state, frame),
    get envelope() {
      return state.envelope;
    },
    freshId: () => `indoubt-own-${process.pid}-${Date.now().toString(36)}-${++minted}`,
    closing: guard.closing,
  });
  return {
    unanswered: () => state.calls.size,
    fromHost: (read, context) => {
      state.disconnect ??= guard.connected(server, wire);
      return fromHost(state, read, context);
    },
    async close() {
      state.disconnect?.();
      await endSession(state, raw);
      state.closing.abort();
    },
  };
}

/** Messages without an answer of their own keep their order; requests run beside each other. */
async function fromHost(state: State, read: Read, context: CallContext): Promise<void> {
  const { value } = read;
  if (!isFrame(value)) return state.options.say("gets no line that is not JSON-RPC: it was left out");
  state.envelope = envelopeOf(value) ?? state.envelope;
  const cancelled = cancelledIn(value);
  const open = cancelled === undefined ? undefined : state.open.get(cancelled);
  // In the 2026 era a request over HTTP is cancelled by closing its stream, and by nothing else.
  if (open && state.version === undefined && state.envelope) return open.abort();
  const call = cancelled === undefined ? undefined : state.calls.get(cancelled);
  if (call) state.taken.add(call);
  const posted = post(state, read, context);
  if (!isRequest(value) || value.method === "initialize") await soon(posted);
  if (value.method === "initialize") state.initialize = read;
  if (value.method !== "notifications/initialized") return;
  state.initialized = read;
  void listen(state);
}

/** The order of messages is kept, but not for a server that never answers one of them: the host has more to say. */
const ORDERED_FOR = 5_000;

async function soon(posted: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ORDERED_FOR);
  });
  await Promise.race([posted, late]);
  clearTimeout(timer);
}

async function post(state: State, read: Read, context: CallContext): Promise<void> {
  const frame = read.value as Frame;
  const giveUp = new AbortController();
  const { signal, release } = endingWith(state.closing.signal, giveUp.signal);
  const key = isRequest(frame) ? idKey(frame.id) : undefined;
  if (key !== undefined) (isToolCall(frame) ? state.calls : state.open).set(key, giveUp);
  try {
    await exchange(state, read, context, { giveUp, signal });
  } catch (error) {
    if (giveUp.signal.aborted || state.closing.signal.aborted) return;
    state.options.say(`could not be asked: ${said(error)}`);
    failed(state.answering, frame, `could not be asked: ${said(error)}`);
  } finally {
    release();
    for (const open of [state.open, state.calls]) if (key !== undefined && open.get(key) === giveUp) open.delete(key);
  }
}

function said(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return error.message || code || error.name;
}

interface Ends {
  readonly giveUp: AbortController;
  /** Aborts when the host gives up, and when the proxy ends. */
  readonly signal: AbortSignal;
}

async function exchange(state: State, read: Read, context: CallContext, { giveUp, signal }: Ends): Promise<void> {
  const frame = read.value as Frame;
  let told: (received: boolean) => void = () => {};
  const received = new Promise<boolean>((resolve) => {
    told = resolve;
  });
  const ask = (): Promise<Response> => {
    const asked = deliveredWhen({ ...posting(state, read), signal }, () => received);
    return state.options.inContext(context, () => state.fetch(state.options.target.url, asked));
  };
  const { session } = state;
  let response = await ask();
  // The guard hands no 404 on to a tool call, so what comes here again had no effect.
  const forgotten = response.status === 404 && session !== undefined && frame.method !== "initialize";
  if (forgotten && (await renew(state, session))) response = await ask();
  if (state.taken.has(giveUp)) return void (await response.text());
  if (frame.method === "initialize" && response.ok) state.session = sessionOf(response);
  const answered = frame.method === "initialize" ? (answer: Frame) => negotiated(state, answer) : undefined;
  await passAnswer(state.answering, { frame, told, ...(answered && { answered }) }, response);
}

function negotiated(state: State, { result }: Frame): void {
  if (isObject(result) && typeof result.protocolVersion === "string") state.version = result.protocolVersion;
}

const sessionOf = (response: Response): string | undefined => response.headers.get("mcp-session-id") ?? undefined;

const posting = (state: State, { value, bytes }: Read) => ({
  method: "POST",
  headers: {
    ...headersFor(state, value as Frame),
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  },
  body: Buffer.from(bytes).toString("utf8").trimEnd(),
});

/** The server forgot the session: a new one is opened with the host's own words, and the host does not notice. */
function renew(state: State, old: string): Promise<boolean> {
  if (!state.renewing && state.session !== old) return Promise.resolve(true);
  state.renewing ??= (async () => {
    const { initialize, initialized } = state;
    if (!initialize || !initialized) return false;
    state.session = undefined;
    const ask = (read: Read): Promise<Response> =>
      state.fetch(state.options.target.url, { ...posting(state, read), signal: state.closing.signal });
    const response = await ask(initialize);
    await response.text();
    if (!response.ok) return false;
    state.session = sessionOf(response);
    await (await ask(initialized)).text();
    void listen(state);
    return true;
  })().finally(() => {
    state.renewing = undefined;
  });
  return state.renewing;
}

/** Messages that the server sends of its own accord (2025 era). */
async function listen(state: State): Promise<void> {
  if (state.listening) return;
  state.listening = true;
  let last: string | undefined;
  for (let failures = 0; failures < LOOKS.length && !state.closing.signal.aborted; ) {
    const response = await get(state, last).catch(() => undefined);
    if (response && !response.ok) break;
    if (response && isEventStream(response)) {
      failures = 0;
      await readSse(response.body, {
        event: (event) => {
          if (event.id !== undefined) last = event.id;
          if (event.data !== "") hand(state.answering, undefined, event.data);
          return state.options.drained();
        },
        end: () => {},
      });
    } else failures += 1;
    await new Promise((resolve) => setTimeout(resolve, LOOKS[Math.min(failures, LOOKS.length - 1)] ?? 0).unref());
  }
  state.listening = false;
}

function get(state: State, lastEvent: string | undefined): Promise<Response> {
  const headers = {
    ...headersFor(state),
    accept: "text/event-stream",
    ...(lastEvent !== undefined && { "last-event-id": lastEvent }),
  };
  return state.fetch(state.options.target.url, { method: "GET", headers, signal: state.closing.signal });
}

function headersFor(state: State, frame?: Frame): Record<string, string> {
  const { session, version, options } = state;
  return {
    ...options.target.headers,
    ...(session !== undefined && { "mcp-session-id": session }),
    ...(version !== undefined && { "mcp-protocol-version": version }),
    ...(frame && isModern(frame) && modernHeaders(frame)),
  };
}

async function endSession(state: State, fetch: Fetch): Promise<void> {
  if (state.session === undefined) return;
  const init = { method: "DELETE", headers: headersFor(state), signal: AbortSignal.timeout(1_000) };
  await fetch(state.options.target.url, init)
    .then((response) => response.text())
    .catch(() => {});
}
