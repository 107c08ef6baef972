/** A probe that asks over HTTP, with credentials of its own. */

import { type BaselineRule, type Found, type Probe, probe } from "../../../src/entries/probe.ts";
import {
  IndoubtError,
  type JsonObject,
  type JsonValue,
  type Observation,
  type ReconcileOptions,
  unclear,
} from "../../../src/index.ts";

export interface HttpProbeOptions extends Omit<ReconcileOptions, "look" | "baseline"> {
  /**
   * Where to ask, with places to fill in; what is filled in is encoded, so that it stays one part of the path.
   * @example "https://api.billing.example/invoices"
   */
  readonly url: string;
  /**
   * Query parameters, with places to fill in.
   * @default {}
   * @example { reference: "{{key}}" }
   */
  readonly query?: Readonly<Record<string, string>> | undefined;
  /**
   * Headers, such as the probe's own credentials. A function is asked before each look.
   * @default {}
   * @example () => ({ authorization: `Bearer ${readOnlyToken()}` })
   */
  readonly headers?: Readonly<Record<string, string>> | (() => Readonly<Record<string, string>>) | undefined;
  /**
   * Statuses that mean: it is not there. Any other error makes the look unclear.
   * @default []
   * @example [404]
   */
  readonly absentStatuses?: readonly number[] | undefined;
  /**
   * Which part of the answer's JSON is the effect.
   * @example { at: "/data", where: { "/reference": "{{key}}" }, ref: "/id" }
   */
  readonly found: Found;
  /**
   * What to read before the first send, where an item shows no key.
   * @default none
   * @example "count"
   */
  readonly baseline?: BaselineRule | undefined;
  /**
   * @default globalThis.fetch
   * @example undiciFetchWithProxy
   */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** Stands for "not there" in an answer: no destination sends it. */
const ABSENT = "indoubt: the status says that it is absent";

/**
 * A look over HTTP (GET).
 *
 * @throws IndoubtError CONFIG_INVALID when the url is none
 * @example
 * reconcile: httpProbe({
 *   url: "https://api.billing.example/invoices",
 *   query: { reference: "{{key}}" },
 *   headers: () => ({ authorization: `Bearer ${process.env.BILLING_READ_TOKEN}` }),
 *   found: { at: "/data", where: { "/reference": "{{key}}" }, ref: "/id" },
 *   settle: "30s",
 * })
 */
export function httpProbe(options: HttpProbeOptions): ReconcileOptions {
  const { url, query = {}, headers = {}, absentStatuses = [], found, baseline, fetch, ...limits } = options;
  const parts = pathParts(url);
  const request: JsonObject = { path: [...parts.places], query: { ...query } };
  const absence = { at: "/indoubt", equals: ABSENT };
  const rules = { ...found, absentWhen: [...(found.absentWhen ?? []), absence] };
  const cut = new WeakSet<AbortSignal>();
  const ask = probe({ request, found: rules, baseline }, async ({ path, query: asked }, { signal }) => {
    const target = parts.fill(path as JsonValue[]);
    for (const [name, value] of Object.entries(asked as JsonObject)) target.searchParams.set(name, textOf(value));
    const given = typeof headers === "function" ? headers() : headers;
    const init = { headers: { accept: "application/json", ...given }, redirect: "error" as const, signal };
    const response = await (fetch ?? globalThis.fetch)(target, init);
    if (absentStatuses.includes(response.status)) return { indoubt: ABSENT };
    if (!response.ok) throw new Error(`the probe got HTTP ${response.status}`);
    if (NEXT_PAGE.test(response.headers.get("link") ?? "")) cut.add(signal);
    return (await response.json()) as JsonValue;
  });
  return { ...limits, ...wholeOnly(ask, cut) };
}

/** Web Linking (RFC 8288): there is more than this answer. */
const NEXT_PAGE = /;\s*rel\s*=\s*(?:"[^"]*\bnext\b[^"]*"|next\b)/i;

/** What is not on one page of several is not absent, and pages cannot be counted one by one. */
function wholeOnly(ask: Probe, cut: WeakSet<AbortSignal>): Pick<ReconcileOptions, "look" | "baseline"> {
  const isSure = ({ kind, ...seen }: Observation) =>
    kind === "applied" && !("attributed" in seen && seen.attributed === false);
  const look: Probe = Object.assign(
    async (...given: Parameters<Probe>): Promise<Observation> => {
      const seen = await ask(...given);
      return cut.has(given[1].signal) && !isSure(seen) ? unclear("the answer has more pages (Link: rel=next)") : seen;
    },
    { ...ask },
  );
  const { before } = ask;
  if (!before) return { look };
  const baseline: typeof before = async (intent, tools) => {
    const read = await before(intent, tools);
    if (cut.has(tools.signal)) throw new Error("the answer has more pages (Link: rel=next)");
    return read;
  };
  return { look: Object.assign(look, { before: baseline }), baseline };
}

const textOf = (value: JsonValue | undefined): string =>
  typeof value === "string" ? value : JSON.stringify(value ?? null);

const ELSEWHERE = "a value would lead the address to another place";

/** Nothing at all, like a dot, is no part of a path: it would ask for the whole list, or for the folder above. */
function encodedPart(value: JsonValue | undefined): string {
  const text = textOf(value);
  if (text === "") throw new Error(ELSEWHERE);
  return encodeURIComponent(text);
}

/** The places of a path, each filled in on its own, so that a slash in a value opens no other path. */
function pathParts(url: string): { readonly places: readonly string[]; fill(values: readonly JsonValue[]): URL } {
  const pieces = url.split(/(\{\{[^{}]*\}\})/);
  const fill = (values: readonly JsonValue[]): URL => {
    let next = 0;
    const filled = pieces.map((piece, index) => (index % 2 === 1 ? encodedPart(values[next++]) : piece)).join("");
    const [path = ""] = filled.slice(origin.length).split(/[?#]/, 1);
    if (path.split("/").some((step) => /^(?:\.|%2e){1,2}$/i.test(step))) throw new Error(ELSEWHERE);
    return new URL(filled);
  };
  const places = pieces.filter((_piece, index) => index % 2 === 1);
  const origin = /^https?:\/\/[^/?#{}\\]+(?=[/?#]|$)/.exec(url)?.[0] ?? "";
  if (origin === "" || !URL.canParse(url.replaceAll(/[{}]/g, "x"))) {
    const cure = "Write an http:// or https:// address whose host has no place to fill in.";
    throw new IndoubtError("CONFIG_INVALID", `httpProbe: url is no address that a probe may ask. ${cure}`);
  }
  return { places, fill };
}
