/** A probe that asks over HTTP, with credentials of its own. */
import {
  type BaselineRule,
  type Found,
  IndoubtError,
  type JsonObject,
  type JsonValue,
  probe,
  type ReconcileOptions,
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
  const look = probe({ request, found: rules, baseline }, async ({ path, query: asked }, { signal }) => {
    const target = parts.fill(path as JsonValue[]);
    for (const [name, value] of Object.entries(asked as JsonObject)) target.searchParams.set(name, textOf(value));
    const given = typeof headers === "function" ? headers() : headers;
    const init = { headers: { accept: "application/json", ...given }, redirect: "error" as const, signal };
    const response = await (fetch ?? globalThis.fetch)(target, init);
    if (absentStatuses.includes(response.status)) return { indoubt: ABSENT };
    if (!response.ok) throw new Error(`the probe got HTTP ${response.status}`);
    return (await response.json()) as JsonValue;
  });
  return { ...limits, look, ...(look.before && { baseline: look.before }) };
}

const textOf = (value: JsonValue | undefined): string =>
  typeof value === "string" ? value : JSON.stringify(value ?? null);

/** The places of a path, each filled in on its own, so that a slash in a value opens no other path. */
function pathParts(url: string): { readonly places: readonly string[]; fill(values: readonly JsonValue[]): URL } {
  const pieces = url.split(/(\{\{[^{}]*\}\})/);
  const fill = (values: readonly JsonValue[]): URL => {
    let next = 0;
    const filled = pieces.map((piece, index) => (index % 2 === 1 ? encodeURIComponent(textOf(values[next++])) : piece));
    return new URL(filled.join(""));
  };
  const places = pieces.filter((_piece, index) => index % 2 === 1);
  const origin = pieces[0] ?? "";
  if (!/^https?:\/\/[^/{}]+/.test(origin) || !URL.canParse(url.replaceAll(/[{}]/g, "x"))) {
    const cure = "Write an http:// or https:// address whose host has no place to fill in.";
    throw new IndoubtError("CONFIG_INVALID", `httpProbe: url is no address that a probe may ask. ${cure}`);
  }
  return { places, fill };
}
