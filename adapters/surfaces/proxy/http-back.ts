/** An HTTP server behind the guard, for a host that speaks in lines: each line is one POST, answers come back as lines. */
import type { CallContext } from "../../../src/index.ts";
import { guardFetch } from "../../mcp/index.ts";
import {
  deliveredWhen,
  envelopeOf,
  type Fetch,
  type Frame,
  httpWire,
  idKey,
  isAnswer,
  isEventStream,
  isFrame,
  isJson,
  isModern,
  isObject,
  isRequest,
  isToolCall,
  type RequestId,
  readSse,
  sendsOnce,
} from "../../mcp/relay/index.ts";
import type { Back, BackOptions } from "./back.ts";
import { errorFrame, type Read, readMessage } from "./messages.ts";
import { modernHeaders } from "./modern-headers.ts";
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
  calls: number;
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

const SERVER_FAILED = -32000;
/** How often a stream that broke off is looked for again, and the pause before each look in ms. */
const LOOKS = [500, 1_000, 2_000] as const;

export function httpBack(options: HttpBackOptions): Back {
  const raw = rawFetch();
  // A tool call in a session that the server forgot is in doubt, but the calls after it need not be.
  const renewing: Fetch = async (url, init) => {
    const session = state.session;
    const response = await raw(url, init);
    if (response.status === 404 && session !== undefined && init?.method === "POST") void renew(state, session);
    return response;
  };
  const { guard, server, deadline } = options;
  const state: State = {
    options,
    fetch: guardFetch(guard, { server, fetch: sendsOnce(renewing), deadline }),
    closing: new AbortController(),
    open: new Map(),
    calls: 0,
    session: undefined,
    version: undefined,
    envelope: undefined,
    renewing: undefined,
    listening: false,
    disconnect: undefined,
  };
  let minted = 0;
  const wire = httpWire({
    url: options.target.url,
    fetch: raw,
    headers: (tool) =>
      headersFor(state, { jsonrpc: "2.0", method: "tools/call", params: { name: tool, _meta: state.envelope ?? {} } }),
    get envelope() {
      return state.envelope;
    },
    freshId: () => `indoubt-own-${process.pid}-${Date.now().toString(36)}-${++minted}`,
    closing: guard.closing,
  });
  return {
    unanswered: () => state.calls,
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
  const posted = post(state, read, context);
  if (!isRequest(value) || value.method === "initialize") await posted;
  if (value.method === "initialize") state.initialize = read;
  if (value.method !== "notifications/initialized") return;
  state.initialized = read;
  void listen(state);
}

async function post(state: State, read: Read, context: CallContext): Promise<void> {
  const { value } = read;
  const request = isRequest(value) ? value : undefined;
  const call = isToolCall(value);
  const giveUp = new AbortController();
  const key = idKey(request?.id);
  if (key !== undefined && !call) state.open.set(key, giveUp);
  if (call) state.calls += 1;
  try {
    await exchange(state, read, context, giveUp.signal);
  } catch (error) {
    if (request && !giveUp.signal.aborted && !state.closing.signal.aborted) {
      void state.options.toHost(
        errorFrame(
          request.id,
          SERVER_FAILED,
          `The MCP server "${state.options.server}" could not be asked: ${said(error)}.`,
        ),
      );
      state.options.say(`could not be asked: ${said(error)}`);
    }
  } finally {
    if (key !== undefined) state.open.delete(key);
    if (call) state.calls -= 1;
  }
}

function said(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return error.message || code || error.name;
}

async function exchange(
  state: State,
  read: Read,
  context: CallContext,
  signal: AbortSignal,
  again = false,
): Promise<void> {
  const { value, bytes } = read;
  const frame = value as Frame;
  let told: (received: boolean) => void = () => {};
  const received = new Promise<boolean>((resolve) => {
    told = resolve;
  });
  const { session } = state;
  const init = deliveredWhen(
    {
      method: "POST",
      headers: {
        ...headersFor(state, frame),
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: Buffer.from(bytes).toString("utf8").trimEnd(),
      signal: AbortSignal.any([signal, state.closing.signal]),
    },
    () => received,
  );
  const response = await state.options.inContext(context, () => state.fetch(state.options.target.url, init));
  if (frame.method === "initialize" && response.ok) state.session = response.headers.get("mcp-session-id") ?? undefined;
  if (response.status === 404 && session !== undefined && frame.method !== "initialize") {
    const renewed = await renew(state, session);
    // The guard does not hand a 404 to a tool call on: this request had no effect.
    if (renewed && !again) return exchange(state, read, context, signal, true);
  }
  if (!response.ok) return refused(state, frame, response, told);
  const id = isRequest(frame) ? frame.id : undefined;
  if (isEventStream(response)) return followStream(state, response, id, isToolCall(frame), told);
  const text = await response.text();
  if (isJson(response) && text.trim() !== "") hand(state, text, id, told);
  else if (id !== undefined) {
    void state.options.toHost(
      errorFrame(
        id,
        SERVER_FAILED,
        `The MCP server "${state.options.server}" answered with no message (status ${response.status}).`,
      ),
    );
  }
}

/** One message as a line: a line break in it can only be white space between tokens. */
function hand(state: State, text: string, id: RequestId | undefined, told: (received: boolean) => void): boolean {
  const line = Buffer.from(`${text.replace(/[\r\n]+/g, " ")}\n`);
  const { value } = readMessage(line);
  if (value === undefined) {
    state.options.say(`sent what is no JSON: ${JSON.stringify(text.slice(0, 200))}`);
    return false;
  }
  const answer = isFrame(value) && isAnswer(value) && id !== undefined && idKey(value.id) === idKey(id);
  const result = isFrame(value) && isObject(value.result) ? value.result : undefined;
  if (typeof result?.protocolVersion === "string" && state.version === undefined && answer)
    state.version = result.protocolVersion;
  const written = state.options.toHost(value as object);
  if (answer) void written.then(told);
  return answer;
}

/** Reads a stream to its end; one that breaks off before the answer is looked for again where the server numbers its events. */
async function followStream(
  state: State,
  response: Response,
  id: RequestId | undefined,
  call: boolean,
  told: (received: boolean) => void,
): Promise<void> {
  let stream: Response | undefined = response;
  let answered = id === undefined;
  let last: string | undefined;
  for (const pause of [...LOOKS, undefined]) {
    await readSse(stream?.body ?? null, {
      event: (event) => {
        if (event.id !== undefined) last = event.id;
        if (event.data !== "" && hand(state, event.data, id, told)) answered = true;
      },
      end: () => {},
    });
    if (answered || last === undefined || pause === undefined || state.closing.signal.aborted) break;
    await new Promise((resolve) => setTimeout(resolve, pause));
    stream = await get(state, last).catch(() => undefined);
  }
  if (!answered && id !== undefined && !state.closing.signal.aborted) brokeOff(state, id, call);
}

function brokeOff(state: State, id: RequestId, call: boolean): void {
  const text = `The answer of the MCP server "${state.options.server}" broke off.`;
  if (!call) return void state.options.toHost(errorFrame(id, SERVER_FAILED, text));
  const open = `[outcome_uncertain] ${text} Whether the action took effect is not known. Do not repeat this action; go on with other work or tell the user what is open.`;
  void state.options.toHost({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text: open }], isError: true } });
}

