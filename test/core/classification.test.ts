import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { classify } from "../../src/core/classification.ts";
import { CLASSIFICATION, type Verdict } from "../../src/core/classification-table.ts";
import { type AnswerRules, NO_RULES, type Situation } from "../../src/core/evidence.ts";
import { REASONS } from "../../src/core/reasons.ts";
import type { JsonObject, JsonValue, NotSentCause, SilenceCause, WireEvidence } from "../../src/core/terms.ts";

const situation = (rules: Partial<AnswerRules> = {}, over: Partial<Situation> = {}): Situation => ({
  rules: { ...NO_RULES, ...rules },
  arguments: { customer: "acme", order: "42" },
  canFindOut: false,
  resend: false,
  ...over,
});
const result = (more: JsonObject = {}): WireEvidence => ({ kind: "result", result: { content: [], ...more } });
const isError = (more: JsonObject = {}): WireEvidence => result({ isError: true, ...more });
const rpc = (code: number, id: "ours" | "other" = "ours", data?: JsonValue): WireEvidence => ({
  kind: "rpc_error",
  code,
  id,
  message: "any text",
  ...(data !== undefined && { data }),
});
const http = (status: number, more: object = {}): WireEvidence => ({ kind: "http_status", status, ...more });
const silence = (cause: SilenceCause): WireEvidence => ({ kind: "silence", cause });
const notSent = (cause: NotSentCause): WireEvidence => ({ kind: "not_sent", cause });

const rejects = (...statuses: number[]) => situation({ rejectsBeforeWork: statuses });
const code = (equals: JsonValue, means: "no_effect" | "retryable" | "uncertain") =>
  [{ at: "/structuredContent/code", equals, means }] as const;
const said = (value: JsonValue): JsonObject => ({ structuredContent: { code: value } });
const exists = { repeatAnswers: [{ at: "/status", equals: 409, means: "applied" }] } as const;
const rejected = (retryable = false, more = {}) => ({ kind: "rejected", retryable, ...more }) as const;
/** A result frame answered it; errors and statuses may come from a gateway in front of the destination. */
const uncertain = (answered = false) => ({ kind: "uncertain", answered }) as const;

type Row = readonly [
  what: string,
  evidence: WireEvidence,
  situation: Situation,
  row: string,
  verdict: Partial<Verdict>,
];
const plain = situation();
const findable = situation({}, { canFindOut: true });

