/** A request to `fetch`, as far as the guard has to understand it. */
import { parseExact } from "./exact.ts";
import { type Frame, isFrame } from "./frames.ts";

export interface HttpRequest {
  readonly url: string;
  readonly init: RequestInit;
  readonly method: string;
  /** For requests that pass: exactly what came, unless its body had to be read. */
  readonly original: Readonly<Parameters<Fetch>>;
  /** The body of a POST, where it is text. */
  readonly body?: string;
  /** The body as JSON: one message, or a batch. */
  readonly message?: unknown;
}

export type Fetch = typeof globalThis.fetch;
type Input = Parameters<Fetch>[0];

export async function readRequest(input: Input, init: RequestInit = {}): Promise<HttpRequest> {
  const given = input instanceof Request ? { ...fieldsOf(input), ...init } : init;
  const url = input instanceof Request ? input.url : String(input);
  const method = (given.method ?? "GET").toUpperCase();
  const untouched = { url, init: given, method, original: [input, init] } as const;
  if (method !== "POST" || given.body == null || !mayBeJson(given)) return untouched;
  if (typeof init.body === "string") return { ...untouched, body: init.body, message: parsed(init.body) };
  const body = await new Response(given.body).text();
  const read = { ...given, body };
  return { url, init: read, method, original: [url, read], body, message: parsed(body) };
}

const fieldsOf = ({ method, headers, body, signal, redirect }: Request): RequestInit => ({
  method,
  headers,
  body,
  signal,
  redirect,
});

/** Forms and files are nobody's tool call; text may be, whatever it says it is. */
function mayBeJson({ body, headers }: RequestInit): boolean {
  if (body instanceof URLSearchParams || body instanceof FormData) return false;
  return /^$|json|text/.test(new Headers(headers).get("content-type") ?? "");
}

function parsed(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}

/** The frames in a JSON body or in the data of an event: one, or a batch. */
export function framesIn(text: string): readonly Frame[] {
  const value = parsed(text);
  return (Array.isArray(value) ? value : [value]).filter(isFrame);
}

export function withHeaders(init: RequestInit, headers: Readonly<Record<string, string>> | undefined): RequestInit {
  if (!headers) return init;
  const all = new Headers(init.headers);
  for (const [name, value] of Object.entries(headers)) all.set(name, value);
  return { ...init, headers: all };
}

/** What the caller awaits ends with its signal; what is behind it goes on. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal | null | undefined): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const aborted = (): void => reject(signal.reason);
    if (signal.aborted) aborted();
    signal.addEventListener("abort", aborted, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", aborted));
  });
}

const DELIVERY = Symbol("indoubt.delivery");

/**
 * For relays: the response to this request counts as handed over when the promise says so, not when `fetch` resolves.
 * @param written asked once, when the reply is on its way: was it written before the host left?
 */
export const deliveredWhen = (init: RequestInit, written: () => Promise<boolean>): RequestInit =>
  Object.assign(init, { [DELIVERY]: written });

export const deliveryOf = (init: RequestInit): (() => Promise<boolean>) | undefined =>
  Reflect.get(init, DELIVERY) as (() => Promise<boolean>) | undefined;

const ONCE = new WeakSet<Fetch>();

/** The word of a relay that its own fetch is one request each time: then a refused connection proves that nothing was sent. */
export function sendsOnce(fetch: Fetch): Fetch {
  ONCE.add(fetch);
  return fetch;
}

export const maySendTwice = (fetch: Fetch): boolean => fetch !== globalThis.fetch && !ONCE.has(fetch);

export const isEventStream = (response: Response): boolean => mediaType(response) === "text/event-stream";
export const isJson = (response: Response): boolean => mediaType(response) === "application/json";

const mediaType = (response: Response): string =>
  (response.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