async function refused(
  state: State,
  frame: Frame,
  response: Response,
  told: (received: boolean) => void,
): Promise<void> {
  const text = await response.text().catch(() => "");
  const id = isRequest(frame) ? frame.id : undefined;
  const { status } = response;
  const cure =
    status === 401 || status === 403
      ? ' Check the token: pass it with --header "Authorization: Bearer …" or in the configuration.'
      : "";
  state.options.say(`refused ${frame.method ?? "an answer"} with HTTP status ${status}.${cure}`);
  if (id === undefined) return;
  const inside = readMessage(Buffer.from(text)).value;
  if (isFrame(inside) && isAnswer(inside) && idKey(inside.id) === idKey(id)) return void hand(state, text, id, told);
  void state.options.toHost(
    errorFrame(
      id,
      SERVER_FAILED,
      `The MCP server "${state.options.server}" refused this request with status ${status}.${cure}`,
    ),
  );
}

/** The server forgot the session: a new one is opened with the host's own words, and the host does not notice. */
function renew(state: State, old: string): Promise<boolean> {
  if (!state.renewing && state.session !== old) return Promise.resolve(true);
  state.renewing ??= (async () => {
    const { initialize, initialized } = state;
    if (!initialize || !initialized) return false;
    state.session = undefined;
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const ask = (read: Read): Promise<Response> =>
      state.fetch(state.options.target.url, {
        method: "POST",
        headers: { ...headersFor(state, read.value as Frame), ...headers },
        body: Buffer.from(read.bytes).toString("utf8").trimEnd(),
        signal: state.closing.signal,
      });
    const response = await ask(initialize);
    await response.text();
    if (!response.ok) return false;
    state.session = response.headers.get("mcp-session-id") ?? undefined;
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
          if (event.data !== "") hand(state, event.data, undefined, () => {});
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