/** Section by section as docs/decisions.md prints it. */
const TABLE: readonly Row[] = [
  // Refused before hand-over: the permit is given back.
  ...(
    [
      ["not_connected", true],
      ["connection_refused", true],
      ["name_not_resolved", true],
      ["aborted_before_send", false],
      ["tls_failed", false],
      ["permit_lost", false],
    ] as const
  ).map(
    ([cause, retryable]) =>
      [
        `nothing was handed over: ${cause} (T2-09, T4-03)`,
        notSent(cause),
        plain,
        "not_sent",
        { kind: "unsent", retryable },
      ] satisfies Row,
  ),

  // A result frame.
  ["a result", result(), plain, "result", { kind: "succeeded" }],
  ["a result of the 2026 era", result({ resultType: "complete" }), plain, "result", { kind: "succeeded" }],
  ["a result without the promised structuredContent (R2-03)", result(), findable, "result", { kind: "succeeded" }],
  [
    "a result that no rule declares an error",
    result(said("FINE")),
    situation({ resultErrors: [...code("NO", "no_effect")] }),
    "result",
    { kind: "succeeded" },
  ],
  [
    "a result that echoes the arguments",
    result({ structuredContent: { order: "42" } }),
    situation({ echo: { "/structuredContent/order": "/order" } }),
    "result",
    { kind: "succeeded" },
  ],
  [
    "a result that echoes another order",
    result({ structuredContent: { order: "43" } }),
    situation({ echo: { "/structuredContent/order": "/order" } }),
    "echo_broken",
    uncertain(true),
  ],
  [
    "a result that echoes nothing",
    result(),
    situation({ echo: { "/structuredContent/order": "/order" } }),
    "echo_broken",
    uncertain(true),
  ],
  [
    "`success: false` inside a result, declared uncertain (R1-01)",
    result({ structuredContent: { success: false } }),
    situation({ resultErrors: [{ at: "/structuredContent/success", equals: false, means: "uncertain" }] }),
    "declared_uncertain",
    uncertain(true),
  ],
  [
    "a declared error inside a result: nothing was done",
    result(said("NO")),
    situation({ resultErrors: [...code("NO", "no_effect")] }),
    "declared_no_effect",
    rejected(),
  ],
  [
    "a declared error inside a result: may be sent again",
    result(said("BUSY")),
    situation({ resultErrors: [...code("BUSY", "retryable")] }),
    "declared_retryable",
    rejected(true),
  ],
  [
    "a result of a type that nobody knows",
    result({ resultType: "surprise" }),
    plain,
    "result_unknown_type",
    uncertain(true),
  ],

  // isError.
  [
    "a tool error, nothing can find out more",
    isError(),
    plain,
    "tool_error",
    { kind: "answered_error", settles: true },
  ],
  [
    "a tool error, a hook or contract can find out (R1-01)",
    isError(),
    findable,
    "tool_error_open",
    { kind: "answered_error", settles: false },
  ],
  [
    "a tool error with a declared code: nothing was done",
    isError(said("NO")),
    situation({ toolErrors: [...code("NO", "no_effect")] }),
    "declared_no_effect",
    rejected(),
  ],
  [
    "a tool error with a declared code: may be sent again",
    isError(said("BUSY")),
    situation({ toolErrors: [...code("BUSY", "retryable")] }),
    "declared_retryable",
    rejected(true),
  ],
  [
    "a tool error with a declared code: proves nothing",
    isError(said("TIMEOUT")),
    situation({ toolErrors: [...code("TIMEOUT", "uncertain")] }),
    "declared_uncertain",
    uncertain(true),
  ],
  [
    "a tool error with a code that no rule names",
    isError(said("OTHER")),
    situation({ toolErrors: [...code("NO", "no_effect")] }),
    "tool_error",
    { kind: "answered_error" },
  ],

  // JSON-RPC errors.
  ...[-32700, -32600, -32601, -32602, -32020, -32022].map(
    (number) =>
      [`JSON-RPC error ${number} with our id (R2-02)`, rpc(number), plain, "error_rejecting", rejected()] satisfies Row,
  ),
  ...[-32603, -32000, -32001, -32019, -32021, -32002, -1, 0, 42, 500].map(
    (number) =>
      [`JSON-RPC error ${number} with our id (T4-08)`, rpc(number), plain, "error_other", uncertain()] satisfies Row,
  ),
  ...[-32700, -32602, -32603].map(
    (number) =>
      [
        `JSON-RPC error ${number} with a null or foreign id`,
        rpc(number, "other"),
        plain,
        "error_foreign",
        uncertain(),
      ] satisfies Row,
  ),
  [
    "JSON-RPC error -32042: the call goes on after a visit to a page",
    rpc(-32042),
    plain,
    "error_url_elicitation",
    { kind: "paused" },
  ],
  ["JSON-RPC error -32042 with a foreign id", rpc(-32042, "other"), plain, "error_foreign", uncertain()],

  // HTTP statuses.
  ["HTTP 401 with a challenge (T3-08)", http(401, { challenge: true }), plain, "http_challenge", rejected()],
  ["HTTP 401 without one", http(401), plain, "http_other", uncertain()],
  [
    "HTTP 403 insufficient_scope",
    http(403, { challenge: true, insufficientScope: true }),
    plain,
    "http_challenge",
    rejected(),
  ],
  ["HTTP 403 of another kind", http(403, { challenge: true }), plain, "http_other", uncertain()],
  ...[307, 308, 405, 406, 413, 415].map(
    (status) => [`HTTP ${status}`, http(status), plain, "http_rejecting", rejected()] satisfies Row,
  ),
  ...[400, 404, 408, 409, 422, 425, 429, 500, 502, 503, 504, 300, 418].map(
    (status) => [`HTTP ${status} (T4-09)`, http(status), plain, "http_other", uncertain()] satisfies Row,
  ),
  [
    "HTTP 429 where the operator declared it",
    http(429, { retryAfter: 2_000 }),
    rejects(429),
    "http_declared",
    rejected(true, { retryAfter: 2_000 }),
  ],
  ["HTTP 404 where the operator declared it", http(404), rejects(404, 429), "http_declared", rejected(true)],
  ["HTTP 503 where the operator declared only 429", http(503), rejects(429), "http_other", uncertain()],

  // "It is already there."
  [
    "HTTP 409 on a resend, declared (R1-07)",
    http(409),
    situation(exists, { resend: true }),
    "already_there",
    { kind: "already_there" },
  ],
  [
    "HTTP 409 on the first send: no attempt of ours explains it (R1-07)",
    http(409),
    situation(exists),
    "http_other",
    uncertain(),
  ],
  ["HTTP 409 on a resend, not declared", http(409), situation({}, { resend: true }), "http_other", uncertain()],
  [
    "a tool error on a resend, declared",
    isError(said("EXISTS")),
    situation(
      { repeatAnswers: [{ at: "/structuredContent/code", equals: "EXISTS", means: "applied" }] },
      { resend: true },
    ),
    "already_there",
    { kind: "already_there" },
  ],
  [
    "a JSON-RPC error on a resend, declared by its data",
    rpc(-32000, "ours", { reason: "exists" }),
    situation({ repeatAnswers: [{ at: "/data/reason", equals: "exists", means: "applied" }] }, { resend: true }),
    "already_there",
    { kind: "already_there" },
  ],

  // Legs and tasks.
  [
    "`input_required` (W1-08)",
    result({ resultType: "input_required" }),
    plain,
    "result_input_required",
    { kind: "paused" },
  ],
  ["a task", result({ resultType: "task", taskId: "t1" }), plain, "result_task", { kind: "task", task: "t1" }],
  [
    "a task of the 2025 era",
    { kind: "result", result: { task: { taskId: "t1", status: "working" } } },
    plain,
    "result_task",
    { kind: "task", task: "t1" },
  ],
  ["a result with a field of that name", result({ task: { taskId: "t1" } }), plain, "result", { kind: "succeeded" }],

  // Silence.
  ...(
    [
      "deadline",
      "caller_aborted",
      "stream_ended",
      "connection_closed",
      "connection_reset",
      "unreadable_answer",
      "unexpected_content",
      "transport_error",
    ] as const
  ).map((cause) => [`silence: ${cause} (C02, S12, I9)`, silence(cause), plain, "silence", uncertain()] satisfies Row),
];

