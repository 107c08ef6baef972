/** Every option in a person's words. test/core/config-options.test.ts holds this against the schema in src/config.ts. */

import type { PolicyOptionsInput } from "../../src/config.ts";
import { absent, applied, contract, type GuardOptions } from "../../src/index.ts";

export interface Option {
  readonly type: string;
  /** As the schema or the code has it; "required" when there is none. */
  readonly default: string;
  /** A value that the schema takes. */
  readonly example: unknown;
  /** How the example is written, where it is code. */
  readonly written?: string;
  readonly does: string;
}

const DURATION = 'duration (ms, or a text such as `"30s"`)';

/** Options of `createGuard` that are objects of the program and not configuration. */
export const GUARD_OPTIONS = {
  store: {
    type: "`Store`",
    default: "required",
    example: "a store",
    written: "sqliteStore()",
    does: "Where intents are recorded: `sqliteStore()`, `redisStore({ … })`, or `memoryStore()` for tests.",
  },
  secret: {
    type: "text or bytes, at least 16 bytes",
    default: "what the store brings along",
    example: "0123456789abcdef0123456789abcdef",
    written: "process.env.INDOUBT_SECRET",
    does: "Behind digests, ids and keys. The same on every machine that shares the store.",
  },
  clock: {
    type: "`Clock`",
    default: "the machine's clocks",
    example: "a clock",
    written: "virtualClock",
    does: "For tests.",
  },
} as const satisfies Record<Exclude<keyof GuardOptions, keyof PolicyOptionsInput>, Option>;

export const TOP: Readonly<Record<string, Option>> = {
  servers: {
    type: "record of [server](#a-server)",
    default: "{}",
    example: { "billing.acme": { tools: { find_invoice: { effect: "read" } } } },
    does: "What the operator declares of each server, under the name that the guard is attached with. A server's own name is never trusted.",
  },
  undeclared: {
    type: '`"write"` or `"refuse"`',
    default: '"write"',
    example: "refuse",
    does: "What a tool is that no `tools` entry names: a write without contract, or refused. `refuse` turns the configuration into an allowlist.",
  },
  deadline: {
    type: DURATION,
    default: "60000",
    example: "30s",
    does: "Time for a whole call, with all that the guard does for it. The caller's own time limit comes first.",
  },
  maxDeadline: { type: DURATION, default: "600000", example: "30m", does: "How far progress may extend a deadline." },
  maxIntentAge: {
    type: DURATION,
    default: "2592000000",
    example: "7d",
    does: "An intent that says when it was issued, and is older than this, may have been sent and forgotten: it begins as uncertain.",
  },
  maxArgumentBytes: {
    type: "bytes, at least 1024",
    default: "4194304",
    example: 1_048_576,
    does: "Larger arguments are refused.",
  },
  resultFor: {
    type: DURATION,
    default: "86400000",
    example: "1h",
    does: "How long an answer is kept, so that a recall is the real answer.",
  },
  maxResultBytes: { type: "bytes", default: "16384", example: 65_536, does: "Larger answers are not kept." },
  lease: {
    type: DURATION,
    default: "30000",
    example: "1m",
    does: "How long an attempt may go on without a renewal before others take its owner for dead.",
  },
  storeTimeout: {
    type: DURATION,
    default: "5000",
    example: "2s",
    does: "How long one write to the store may take, with repeats.",
  },
  sweepEvery: { type: DURATION, default: "1000", example: "5s", does: "Pause between two rounds of recovery." },
};

export const SERVER: Readonly<Record<string, Option>> = {
  environment: {
    type: "text",
    default: "none",
    example: "test",
    does: "A name for people, e.g. `test` or `production`.",
  },
  undeclared: {
    type: '`"write"` or `"refuse"`',
    default: "the top level's",
    example: "refuse",
    does: "As above, for this server.",
  },
  rejectsBeforeWork: {
    type: "HTTP statuses",
    default: "[]",
    example: [429],
    does: "Statuses that this server sends before any work, by its documentation. Only then are they rejections, and may be followed by another send.",
  },
  deadline: { type: DURATION, default: "the top level's", example: "2m", does: "As above, for this server." },
  tools: {
    type: "record of [tool](#a-tool)",
    default: "{}",
    example: { create_invoice: {} },
    does: "What the operator declares of each tool.",
  },
};

