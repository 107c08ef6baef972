/** A request to `fetch`, as far as the guard has to understand it. */
import { type Frame, isFrame } from "./frames.ts";

export interface HttpRequest {
  readonly url: string;
  readonly init: RequestInit;
  readonly method: string;
  /** The body of a POST, where it is text. */
  readonly body?: string;
  /** The body as JSON: one message, or a batch. */
  readonly message?: unknown;
}

export type Fetch = typeof globalThis.fetch;
type Input = Parameters<Fetch>[0];

export async function readRequest(input: Input, init: RequestInit = {}): Promise<HttpRequest> {
  if (!(input instanceof Request)) return requestOf(String(input), init, init.body);
  const body = init.body ?? (input.body ? await input.clone().text() : undefined);
  const { method, headers, signal, redirect } = input;
  return requestOf(input.url, { method, headers, signal, redirect, ...init, ...(body != null && { body }) }, body);
}

function requestOf(url: string, init: RequestInit, body: unknown): HttpRequest {
  const method = (init.method ?? "GET").toUpperCase();
  if (method !== "POST" || typeof body !== "string") return { url, init, method };
  return { url, init, method, body, message: parsed(body) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
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

export const isEventStream = (response: Response): boolean => mediaType(response) === "text/event-stream";
export const isJson = (response: Response): boolean => mediaType(response) === "application/json";

const mediaType = (response: Response): string =>
  (response.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
