/** The receiver's side. */
import { timingSafeEqual } from "node:crypto";
import type { WebhookEvent } from "./event.ts";
import { EVENT_KINDS } from "./kinds.ts";
import { secretBytes } from "./options.ts";
import { SIGNATURE_HEADER, signatureOf, TIMESTAMP_HEADER } from "./signature.ts";

export interface VerifyOptions {
  /** The secret of the sender; while you change it, both. */
  readonly secret: string | Uint8Array | readonly (string | Uint8Array)[];
  /** The headers of the request: those of `fetch`, or `request.headers` of Node. */
  readonly headers: Headers | Readonly<Record<string, string | string[] | undefined>>;
  /** The body exactly as it came. A body that was parsed and printed again has another signature. */
  readonly body: string | Uint8Array;
  /**
   * How old or early a post may be, in ms.
   * @default 300000
   * @example 60_000
   */
  readonly tolerance?: number;
  /**
   * For tests: ms since 1970.
   * @default Date.now()
   */
  readonly now?: number;
}

export type VerifyResult =
  | { readonly ok: true; readonly event: WebhookEvent }
  | { readonly ok: false; readonly because: "unsigned" | "stale" | "forged" | "malformed" };

/**
 * Tells whether a post is from your guard, and reads it. Compares in constant time. Answer what is not `ok` with 400.
 *
 * A post that somebody caught can be sent to you again within `tolerance`: keep `event.id` for that long and drop repeats,
 * as you do for the repeats of several workers.
 * @throws IndoubtError CONFIG_INVALID when the secret is missing or too short
 * @example
 * const checked = verifyWebhook({ secret, headers: request.headers, body });
 * if (checked.ok && !seen.has(checked.event.id)) await page(checked.event);
 */
export function verifyWebhook({ secret, headers, body, tolerance = 300_000, now }: VerifyOptions): VerifyResult {
  const secrets = (isList(secret) ? secret : [secret]).map(secretBytes);
  const timestamp = headerOf(headers, TIMESTAMP_HEADER);
  const signature = headerOf(headers, SIGNATURE_HEADER);
  if (timestamp === undefined || signature === undefined || !/^\d{1,12}$/.test(timestamp)) return no("unsigned");
  const matches = secrets.filter((each) => isSame(signature, signatureOf(each, timestamp, body)));
  if (matches.length === 0) return no("forged");
  if (Math.abs((now ?? Date.now()) - Number(timestamp) * 1000) > tolerance) return no("stale");
  const event = eventIn(body);
  return event ? { ok: true, event } : no("malformed");
}

type Refusal = Extract<VerifyResult, { ok: false }>;
const no = (because: Refusal["because"]): Refusal => ({ ok: false, because });

const isList = (secret: VerifyOptions["secret"]): secret is readonly (string | Uint8Array)[] => Array.isArray(secret);

function headerOf(headers: VerifyOptions["headers"], name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const found = Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1];
  return Array.isArray(found) ? found[0] : found;
}

function isSame(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.byteLength === right.byteLength && timingSafeEqual(left, right);
}

function eventIn(body: string | Uint8Array): WebhookEvent | undefined {
  try {
    const value = JSON.parse(typeof body === "string" ? body : Buffer.from(body).toString("utf8")) as WebhookEvent;
    return typeof value?.id === "string" && EVENT_KINDS.includes(value.kind) ? value : undefined;
  } catch {
    return undefined;
  }
}