const card = {
  dedupes: "key",
  key: { argument: "/idempotency_key" },
  window: "24h",
  concurrent: "rejected",
  mismatch: "rejected",
  replaysErrors: true,
  scope: { caller: "acme-prod", downstream: "included" },
  review: { source: "https://example.com/idempotency", by: "ops", on: "2026-11-30" },
} as const;

export const TOOL: Readonly<Record<string, Option>> = {
  effect: {
    type: '`"read"` or `"write"`',
    default: '"write"',
    example: "read",
    does: "`read` is the operator's word that repeats are harmless: no record, repeated on anything transient.",
  },
  identityArgs: {
    type: "JSON Pointers",
    default: "all arguments",
    example: ["/customer", "/order"],
    does: "The arguments that make the effect. Calls that agree in them are the same wanted effect, whatever else they say.",
  },
  volatileArgs: {
    type: "JSON Pointers",
    default: "none",
    example: ["/note"],
    does: "Arguments that do not make the effect, where `identityArgs` is not set.",
  },
  identity: {
    type: '`"guarded"` or `"per-call"`',
    default: '"guarded"',
    example: "per-call",
    does: "`per-call`: repeats are harmless, nothing is held or joined.",
  },
  hold: {
    type: '`"arguments"` or `"tool"`',
    default: '"arguments"',
    example: "tool",
    does: "`tool`: while one call is in doubt, all calls of the tool in the same thread are held.",
  },
  repeat: {
    type: '`"new"` or `"recall"`',
    default: '"new"',
    example: "recall",
    does: "What an equal call is after the first one was delivered: a new write, or a recall for `repeatWindow`.",
  },
  repeatWindow: { type: DURATION, default: "600000", example: "10m", does: 'With `repeat: "recall"`: for how long.' },
  contract: {
    type: "[contract](#a-contract)",
    default: "none",
    example: contract(card),
    written: "contract({ … })",
    does: "The destination's documented promise to collapse repeats. The only ground for a resend without a look.",
  },
  reconcile: {
    type: "hook, or a hook with [limits](#a-hook)",
    default: "none",
    example: () => applied(),
    written: "async (intent, { call }) => …",
    does: "Asks the destination whether the effect is there. Never writes.",
  },
  verify: {
    type: '`"after_success"`',
    default: "off",
    example: "after_success",
    does: "Asks the hook after a success, too.",
  },
  settle: {
    type: DURATION,
    default: "60000, and no absence is believed",
    example: "30s",
    does: "Time in which a lost write can still land. Declare it: without that, no absence is believed.",
  },
  deadline: { type: DURATION, default: "the server's", example: "2m", does: "As above, for this tool." },
  maxDeadline: { type: DURATION, default: "the top level's", example: "1h", does: "As above, for this tool." },
  cancel: {
    type: '`"forward"` or `"withhold"`',
    default: '"forward"',
    example: "withhold",
    does: "Whether the caller's own abort is told to the server. The outcome is uncertain either way.",
  },
  toolErrors: {
    type: "[rules](#a-rule)",
    default: "[]",
    example: [{ at: "/structuredContent/code", equals: "card_declined", means: "no_effect" }],
    does: "What a result with `isError` means, by its structured fields: `no_effect`, `retryable` or `uncertain`. Never by its text.",
  },
  resultErrors: {
    type: "[rules](#a-rule)",
    default: "[]",
    example: [{ at: "/structuredContent/success", equals: false, means: "uncertain" }],
    does: "The same for results that are no `isError` but say so inside.",
  },
  repeatAnswers: {
    type: "[rules](#a-rule)",
    default: "[]",
    example: [{ at: "/status", equals: 409, means: "applied" }],
    does: "Answers to a resend that mean: it is already there. They count only with an earlier attempt of ours on record.",
  },
  echo: {
    type: "pointer in the result to pointer in the arguments",
    default: "{}",
    example: { "/structuredContent/order": "/order" },
    does: "Fields of the result that must equal fields of the arguments; else the answer may belong to another call, and is uncertain.",
  },
  redact: {
    type: "JSON Pointers",
    default: "[]",
    example: ["/body"],
    does: "Arguments that are not kept. Names such as `password` or `token` are masked without it.",
  },
  keepResult: {
    type: "true or false",
    default: "true",
    example: false,
    does: "Whether the answer is kept for recalls.",
  },
  validateArguments: {
    type: "true or false",
    default: "true with a contract or hook",
    example: true,
    does: "Refuse arguments that do not fit the tool's current input schema.",
  },
  maxAttempts: {
    type: "1 to 20",
    default: "3",
    example: 2,
    does: "Sends of one operation at most, an operator's order apart.",
  },
  validFor: {
    type: DURATION,
    default: "900000",
    example: "1h",
    does: "An automatic ground for a send lapses this long after the intent was issued: nothing old is carried out late.",
  },
  recallFor: {
    type: DURATION,
    default: "86400000",
    example: "1h",
    does: "How long an outcome that nobody received answers equal calls.",
  },
  retention: {
    type: DURATION,
    default: "2592000000",
    example: "90d",
    does: "How long a settled and delivered record is kept. Doubt is kept for ever.",
  },
};

