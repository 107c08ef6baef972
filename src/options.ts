/**
 * The options of a guard, as users write and editors show them. src/config.ts parses them and refuses everything else;
 * test/types/options.test.ts proves that the two agree, docs/config.md is printed from the comments here.
 */
import type { ServerIdentity, Strictness } from "./core/baseline.ts";
import type { Contract, ContractInput, KeyPlace } from "./core/contract.ts";
import type { Duration } from "./core/duration.ts";
import type { JsonValue } from "./core/terms.ts";
import type { Lock } from "./lock.ts";
import type { Clock, Store } from "./ports.ts";
import type { PresetContractInput } from "./presets.ts";
import type { BaselineRule, Found } from "./probe/probe.ts";
import type { BaselineHook, ReconcileHook } from "./reconcile-api.ts";

/** A JSON Pointer (RFC 6901): `/customer`, `/items/0/id`. */
export type Pointer = string;

/**
 * @example
 * const guard = createGuard({ store: sqliteStore(), servers: { "billing.acme": { tools: { find_invoice: { effect: "read" } } } } });
 */
export interface GuardOptions extends GuardPolicyOptions {
  /**
   * Where intents are recorded: `sqliteStore()`, `redisStore({ … })`, or `memoryStore()` for tests.
   * @example sqliteStore()
   */
  readonly store: Store;
  /**
   * Behind digests, ids and keys: 16 bytes or more, the same on every machine that shares the store.
   * @default what the store brings along
   * @example process.env.INDOUBT_SECRET
   */
  readonly secret?: Uint8Array | string | undefined;
  /**
   * For tests.
   * @default the machine's clocks
   * @example virtualClock
   */
  readonly clock?: Clock | undefined;
  /**
   * `off`: this guard only looks and takes decisions, as the command line does; nothing is driven on by itself from
   * here, and a review that has expired is told instead of refused. Another process must recover what is open.
   * @default "on"
   * @example "off"
   */
  readonly recovery?: "on" | "off" | undefined;
}

/** Everything of {@link GuardOptions} that is configuration, not an object of the program. */
export interface GuardPolicyOptions {
  /**
   * What the operator declares of each server, under the name that the guard is attached with. A server's own name is
   * never trusted.
   * @default {}
   * @example { "billing.acme": { tools: { find_invoice: { effect: "read" } } } }
   */
  readonly servers?: Readonly<Record<string, ServerOptions>> | undefined;
  /**
   * The reviewed baseline: the parsed content of `indoubt.lock.json`, as `indoubt tools review` wrote it. Contracts
   * without a pin of their own take it from there; what departs from it puts them out of force.
   * @default none
   * @example JSON.parse(readFileSync("indoubt.lock.json", "utf8"))
   */
  readonly lock?: Lock | undefined;
  /**
   * The evidence cards that contracts cite: the name in `review.card` to the parsed content of the file.
   * @default {}
   * @example { "./cards/create_invoice.json": {} }
   */
  readonly cards?: Readonly<Record<string, unknown>> | undefined;
  /**
   * How long a card backs its contract. An older one puts it out of force.
   * @default 15552000000
   * @example "90d"
   */
  readonly cardFor?: Duration | undefined;
  /**
   * What a tool is that no `tools` entry names: a write without contract, or refused. `refuse` turns the configuration
   * into an allowlist.
   * @default "write"
   * @example "refuse"
   */
  readonly undeclared?: "write" | "refuse" | undefined;
  /**
   * Time for a whole call, with all that the guard does for it. The caller's own time limit comes first.
   * @default 60000
   * @example "30s"
   */
  readonly deadline?: Duration | undefined;
  /**
   * How far progress may extend a deadline, and how long a person may take to answer a question of the server.
   * @default 600000
   * @example "30m"
   */
  readonly maxDeadline?: Duration | undefined;
  /**
   * An intent that says when it was issued, and is older than this, may have been sent and forgotten: it begins as
   * uncertain.
   * @default 2592000000
   * @example "7d"
   */
  readonly maxIntentAge?: Duration | undefined;
  /**
   * Larger arguments are refused. In bytes, 1024 or more.
   * @default 4194304
   * @example 1_048_576
   */
  readonly maxArgumentBytes?: number | undefined;
  /**
   * How long an answer is kept, so that a recall is the real answer.
   * @default 86400000
   * @example "1h"
   */
  readonly resultFor?: Duration | undefined;
  /**
   * Larger answers are not kept. In bytes.
   * @default 16384
   * @example 65_536
   */
  readonly maxResultBytes?: number | undefined;
  /**
   * How long an attempt may go on without a renewal before others take its owner for dead.
   * @default 30000
   * @example "1m"
   */
  readonly lease?: Duration | undefined;
  /**
   * How long one write to the store may take, with repeats.
   * @default 5000
   * @example "2s"
   */
  readonly storeTimeout?: Duration | undefined;
  /**
   * Pause between two rounds of recovery.
   * @default 1000
   * @example "5s"
   */
  readonly sweepEvery?: Duration | undefined;
  /**
   * What has waited in the manual queue for this long, counted from the issue of its intent, is told to the listeners
   * of `aged`.
   * @default 3600000
   * @example "4h"
   */
  readonly oldAfter?: Duration | undefined;
}

/** What the operator declares of one server. */
export interface ServerOptions {
  /**
   * Where the server is reached: what its name is bound to. Another one than in the lock puts its contracts and read
   * declarations out of force.
   * @default what the connection shows, where it can be seen
   * @example { url: "https://billing.acme.example/mcp" }
   */
  readonly identity?: ServerIdentity | undefined;
  /**
   * Your name for the sign-in of connections that name no principal. A review holds for its own sign-in.
   * @default none: one review for all
   * @example "acme-prod"
   */
  readonly principal?: string | undefined;
  /**
   * What counts as a departure from the review: `schema` (schemas and hints), `any` (words too), `off` (nothing).
   * @default "schema"
   * @example "any"
   */
  readonly drift?: Strictness | undefined;
  /**
   * A name for people, such as `test` or `production`.
   * @default none
   * @example "test"
   */
  readonly environment?: string | undefined;
  /**
   * What a tool of this server is that no `tools` entry names.
   * @default the guard's
   * @example "refuse"
   */
  readonly undeclared?: "write" | "refuse" | undefined;
  /**
   * HTTP statuses that this server sends before any work, by its documentation. Only then are they rejections, and may
   * be followed by another send.
   * @default []
   * @example [429]
   */
  readonly rejectsBeforeWork?: readonly number[] | undefined;
  /**
   * Time for a whole call of this server's tools.
   * @default the guard's
   * @example "2m"
   */
  readonly deadline?: Duration | undefined;
  /**
   * What the operator declares of each tool.
   * @default {}
   * @example { create_invoice: {} }
   */
  readonly tools?: Readonly<Record<string, ToolOptions>> | undefined;
}

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
