/** What an HTTP response that is no success says, as evidence has it. */
import type { WireEvidence } from "./core/terms.ts";

export type HttpFacts = Omit<Extract<WireEvidence, { kind: "http_status" }>, "kind">;

/** `headers` may be missing in a response that is not of `fetch` itself. */
interface Refusal {
  readonly status: number;
  readonly headers?: { get(name: string): string | null };
}

/** @example httpFacts(new Response(null, { status: 429, headers: { "retry-after": "2" } })) // { status: 429, retryAfter: 2000 } */
export function httpFacts({ status, headers }: Refusal): HttpFacts {
  const challenge = headers?.get("www-authenticate") ?? null;
  const retryAfter = retryAfterOf(headers?.get("retry-after") ?? null);
  return {
    status,
    ...(challenge !== null && { challenge: true }),
    ...(challenge !== null && /error="?insufficient_scope/i.test(challenge) && { insufficientScope: true }),
    ...(retryAfter !== undefined && { retryAfter }),
  };
}

/** Seconds or a date, in ms from now. */
function retryAfterOf(value: string | null): number | undefined {
  if (value === null) return undefined;
  const seconds = Number(value);
  const wait = Number.isNaN(seconds) ? Date.parse(value) - Date.now() : seconds * 1000;
  return Number.isNaN(wait) ? undefined : Math.max(0, Math.round(wait));
}
