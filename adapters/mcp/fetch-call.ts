/** Without a tap: one POST of `tools/call` under the guard, answered as JSON or inside its own event stream. */
import { httpFacts } from "../../src/entries/wire.ts";
import { abandon, answered, startCall, tellAgain } from "./call.ts";
import { endingWith } from "./ending.ts";
import { evidenceOfError, evidenceOfHttp, notSent, silence } from "./evidence.ts";
import {
  deliveryOf,
  type Fetch,
  framesIn,
  type HttpRequest,
  isEventStream,
  isJson,
  withHeaders,
} from "./fetch-request.ts";
import { readSse, responseLike, type SseEvent, sseMessage, sseStream } from "./fetch-sse.ts";
import { askOnWayOf, type WaitingClient } from "./fetch-task.ts";
import type { Flight } from "./flight.ts";
import { type Frame, idKey, isAnswer, isModern, isRequest, type ToolCallFrame } from "./frames.ts";
import type { Call, CallHost, Received, Waiter } from "./guarded-call.ts";
import { heardChange } from "./lists.ts";
import { type AskedQuestions, goOn, waitFor } from "./questions.ts";

export interface FetchHost extends CallHost {
  readonly fetch: Fetch;
  /** It is not the platform's, so one call of it may be several requests. */
  readonly ownFetch: boolean;
  /** Ends what is still being read. */
  readonly closing: AbortSignal;
  /** Requests that wait, by session and id; clients that share a guardFetch may count alike. */
  readonly waiting: Map<string, Set<Call>>;
  /** Questions of the server, by session and id. */
  readonly asked: AskedQuestions;
  /** Streams that broke off and can be resumed, by session and last event id: each session may count from the start. */
  readonly resumable: Map<string, Resumable>;
}

export interface Resumable {
  readonly flight: Flight;
  readonly call: Call;
  readonly exchange: Exchange;
}

/** One request of the client and what it has got so far. */
interface Exchange {
  readonly request: HttpRequest;
  readonly client: WaitingClient;
  /** Of the stream that goes on where the first one broke off. */
  delivery?: (() => Promise<boolean>) | undefined;
  /** The refusal of the server itself. */
  refusal?: Response;
}

/** The raw text of an answer, for the frame that it came as. */
interface Raw {
  readonly frame: Frame;
  readonly text: string;
  readonly response: Response;
}

/** Refusals that clients act on: they sign in, or go where they are sent. Others become a result like any outcome. */
const ACTED_ON = [307, 308, 401, 403];

/** Clients that share a guardFetch may count alike: their session tells them apart, or else who signed in. */
export function sessionKey(request: HttpRequest, id: unknown): string {
  const headers = new Headers(request.init.headers);
  const session = headers.get("mcp-session-id");
  const client = session === null ? `of ${headers.get("authorization") ?? ""}` : `in ${session}`;
  return `${request.url} ${client} ${idKey(id)}`;
}

export function guardedPost(host: FetchHost, request: HttpRequest, frame: ToolCallFrame): Promise<Response> {
  return new Promise((resolve, reject) => {
    const exchange: Exchange = { request, client: { respond: resolve } };
    const { signal } = request.init;
    // A transport uses one signal for its whole life: what ended must not listen on.
    const deaf = (): void => signal?.removeEventListener("abort", left);
    const waiter = waiterFor(host, exchange, frame, reject, deaf);
    const call = startCall(host, waiter);
    const key = sessionKey(request, frame.id);
    host.waiting.set(key, (host.waiting.get(key) ?? new Set()).add(call));
    const left = (): void => {
      if (call.listening) abandon(call);
      exchange.client.stream?.fail(signal?.reason);
      reject(signal?.reason);
    };
    if (signal?.aborted) left();
    else signal?.addEventListener("abort", left, { once: true });
  });
}