describe("what evidence says about one attempt", () => {
  it.each(TABLE)("%s", (_what, evidence, where, row, verdict) => {
    expect(classify(evidence, where)).toMatchObject({ row, ...verdict });
  });

  it("every row of the published table has an example, and each id is there once", () => {
    const ids = CLASSIFICATION.map(({ id }) => id);
    expect(new Set(TABLE.map(([, , , row]) => row))).toEqual(new Set(ids));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("every row that may end in a doubt, a rejection or a failure is a reason with its sentences", () => {
    const told = CLASSIFICATION.filter(({ means }) =>
      ["uncertain", "rejected", "answered_error", "already_there"].includes(means),
    );
    for (const { id } of told) expect(Object.keys(REASONS)).toContain(id);
  });
});

describe("where several rows match, the most doubtful wins", () => {
  const both = { resultErrors: [...code("NO", "no_effect")], echo: { "/structuredContent/order": "/order" } };
  it.each<Row>([
    [
      "a declared rejection inside a result that echoes another order",
      result({ structuredContent: { code: "NO", order: "43" } }),
      situation(both),
      "echo_broken",
      uncertain(true),
    ],
    [
      "a status declared both rejected and already there",
      http(429),
      situation(
        { rejectsBeforeWork: [429], repeatAnswers: [{ at: "/status", equals: 429, means: "applied" }] },
        { resend: true },
      ),
      "http_declared",
      rejected(true),
    ],
    [
      "a result that is declared already there on a resend",
      result(said("EXISTS")),
      situation(
        { repeatAnswers: [{ at: "/structuredContent/code", equals: "EXISTS", means: "applied" }] },
        { resend: true },
      ),
      "already_there",
      { kind: "already_there" },
    ],
  ])("%s", (_what, evidence, where, row, verdict) => {
    expect(classify(evidence, where)).toMatchObject({ row, ...verdict });
  });

  it("the first rule that fits counts", () => {
    const rules = { toolErrors: [...code("X", "uncertain"), ...code("X", "no_effect")] };
    expect(classify(isError(said("X")), situation(rules)).row).toBe("declared_uncertain");
  });
});

describe("what no row lists is uncertain (no presumption)", () => {
  const json = fc.jsonValue() as fc.Arbitrary<JsonValue>;
  const anything: fc.Arbitrary<WireEvidence> = fc.oneof(
    fc.record({ kind: fc.constant("result" as const), result: fc.dictionary(fc.string(), json) }),
    fc.record({
      kind: fc.constant("rpc_error" as const),
      code: fc.integer(),
      message: fc.string(),
      data: json,
      id: fc.constantFrom("ours" as const, "other" as const),
    }),
    fc.record({ kind: fc.constant("http_status" as const), status: fc.integer({ min: 100, max: 599 }) }),
  );

  it("any code or status is either on the list of rejections or in doubt", () => {
    const listed = [-32700, -32600, -32601, -32602, -32020, -32022, -32042];
    fc.assert(
      fc.property(anything, (evidence) => {
        const verdict = classify(evidence, plain);
        if (evidence.kind === "rpc_error" && !(evidence.id === "ours" && listed.includes(evidence.code)))
          expect(verdict.kind).toBe("uncertain");
        if (evidence.kind === "http_status" && ![307, 308, 405, 406, 413, 415].includes(evidence.status))
          expect(verdict.kind).toBe("uncertain");
        if (verdict.kind === "succeeded") expect(evidence.kind).toBe("result");
      }),
    );
  });

  it("a status that a function handed on proves nothing, unless the operator declared it", () => {
    for (const status of [307, 308, 405, 406, 413, 415])
      expect(classify(http(status, { relayed: true }), plain)).toMatchObject({ kind: "uncertain", row: "http_other" });
    const challenge = { relayed: true, challenge: true, insufficientScope: true };
    for (const status of [401, 403]) expect(classify(http(status, challenge), plain).kind).toBe("uncertain");
    const declared = situation({ rejectsBeforeWork: [402] });
    expect(classify(http(402, { relayed: true }), declared)).toMatchObject({ kind: "rejected", row: "http_declared" });
  });

  it("evidence of a kind that this version does not know is uncertain, too", () => {
    expect(classify({ kind: "telepathy" } as unknown as WireEvidence, plain)).toEqual({
      kind: "uncertain",
      row: "unlisted",
      answered: false,
    });
  });

  it("error texts are never read: other words, the same verdict (I9, T4-08)", () => {
    const words = fc.oneof(
      fc.string(),
      fc.constantFrom("not found", "validation failed", "rolled back", "timeout", "success", "already exists", ""),
    );
    const rules = fc.constantFrom(plain, findable, rejects(429), situation(exists, { resend: true }));
    fc.assert(
      fc.property(fc.integer({ min: -32800, max: -31900 }), words, words, rules, (number, one, two, where) => {
        const error = (message: string): WireEvidence => ({ kind: "rpc_error", code: number, id: "ours", message });
        expect(classify(error(one), where)).toEqual(classify(error(two), where));
        const tool = (text: string) => isError({ content: [{ type: "text", text }] });
        expect(classify(tool(one), where)).toEqual(classify(tool(two), where));
      }),
    );
  });

  it("an `isError` result is never a success, and never more certain because a hook exists", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), json), fc.boolean(), (more, canFindOut) => {
        const verdict = classify(
          isError({ ...more, resultType: "complete", isError: true }),
          situation({}, { canFindOut }),
        );
        expect(verdict).toMatchObject({ kind: "answered_error", settles: !canFindOut });
      }),
    );
  });
});
