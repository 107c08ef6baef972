/** The guard at the level of `fetch`, for HTTP transports. */
import { randomUUID } from "node:crypto";
import type { GuardedCalls, ToolDefinition } from "../../src/entries/wire.ts";
import { abandon } from "./call.ts";
import { type FetchHost, guardedPost, questionAnswered, resumed, sessionKey } from "./fetch-call.ts";
import { observe } from "./fetch-observe.ts";
import {
  type Fetch,
  framesIn,
  type HttpRequest,
  isEventStream,
  isJson,
  maySendTwice,
  readRequest,
} from "./fetch-request.ts";
import { overhearing } from "./fetch-sse.ts";
import type { Flight } from "./flight.ts";
import { type Frame, isAnswer, isFrame, isObject, isRequest, isToolCall } from "./frames.ts";
import { type AskedPage, askedPage, heardChange, pageOf } from "./lists.ts";
import { wireScope } from "./scope.ts";
import { askedTask, taskAnswered } from "./task-watch.ts";

export interface GuardFetchOptions {
  /** The name of the server in the guard's configuration. */
  readonly server: string;
  /**
   * The fetch that sends. It may retry by itself, so with one of your own a refused connection is doubt, not "not sent".
   * @default globalThis.fetch
   * @example undiciFetchWithProxy
   */
  readonly fetch?: Fetch;
  /**
   * Time for a call whose context names no deadline, in ms. Keep it below the client's own request timer.
   * @default the guard's own deadline
   * @example 30_000
   */
  readonly deadline?: number;
}

/**
 * A `fetch` for an MCP client's HTTP transport.
 *
 * Under a guarded transport it makes the tap exact: HTTP status, challenge and Retry-After, the end of the answer
 * stream at once, header keys in SDK v1, one request per attempt (re-posts below us pass only after a refusal that
 * proves that the request before was not accepted; without it a 401 is doubt, so put it below every OAuth provider), and answers that come after `client.close()`.
 *
 * Alone it is the whole guard, for frameworks that build their own client: calls are recorded, held, recalled and
 * answered here, also inside an open event stream. A batch that contains `tools/call` is refused. Everything that is no
 * tool call passes untouched. For Streamable HTTP only: under the older HTTP+SSE transport answers come elsewhere, so put
 * the tap above it.
 *
 * @returns a function with the signature of `fetch`
 * @throws (the returned function) IndoubtError when the guard itself fails, e.g. STORE_UNAVAILABLE: nothing was sent
 * @example
 * new StreamableHTTPClientTransport(url, { fetch: guardFetch(guard, { server: "billing.acme" }) });
 */
export function guardFetch(guard: GuardedCalls, options: GuardFetchOptions): Fetch {
  const host = createHost(guard, options);
  return async (input, init) => {
    const request = await readRequest(input, init);
    const scope = wireScope.getStore();
    const sending = scope?.flight?.frame ?? scope?.sending;
    const ours = sending !== undefined && isSame(sending, request) && sameOrigin(scope?.flight, request);
    if (!scope || !ours) return route(host, request);
    scope.tap.fetchSeen = true;
    return scope.flight ? observe(scope.flight, request, host) : host.fetch(...request.original);
  };
}

/** Whether the body is this message, also when something between wrote it anew. */
function isSame(sending: unknown, { body, message }: HttpRequest): boolean {
  const text = JSON.stringify(sending);
  return text === body || text === JSON.stringify(message);
}

/** Another server may be asked the very same inside a handler; it is not this attempt's. */
const sameOrigin = (flight: Flight | undefined, { url }: HttpRequest): boolean =>
  flight?.http.url === undefined || new URL(flight.http.url).origin === new URL(url).origin;

function createHost(guard: GuardedCalls, options: GuardFetchOptions): FetchHost {
  const session = randomUUID().slice(0, 8);
  let minted = 0;
  return {
    guard,
    server: options.server,
    deadline: options.deadline,
    fetch: options.fetch ?? globalThis.fetch,
    ownFetch: options.fetch !== undefined && maySendTwice(options.fetch),
    closing: guard.closing,
    paused: new Set(),
    tasks: new Map(),
    waiting: new Map(),
    asked: new Map(),
    resumable: new Map(),
    canSetHeaders: () => true,
    freshId: () => `indoubt-${session}-${++minted}`,
  };
}

