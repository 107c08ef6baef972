/** The options of a tool and of rules on its arguments and answers. */
import type { Strictness } from "./core/baseline.ts";
import type { Contract, ContractInput, KeyPlace } from "./core/contract.ts";
import type { Duration } from "./core/duration.ts";
import type { JsonValue } from "./core/terms.ts";
import type { ProbeOptions, ReconcileOptions } from "./look-options.ts";
import type { PresetContractInput } from "./presets.ts";
import type { ReconcileHook } from "./reconcile-api.ts";

/** A JSON Pointer (RFC 6901): `/customer`, `/items/0/id`. */
export type Pointer = string;

/** What holds for a call. */
export interface CallPolicyOptions {
  /**
   * `read` is the operator's word that repeats are harmless: no record, repeated on anything transient.
   * @default "write"
   * @example "read"
   */
  readonly effect?: "read" | "write" | undefined;
  /**
   * The arguments that make the effect. Calls that agree in them are the same wanted effect, whatever else they say.
   * @default all arguments
   * @example ["/customer", "/order"]
   */
  readonly identityArgs?: readonly Pointer[] | undefined;
  /**
   * Arguments that do not make the effect, where `identityArgs` is not set.
   * @default none
   * @example ["/note"]
   */
  readonly volatileArgs?: readonly Pointer[] | undefined;
  /**
   * `per-call`: repeats are harmless, nothing is held or joined.
   * @default "guarded"
   * @example "per-call"
   */
  readonly identity?: "guarded" | "per-call" | undefined;
  /**
   * `tool`: while one call is in doubt, all calls of the tool in the same thread are held.
   * @default "arguments"
   * @example "tool"
   */
  readonly hold?: "arguments" | "tool" | undefined;
  /**
   * What an equal call is after the first one was delivered: a new write, or a recall for `repeatWindow`.
   * @default "new"
   * @example "recall"
   */
  readonly repeat?: "new" | "recall" | undefined;
  /**
   * With `repeat: "recall"`: for how long.
   * @default 600000
   * @example "10m"
   */
  readonly repeatWindow?: Duration | undefined;
  /**
   * The destination's documented promise to collapse repeats. The only ground for a resend without a look.
   * @default none
   * @example contract({ … })
   */
  readonly contract?: Contract | ContractInput | PresetContractInput | undefined;
  /**
   * Asks the destination whether the effect is there. Never writes.
   * @default none
   * @example async (intent, { call }) => …
   */
  readonly reconcile?: ReconcileHook | ReconcileOptions | ProbeOptions | undefined;
  /**
   * Where our key goes without a contract: a field that the destination keeps and shows again, so that a look can find
   * exactly this effect. A field of its own: what stands there is replaced.
   * @default none
   * @example { argument: "/reference" }
   */
  readonly marker?: KeyPlace | undefined;
  /**
   * Asks the hook after a success, too.
   * @default off
   * @example "after_success"
   */
  readonly verify?: "after_success" | undefined;
  /**
   * Time in which a lost write can still land. Declare it: without that, an absence counts only after an answer.
   * @default 60000, and no absence after silence is believed
   * @example "30s"
   */
  readonly settle?: Duration | undefined;
  /**
   * Time for a whole call of this tool.
   * @default the server's
   * @example "2m"
   */
  readonly deadline?: Duration | undefined;
  /**
   * How far progress may extend the deadline, and how long a person may take to answer a question of the server.
   * @default the guard's
   * @example "1h"
   */
  readonly maxDeadline?: Duration | undefined;
  /**
   * How long a task that the server made of a call may run, from the call on, before a person is asked to look. It is
   * asked for until then, and afterwards once a minute.
   * @default "1h"
   * @example "1d"
   */
  readonly taskFor?: Duration | undefined;
  /**
   * What a result with `isError` means, by its structured fields: `no_effect`, `retryable` or `uncertain`. Never by its
   * text.
   * @default []
   * @example [{ at: "/structuredContent/code", equals: "card_declined", means: "no_effect" }]
   */
  readonly toolErrors?: readonly ErrorRule[] | undefined;
  /**
   * The same for results that are no `isError` but say so inside.
   * @default []
   * @example [{ at: "/structuredContent/success", equals: false, means: "uncertain" }]
   */
  readonly resultErrors?: readonly ErrorRule[] | undefined;
  /**
   * Answers to a resend that mean: it is already there. They count only with an earlier attempt of ours on record.
   * @default []
   * @example [{ at: "/status", equals: 409, means: "applied" }]
   */
  readonly repeatAnswers?: readonly RepeatRule[] | undefined;
  /**
   * Fields of the result that must equal fields of the arguments; else the answer may belong to another call, and is
   * uncertain. Pointer in the result to pointer in the arguments.
   * @default {}
   * @example { "/structuredContent/order": "/order" }
   */
  readonly echo?: Readonly<Record<Pointer, Pointer>> | undefined;
  /**
   * Arguments that are not kept. Names such as `password` or `token` are masked without it.
   * @default []
   * @example ["/body"]
   */
  readonly redact?: readonly Pointer[] | undefined;
  /**
   * Whether the answer is kept for recalls.
   * @default true
   * @example false
   */
  readonly keepResult?: boolean | undefined;
  /**
   * Refuse arguments that do not fit the tool's current input schema.
   * @default true with a contract or hook
   * @example true
   */
  readonly validateArguments?: boolean | undefined;
  /**
   * Sends of one operation at most, an operator's order apart. 1 to 20.
   * @default 3
   * @example 2
   */
  readonly maxAttempts?: number | undefined;
  /**
   * An automatic ground for a send lapses this long after the intent was issued: nothing old is carried out late.
   * @default 900000
   * @example "1h"
   */
  readonly validFor?: Duration | undefined;
  /**
   * How long an outcome that nobody received answers equal calls.
   * @default 86400000
   * @example "1h"
   */
  readonly recallFor?: Duration | undefined;
  /**
   * How long a settled and delivered record is kept, at least `validFor` and the contract's window. Doubt is kept for
   * ever.
   * @default 2592000000
   * @example "90d"
   */
  readonly retention?: Duration | undefined;
  /**
   * What a call may do, in your words: shown to the person who approves it.
   * @default []
   * @example ["create invoices up to 500 EUR"]
   */
  readonly permissions?: readonly string[] | undefined;
  /**
   * The arguments that name what is changed: shown to the person who approves it.
   * @default identityArgs
   * @example ["/path"]
   */
  readonly target?: readonly Pointer[] | undefined;
}

