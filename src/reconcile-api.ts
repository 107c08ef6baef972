/** What a reconcile hook gets and may answer. */
import type { Instant, JsonObject, JsonValue, Observation, PartialItem } from "./core/terms.ts";

/** What is on record about the operation in doubt. */
export interface Intent {
  readonly operation: string;
  /** The key that was (or would be) given to the destination; correlate by it where it was placed. */
  readonly key: string;
  readonly server: string;
  readonly tool: string;
  /**
   * The stored copy of the arguments, redacted by the tool's rules; identity arguments are always there. Once a masked
   * or cut value was read, `absent` counts as `unclear`.
   */
  readonly arguments: JsonObject;
  /** Store time of the issue, in ms since 1970: "the newest one" is no match, "newer than this" helps. */
  readonly issuedAt: Instant;
  /** ms since the issue, by the store's clock. */
  readonly age: number;
  readonly attempts: number;
}

export interface LookTools {
  /**
   * Calls a tool of the same server that the operator declared `effect: "read"`; any other is refused. Returns the raw
   * result. An `isError` result throws, which makes the look unclear, unless `toolErrors` is "return": then look at
   * `isError` yourself before you call anything absent.
   */
  call(tool: string, args?: CallArguments, options?: CallOptions): Promise<JsonObject>;
  /** Aborts when the look takes longer than its time limit. */
  readonly signal: AbortSignal;
  /** What was there before the first send, where `baseline` is declared and could be read. */
  readonly baseline?: Baseline | undefined;
}

/** What a destination without our key is compared with: "newer than this" is a match, "the newest" is none. */
export interface Baseline {
  /** How many items matched before the send. */
  readonly count?: number;
  /** The highest value of a field before the send: a number or a date; null: there was nothing. */
  readonly watermark?: JsonValue;
}

/** Reads what is there before the first send. A throw leaves the operation without a baseline. */
export type BaselineHook = (intent: Intent, tools: LookTools) => Baseline | Promise<Baseline>;

/** Fields that are undefined are left out. */
export type CallArguments = { readonly [name: string]: JsonValue | undefined };

export interface CallOptions {
  /** @default "throw" */
  readonly toolErrors?: "throw" | "return";
}

/**
 * Asks the destination, never writes. A throw, a hang or a malformed answer is `unclear`.
 * @example
 * reconcile: async (intent, { call }) => {
 *   const { structuredContent } = await call("find_invoice", { order: intent.arguments.order });
 *   const found = structuredContent.invoices.find((invoice) => invoice.order === intent.arguments.order);
 *   return found ? applied({ ref: found.id }) : absent();
 * }
 */
export type ReconcileHook = (intent: Intent, tools: LookTools) => Observation | Promise<Observation>;

/** The effect is there. `ref`: the destination's reference. `count` over 1 is a conflict. `attributed: false`: cause unknown. */
export const applied = (found: Omit<Extract<Observation, { kind: "applied" }>, "kind"> = {}): Observation => ({
  kind: "applied",
  ...found,
});
/** The read was complete and the effect is not there. Counts only after quiescence and staleness. */
export const absent = (): Observation => ({ kind: "absent" });
export const partial = (found: { readonly items: readonly PartialItem[] }): Observation => ({
  kind: "partial",
  ...found,
});
/** The read said nothing certain. The default for everything that goes wrong. */
export const unclear = (reason: string): Observation => ({ kind: "unclear", reason });