function route(host: FetchHost, request: HttpRequest): Promise<Response> {
  const { message } = request;
  const pass = (): Promise<Response> =>
    host.fetch(...request.original).then((response) => overheardStream(response, (frame) => heardChange(host, frame)));
  if (Array.isArray(message) && message.some(isToolCall)) return Promise.resolve(refuseBatch(message));
  if (isToolCall(message)) return guardedPost(host, request, message);
  if (request.method === "GET") return resumeOr(host, request, pass);
  if (!isFrame(message)) return pass();
  if (message.method === "notifications/cancelled") return cancelled(host, request, message, pass);
  if (isAnswer(message)) questionAnswered(host, request, message);
  const task = isRequest(message) ? askedTask(host, message) : undefined;
  if (task) return pass().then((response) => overheard(response, (frame) => taskAnswered(host, task, frame)));
  if (message.method === "tools/list" && isRequest(message)) {
    const asked = askedPage(host, message);
    return pass().then((response) => listed(host, request, asked, response));
  }
  return pass();
}

function refuseBatch(batch: unknown[]): Response {
  const message = "A batch that contains tools/call is not sent. Send each call as a message of its own.";
  const errors = batch.filter(isRequest).map(({ id }) => ({ jsonrpc: "2.0", id, error: { code: -32600, message } }));
  return new Response(JSON.stringify(errors), { status: 200, headers: { "content-type": "application/json" } });
}

function resumeOr(host: FetchHost, request: HttpRequest, pass: () => Promise<Response>): Promise<Response> {
  const lastEvent = new Headers(request.init.headers).get("last-event-id");
  const key = lastEvent === null ? undefined : sessionKey(request, lastEvent);
  const link = key === undefined ? undefined : host.resumable.get(key);
  if (!link || key === undefined) return pass();
  host.resumable.delete(key);
  return resumed(host, link, request);
}

/** Passed on only where the policy forwards it and the caller itself left; clients that count alike are not told apart. */
function cancelled(
  host: FetchHost,
  request: HttpRequest,
  frame: Frame,
  pass: () => Promise<Response>,
): Promise<Response> {
  const calls = [...(host.waiting.get(sessionKey(request, frame.params?.requestId)) ?? [])];
  if (calls.length === 0) return pass();
  const swallowed = Promise.resolve(new Response(null, { status: 202 }));
  const [call] = calls;
  if (calls.length > 1 || !call) return swallowed;
  const open = call.flights.some(({ settled }) => !settled);
  const forward = host.guard.wirePolicy(host.server, call.first.params.name).cancel === "forward";
  abandon(call);
  return open && forward && call.signal?.aborted ? pass() : swallowed;
}

/** Looks at a tool list in passing. */
function listed(host: FetchHost, { url }: HttpRequest, asked: AskedPage, response: Response): Response {
  if (!response.ok) return response;
  return overheard(response, ({ result }) => {
    if (!isObject(result) || !Array.isArray(result.tools)) return;
    const named = result.tools.filter((tool) => isObject(tool) && typeof tool.name === "string");
    const page = pageOf(asked, result, { identity: { url } });
    host.guard.toolsSeen(host.server, named as unknown as ToolDefinition[], page);
  });
}

/** Reads along in a stream that passes. */
function overheardStream(response: Response, hear: (frame: Frame) => void): Response {
  if (!response.ok || !response.body || !isEventStream(response)) return response;
  return new Response(
    overhearing(response.body, ({ data }) => framesIn(data).forEach(hear)),
    response,
  );
}

/** Reads along in a response that passes: frames that are no requests. */
function overheard(response: Response, hear: (frame: Frame) => void): Response {
  const see = (text: string): void => framesIn(text).filter(isAnswer).forEach(hear);
  if (isEventStream(response)) return overheardStream(response, (frame) => void (isAnswer(frame) && hear(frame)));
  if (response.ok && isJson(response))
    void response
      .clone()
      .text()
      .then(see, () => {});
  return response;
}
