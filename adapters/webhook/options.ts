/** The options of a webhook, checked when it is made: a typo must not be found out when somebody should have been told. */

import { type ItemLinkFacts, itemLink, itemLinkProblem } from "../../src/entries/queue.ts";
import { IndoubtError } from "../../src/index.ts";
import { EVENT_KINDS, type WebhookEventKind } from "./kinds.ts";

export interface WebhookOptions {
  /**
   * Where the posts go, `https:` or `http:`. Redirects are not followed.
   * @example "https://ops.acme.example/hooks/indoubt"
   */
  readonly url: string;
  /**
   * Signs each post: 16 bytes or more, shared with the receiver.
   * @example process.env.INDOUBT_WEBHOOK_SECRET
   */
  readonly secret: string | Uint8Array;
  /**
   * @default ["queued", "aged", "conflict", "suspended"]
   * @example ["queued", "conflict"]
   */
  readonly events?: readonly WebhookEventKind[];
  /**
   * Where your people reach `indoubt page`; posts link to the item there.
   * @default no link
   * @example "https://queue.acme.example"
   */
  readonly pageUrl?: string;
  /**
   * A link to a dashboard of your own, as for the page. `{id}`, `{server}` and `{tool}` are filled in; with `{key}` or
   * `{ref}`, which a post does not know, there is no such link.
   * @default no link
   * @example "https://grafana.acme.example/d/ops?var-operation={id}"
   */
  readonly urlTemplate?: string;
  /**
   * How often a post is sent again before it is given up; the pauses double from 1 s to 60 s.
   * @default 8
   * @example 3
   */
  readonly retries?: number;
  /**
   * Time for one post, in ms.
   * @default 10000
   * @example 3_000
   */
  readonly timeout?: number;
  /**
   * Posts that may wait in memory; what comes on top is dropped, with a `warning`.
   * @default 1000
   * @example 100
   */
  readonly backlog?: number;
  /**
   * What sends, for instance through a proxy.
   * @default globalThis.fetch
   * @example undiciFetchWithProxy
   */
  readonly fetch?: typeof globalThis.fetch;
}

/** The options with their defaults. */
export interface Settings {
  readonly url: string;
  /** For warnings: paths of webhooks are often secrets. */
  readonly origin: string;
  readonly secret: Uint8Array;
  readonly events: readonly WebhookEventKind[];
  readonly pageUrl: string | undefined;
  readonly retries: number;
  readonly timeout: number;
  readonly backlog: number;
  readonly fetch: typeof globalThis.fetch;
  itemUrl(operation: string): string | undefined;
  dashboardUrl(facts: ItemLinkFacts): string | undefined;
}

const KNOWN = [
  "url",
  "secret",
  "events",
  "pageUrl",
  "urlTemplate",
  "retries",
  "timeout",
  "backlog",
  "fetch",
] satisfies (keyof WebhookOptions)[];

/** @throws IndoubtError CONFIG_INVALID */
export function readOptions(options: WebhookOptions): Settings {
  const unknown = Object.keys(options).find((name) => !(KNOWN as string[]).includes(name));
  if (unknown !== undefined) throw invalid(unknown, `no such option. webhook() takes ${KNOWN.join(", ")}.`);
  const url = webUrl("url", options.url);
  const { pageUrl, urlTemplate } = options;
  const page = pageUrl === undefined ? undefined : webUrl("pageUrl", pageUrl).href.replace(/\/+$/, "");
  const problem = urlTemplate === undefined ? undefined : itemLinkProblem(urlTemplate);
  if (problem !== undefined) throw invalid("urlTemplate", `${problem}.`);
  return {
    url: url.href,
    origin: url.origin,
    secret: secretBytes(options.secret),
    events: kinds(options.events),
    pageUrl: page,
    retries: whole("retries", options.retries, 8, 0),
    timeout: whole("timeout", options.timeout, 10_000, 1),
    backlog: whole("backlog", options.backlog, 1000, 1),
    fetch: options.fetch ?? globalThis.fetch,
    itemUrl: (operation) => (page === undefined ? undefined : `${page}/items/${encodeURIComponent(operation)}`),
    dashboardUrl: (facts) => (urlTemplate === undefined ? undefined : itemLink(urlTemplate, facts)),
  };
}

const invalid = (path: string, problem: string): IndoubtError =>
  new IndoubtError("CONFIG_INVALID", `webhook.${path}: ${problem}`);

function webUrl(path: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "https:" && url?.protocol !== "http:") {
    throw invalid(path, 'not a web address. Give one like "https://ops.acme.example/hooks/indoubt".');
  }
  if (url.username !== "" || url.password !== "") {
    throw invalid(
      path,
      "holds a user name or password. Take it out: posts are signed, so the receiver knows the sender.",
    );
  }
  return url;
}

/** @throws IndoubtError CONFIG_INVALID when it is too short to sign with */
export function secretBytes(secret: string | Uint8Array): Uint8Array {
  const bytes = typeof secret === "string" ? Buffer.from(secret) : secret;
  if (bytes instanceof Uint8Array && bytes.byteLength >= 16) return bytes;
  throw invalid(
    "secret",
    "missing or too short. Use at least 16 bytes, better 32 random ones, e.g. from an environment variable.",
  );
}

function kinds(events: readonly WebhookEventKind[] = EVENT_KINDS): readonly WebhookEventKind[] {
  const unknown = events.find((kind) => !EVENT_KINDS.includes(kind));
  if (unknown !== undefined) throw invalid("events", `"${unknown}" is not one of ${EVENT_KINDS.join(", ")}.`);
  if (events.length === 0)
    throw invalid("events", "empty: nothing would ever be posted. Leave it out for all of them.");
  return events;
}

function whole(path: string, value: number | undefined, otherwise: number, least: number): number {
  const number = value ?? otherwise;
  if (Number.isSafeInteger(number) && number >= least) return number;
  throw invalid(path, `${String(value)}. Give a whole number, at least ${least}.`);
}