function waiterFor(
  host: FetchHost,
  exchange: Exchange,
  frame: ToolCallFrame,
  reject: (error: unknown) => void,
  deaf: () => void,
): Waiter {
  const end = (): void => {
    deaf();
    const key = sessionKey(exchange.request, frame.id);
    const calls = host.waiting.get(key);
    for (const call of calls ?? []) if (call.waiter.frame === frame) calls?.delete(call);
    if (calls?.size === 0) host.waiting.delete(key);
  };
  return {
    frame,
    transmit: (flight, call) => void transmit(host, exchange, flight, call),
    ask: askOnWayOf(host, exchange.request, frame, exchange.client),
    reply: (reply) => {
      end();
      return write(exchange, reply);
    },
    refused: () => {
      if (!exchange.refusal) return false;
      end();
      exchange.client.respond(exchange.refusal);
      return true;
    },
    fail: (error) => {
      end();
      exchange.client.stream?.fail(error);
      reject(error);
    },
    leave: end,
    late: (reply) => void write({ ...exchange, delivery: async () => false }, reply),
  };
}

/** A clean answer goes on in its own bytes; anything else is written by us. False: the client is gone. */
function write(exchange: Exchange, { frame, passedOn }: Received): boolean | Promise<boolean> {
  const { request, client } = exchange;
  const { stream, respond } = client;
  const written = (exchange.delivery ?? deliveryOf(request.init))?.() ?? true;
  const raw = passedOn as Raw | undefined;
  const verbatim = raw?.frame === frame ? raw : undefined;
  if (request.init.signal?.aborted) return false;
  if (!stream) {
    const headers = { "content-type": "application/json" };
    const own = (): Response => new Response(JSON.stringify(frame), { status: 200, headers });
    respond(verbatim && isJson(verbatim.response) ? responseLike(verbatim.response, verbatim.text) : own());
    return written;
  }
  const open = stream.open;
  stream.write(verbatim && isEventStream(verbatim.response) ? verbatim.text : sseMessage(frame));
  stream.end();
  return open && written;
}

async function transmit(host: FetchHost, exchange: Exchange, flight: Flight, call: Call): Promise<void> {
  const { attempt, frame } = flight;
  const { request } = exchange;
  if (isModern(frame)) attempt.cancel.addEventListener("abort", () => flight.request.abort(), { once: true });
  const { signal, release } = endingWith(host.closing, flight.request.signal);
  const untouched = frame === request.message ? request.body : undefined;
  const init = { ...withHeaders(request.init, attempt.headers), body: untouched ?? JSON.stringify(frame), signal };
  try {
    if (!attempt.mayStart()) return flight.settle(notSent("permit_lost"));
    await read(host, { exchange, flight, call }, await host.fetch(request.url, init), signal);
  } catch (error) {
    const cause = evidenceOfError(error, { id: flight.id, authInside: false, retriesInside: host.ownFetch });
    flight.settle(signal.aborted ? silence(host.closing?.aborted ? "connection_closed" : "caller_aborted") : cause);
  } finally {
    release();
  }
}

async function read(host: FetchHost, link: Resumable, response: Response, signal: AbortSignal): Promise<void> {
  const { exchange, flight, call } = link;
  if (response.ok && isEventStream(response)) {
    open(exchange, response);
    return listen(host, link, response, signal);
  }
  const text = await response.text().catch(() => undefined);
  if (!response.ok) {
    if (ACTED_ON.includes(response.status)) exchange.refusal = responseLike(response, text ?? null);
    flight.settle(evidenceOfHttp(httpFacts(response), text, flight.id));
    return;
  }
  if (response.status === 202 || !isJson(response)) return flight.settle(silence("unexpected_content"));
  if (text === undefined) return flight.settle(silence("connection_reset"));
  const frame = framesIn(text).find((each) => answers(each, flight));
  if (frame) answered(call, flight, { frame, passedOn: { frame, text, response } satisfies Raw });
  else flight.settle(silence("unreadable_answer"));
}

const answers = (frame: Frame, flight: Flight): boolean => isAnswer(frame) && idKey(frame.id) === idKey(flight.id);

/** The client gets its stream when the server opens one: progress and questions pass at once. */
function open(exchange: Exchange, response: Response): void {
  if (exchange.client.stream?.open) return;
  exchange.client.stream = sseStream(response);
  exchange.client.respond(exchange.client.stream.response);
}

