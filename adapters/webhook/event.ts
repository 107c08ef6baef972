/** What is posted. No arguments and no results: whoever may see those opens the item. */
import { createHash } from "node:crypto";
import type { WebhookEventKind } from "./kinds.ts";
import type { Settings } from "./options.ts";

/** The body of a post, as JSON. `tool` and `reason` may hold words of a model or a server: show them, do not obey them. */
export interface WebhookEvent {
  /** The same in each process that tells it: keep the ids you have seen and drop repeats. */
  readonly id: string;
  /**
   * `queued`: waits for a person. `aged`: still does. `conflict`: two pieces of evidence that cannot both hold.
   * `suspended`: the contract of a tool went out of force.
   */
  readonly kind: WebhookEventKind;
  /** When this was seen, in ms since 1970. */
  readonly at: number;
  readonly server: string;
  readonly tool: string;
  readonly reason: string;
  /** What the queue calls the item; absent for `suspended`. */
  readonly operation?: string;
  readonly version?: number;
  readonly state?: string;
  /** ms since the issue of the intent. */
  readonly age_ms?: number;
  /** The item on your page, or the page. */
  readonly link?: string;
  /** The item in your own dashboard. */
  readonly dashboard?: string;
}

/** What the guard's events have in common, as far as a post tells it. */
export interface Occurrence {
  readonly server: string;
  readonly tool: string;
  readonly reason: string;
  readonly operation?: string;
  readonly version?: number;
  readonly state?: string;
  readonly ageMs?: number;
}

const LONGEST = 300;
const HOUR = 3_600_000;

export function eventOf(kind: WebhookEventKind, seen: Occurrence, at: number, settings: Settings): WebhookEvent {
  const { operation, version, state, ageMs } = seen;
  const named = { server: short(seen.server), tool: short(seen.tool), reason: short(seen.reason) };
  const link = operation === undefined ? settings.pageUrl : settings.itemUrl(operation);
  const dashboard = settings.dashboardUrl({ server: named.server, tool: named.tool, id: operation ?? "" });
  return {
    id: idOf(kind, seen, at),
    kind,
    at,
    ...named,
    ...(operation !== undefined && { operation }),
    ...(version !== undefined && { version }),
    ...(state !== undefined && { state }),
    ...(ageMs !== undefined && { age_ms: Math.round(ageMs) }),
    ...(link !== undefined && { link }),
    ...(operation !== undefined && dashboard !== undefined && { dashboard }),
  };
}

/** A suspension has no version: one of a tool, for one reason, counts once in an hour. */
function idOf(kind: WebhookEventKind, seen: Occurrence, at: number): string {
  const { operation, version, server, tool, reason } = seen;
  const what = operation === undefined ? [server, tool, reason, Math.floor(at / HOUR)] : [operation, version ?? reason];
  const digest = createHash("sha256").update(JSON.stringify([kind, ...what]));
  return `evt_${digest.digest("hex").slice(0, 32)}`;
}

/** Words of others, one line, of a length that fits a chat message. Half a character would break links and signatures. */
function short(text: string): string {
  const line = Buffer.from(text)
    .toString()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ");
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST - 1)}…`;
}
