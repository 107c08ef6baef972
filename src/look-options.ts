/** The options of those who look at a destination: hooks and probes. */
import type { Duration } from "./core/duration.ts";
import type { JsonValue } from "./core/terms.ts";
import type { BaselineRule, Found } from "./probe/probe.ts";
import type { BaselineHook, ReconcileHook } from "./reconcile-api.ts";

/** Limits of a look, whoever looks. */
export interface LookLimits {
  /**
   * Time in which a lost write can still land.
   * @default the tool's
   * @example "30s"
   */
  readonly settle?: Duration | undefined;
  /**
   * How old the destination's answer to a read may be.
   * @default 60000
   * @example "5s"
   */
  readonly staleness?: Duration | undefined;
  /**
   * Absent looks in a row that make `not_applied`. 1 to 20.
   * @default 2
   * @example 3
   */
  readonly absentReads?: number | undefined;
  /**
   * Time between two absent looks that both count.
   * @default staleness
   * @example "10s"
   */
  readonly readGap?: Duration | undefined;
  /**
   * An observed absence lets us send again ourselves.
   * @default false
   * @example true
   */
  readonly resendWhenAbsent?: boolean | undefined;
  /**
   * Time for one look; a look that takes longer is unclear.
   * @default 10000
   * @example "3s"
   */
  readonly within?: Duration | undefined;
  /**
   * Looks before a person is asked. 1 to 1000.
   * @default 12
   * @example 20
   */
  readonly maxProbes?: number | undefined;
}

/** A hook with its limits. */
export interface ReconcileOptions extends LookLimits {
  /**
   * The hook itself.
   * @example async (intent, { call }) => …
   */
  readonly look: ReconcileHook;
  /**
   * Reads what is there before the first send, for a destination that shows no key: the hook gets it as `baseline`.
   * @default none
   * @example async (intent, { call }) => ({ count: 3 })
   */
  readonly baseline?: BaselineHook | undefined;
}

/**
 * A look without code: a read tool of the same server, and which part of its answer is the effect. Texts may hold
 * `{{key}}`, `{{arguments/order}}`, `{{baseline.watermark}}`, `{{baseline.count}}`, `{{intent.issuedAt}}`, `{{intent.age}}`,
 * `{{intent.attempts}}` and `{{intent.operation}}`, and nothing else.
 */
export interface ProbeOptions extends LookLimits {
  /**
   * A tool that is declared `effect: "read"`.
   * @example "find_invoice"
   */
  readonly tool: string;
  /**
   * What it is called with.
   * @default {}
   * @example { reference: "{{key}}" }
   */
  readonly arguments?: Readonly<Record<string, JsonValue>> | undefined;
  /**
   * Which part of the answer is the effect.
   * @example { at: "/structuredContent/invoices", where: { "/reference": "{{key}}" } }
   */
  readonly found: Found;
  /**
   * What to read before the first send, where the destination shows no key: how many match (`count`), or the highest
   * value of a number or date (`watermark`). The call then takes three round trips to the store.
   * @default none
   * @example { watermark: "/created_at" }
   */
  readonly baseline?: BaselineRule | undefined;
}