/** At the pace of the client; on to the end when it has its reply: what comes then is late evidence. */
function listen(host: FetchHost, link: Resumable, response: Response, signal: AbortSignal): Promise<void> {
  const { exchange, flight, call } = link;
  let lastEvent: string | undefined;
  return readSse(response.body, {
    event: (event) => {
      if (event.id !== undefined) lastEvent = event.id;
      const frame = framesIn(event.data).find((each) => answers(each, flight));
      const passedOn = frame && ({ frame, text: event.text, response } satisfies Raw);
      if (passedOn) return answered(call, flight, { frame, passedOn });
      passOn(host, link, event);
      return exchange.client.stream?.drained(signal);
    },
    end: (error) => {
      if (flight.settled) return;
      const left = exchange.request.init.signal?.aborted;
      if (lastEvent === undefined || left)
        flight.settle(silence(error === undefined ? "stream_ended" : "connection_reset"));
      else awaitResumption(host, link, lastEvent, error);
    },
  });
}

/** A stream that nobody goes on reading by then has told all it had to tell, in ms. */
const RESUMED_WITHIN = 60_000;

/** The client may go on reading at the last event; its stream ends here, its call does not. */
function awaitResumption(host: FetchHost, link: Resumable, lastEvent: string, error: unknown): void {
  const key = sessionKey(link.exchange.request, lastEvent);
  host.resumable.set(key, link);
  const { signal } = link.exchange.request.init;
  const left = (): void => {
    if (host.resumable.get(key) === link) link.flight.settle(silence("stream_ended"));
  };
  signal?.addEventListener("abort", left, { once: true });
  const given = setTimeout(left, RESUMED_WITHIN);
  given.unref();
  void link.flight.evidence.then(() => {
    clearTimeout(given);
    if (host.resumable.get(key) === link) host.resumable.delete(key);
    signal?.removeEventListener("abort", left);
  });
  if (error === undefined) link.exchange.client.stream?.end();
  else link.exchange.client.stream?.fail(error);
}

function passOn(host: FetchHost, { exchange, flight }: Resumable, event: SseEvent): void {
  for (const frame of framesIn(event.data)) {
    if (frame.method === "notifications/progress") flight.attempt.progressed();
    heardChange(host, frame);
    if (!isRequest(frame)) continue;
    waitFor(host.asked, sessionKey(exchange.request, frame.id), [flight]);
  }
  exchange.client.stream?.write(event.text);
}

/** The client answers a question of the server. */
export function questionAnswered(host: FetchHost, request: HttpRequest, frame: Frame): void {
  goOn(host.asked, sessionKey(request, frame.id));
}

/** The server keeps no streams, or not this one: nothing more will come of it. */
const NO_RESUMPTION = [400, 404, 405, 410];

/** The client asked for the rest of its answer, and there is none: it reads here what became of its call. */
function toldHere(host: FetchHost, { call, exchange, flight }: Resumable): Response {
  const stream = sseStream(new Response(null, { headers: { "content-type": "text/event-stream" } }));
  exchange.client.stream = stream;
  const known = call.outcome;
  flight.settle(silence("stream_ended"));
  if (known) tellAgain(host, call, known);
  return stream.response;
}

/** The client goes on reading a stream that broke off: the answer of its call comes here. */
export async function resumed(host: FetchHost, link: Resumable, request: HttpRequest): Promise<Response> {
  const { signal, release } = endingWith(host.closing, link.flight.request.signal);
  const key = sessionKey(request, new Headers(request.init.headers).get("last-event-id") ?? "");
  // Not this time; it may be asked for again.
  const later = (): void => void (link.flight.settled || host.resumable.set(key, link));
  const response = await host.fetch(request.url, { ...request.init, signal }).catch((error: unknown) => {
    release();
    later();
    throw error;
  });
  if (!response.ok || !isEventStream(response)) {
    release();
    if (NO_RESUMPTION.includes(response.status)) return toldHere(host, link);
    later();
    return response;
  }
  const stream = sseStream(response);
  link.exchange.client.stream = stream;
  link.exchange.delivery = deliveryOf(request.init);
  const client = request.init.signal;
  const left = (): void => stream.fail(client?.reason);
  client?.addEventListener("abort", left, { once: true });
  void listen(host, link, response, signal).finally(() => {
    release();
    client?.removeEventListener("abort", left);
  });
  return stream.response;
}