/** What the operator declares of one tool. */
export interface ToolOptions extends CallPolicyOptions {
  /**
   * Whether the caller's own abort is told to the server. The outcome is uncertain either way.
   * @default "forward"
   * @example "withhold"
   */
  readonly cancel?: "forward" | "withhold" | undefined;
  /**
   * What counts as a departure of this tool's definition from the review.
   * @default the server's
   * @example "any"
   */
  readonly drift?: Strictness | undefined;
  /**
   * What holds otherwise for certain arguments. The first rule that fits counts; arguments that fit none, such as one
   * that is left out, have what the tool declares. So declare the worst case on the tool, the better ones in rules.
   * @default []
   * @example [{ match: { "/dry_run": true }, effect: "read" }]
   */
  readonly when?: readonly WhenRule[] | undefined;
}

/** A rule on arguments: what it declares takes the place of the tool's own declaration. */
export interface WhenRule extends CallPolicyOptions {
  /**
   * Arguments that must have exactly these values, all of them.
   * @example { "/mode": "overwrite" }
   */
  readonly match: Readonly<Record<Pointer, JsonValue>>;
}

/** A rule of `toolErrors` or `resultErrors`. The first rule that fits counts. */
export interface ErrorRule extends AnswerPattern {
  /**
   * What it means. `applied` only in `repeatAnswers`, and nothing else there.
   * @example "no_effect"
   */
  readonly means: "no_effect" | "retryable" | "uncertain";
}

/** A rule of `repeatAnswers`. "It is already there" is an answer to a resend only. */
export interface RepeatRule extends AnswerPattern {
  readonly means: "applied";
}

/** A field of an answer and the value that makes a rule fit. */
export interface AnswerPattern {
  /**
   * Where to look: in the result, in `{ code, data }` of a JSON-RPC error, or in `{ status }` of an HTTP answer.
   * @example "/structuredContent/code"
   */
  readonly at: Pointer;
  /**
   * The value that must stand there.
   * @example "card_declined"
   */
  readonly equals: JsonValue;
}