export const HOOK: Readonly<Record<string, Option>> = {
  look: {
    type: "hook",
    default: "required",
    example: () => absent(),
    written: "async (intent, { call }) => …",
    does: "The hook itself.",
  },
  settle: { type: DURATION, default: "the tool's", example: "30s", does: "Time in which a lost write can still land." },
  staleness: {
    type: DURATION,
    default: "60000",
    example: "5s",
    does: "How old the destination's answer to a read may be.",
  },
  absentReads: { type: "1 to 20", default: "2", example: 3, does: "Absent looks in a row that make `not_applied`." },
  resendWhenAbsent: {
    type: "true or false",
    default: "false",
    example: true,
    does: "An observed absence lets us send again ourselves.",
  },
  within: {
    type: DURATION,
    default: "10000",
    example: "3s",
    does: "Time for one look; a look that takes longer is unclear.",
  },
  maxProbes: { type: "1 to 1000", default: "12", example: 20, does: "Looks before a person is asked." },
};

export const RULE: Readonly<Record<string, Option>> = {
  at: {
    type: "JSON Pointer",
    default: "required",
    example: "/structuredContent/code",
    does: "Where to look: in the result, in `{ code, data }` of a JSON-RPC error, or in `{ status }` of an HTTP answer.",
  },
  equals: { type: "JSON", default: "required", example: "card_declined", does: "The value that must stand there." },
  means: {
    type: "see the option",
    default: "required",
    example: "no_effect",
    does: "What it means. The first rule that fits counts.",
  },
};

export const CONTRACT: Readonly<Record<string, Option>> = {
  dedupes: {
    type: '`"key"` or `"arguments"`',
    default: "required",
    example: "key",
    does: "What the destination recognises a repeat by. `arguments` needs `identityArgs`.",
  },
  key: {
    type: "`{ argument }`, `{ meta }` or `{ header }`",
    default: "none; needed for `key`",
    example: { argument: "/idempotency_key" },
    does: "Where the destination reads the key. Never a field that MCP does not have.",
  },
  window: {
    type: DURATION,
    default: "required",
    example: "24h",
    does: "How long the destination remembers, from the issue of the intent.",
  },
  margin: {
    type: DURATION,
    default: "60000",
    example: "5m",
    does: "Taken off the window: the resend itself may land late.",
  },
  concurrent: {
    type: '`"rejected"`, `"joined"` or `"serial"`',
    default: "required",
    example: "serial",
    does: "What it does with overlapping repeats. `serial`: they are not safe, wait for quiescence.",
  },
  mismatch: {
    type: '`"rejected"` or `"ignored"`',
    default: "required",
    example: "rejected",
    does: "What it does with the same key and other arguments.",
  },
  replaysErrors: {
    type: "true or false",
    default: "required",
    example: true,
    does: "Whether it repeats stored errors, too.",
  },
  rejectionAuthoritative: {
    type: "true or false",
    default: "false",
    example: true,
    does: "Whether the rejection of a repeat speaks for the whole operation.",
  },
  scope: {
    type: "`{ caller, downstream }`",
    default: "required",
    example: card.scope,
    does: "Whose keys they are, and whether what lies behind the destination takes part.",
  },
  review: {
    type: "`{ source, by, on, expires?, card? }`",
    default: "required",
    example: card.review,
    does: "Who read the promise, where and when.",
  },
  pin: {
    type: "`{ tool }`",
    default: "none, and the contract is not in force",
    example: { tool: "Jb3v0uD1mQ2x" },
    written: "{ tool: toolFingerprint(definition) }",
    does: "The reviewed definition of the tool. Another definition puts the contract out of force.",
  },
};
