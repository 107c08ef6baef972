/** What a caller and a model are told, for every outcome and mark. The texts stand in answers.transcript.txt. */
import { describe, expect, it } from "vitest";
import { type Marks, outcomeOf, refusedOutcome, toolResult } from "../../src/answers.ts";
import type { Answer, Outcome } from "../../src/core/outcome.ts";
import { REASONS, REFUSALS, type RefusalCode } from "../../src/core/reasons.ts";
import type { OperationRecord } from "../../src/core/record.ts";
import { BASES, type JsonObject, OPEN_STATES, SETTLED_STATES, type State } from "../../src/core/terms.ts";
import type { Operation } from "../../src/operation.ts";
import { forbiddenIn } from "./support/forbidden.ts";
import { limits, T0 } from "./support/machine.ts";

const STRUCTURED = { invoice: "INV-1" };
const kept: Answer = {
  kind: "result",
  result: { content: [{ type: "text", text: "Invoice INV-1" }], structuredContent: STRUCTURED },
};
const refusal: Answer = { kind: "result", result: { content: [{ type: "text", text: "no stock" }], isError: true } };
const rpcError: Answer = { kind: "error", code: -32602, message: "order must be a string" };

function operation(state: State, more: Partial<OperationRecord> = {}): Operation {
  const record = { state, attempts: 1, open: 0, tokens: [], issuedAt: T0, limits: limits(), ...more };
  const group = { tag: "tag", tenant: "tenant", server: "billing", tool: "create_invoice" };
  return {
    id: "tag_operation",
    group,
    digest: "digest",
    version: 2,
    record,
    lossAt: undefined,
    written: undefined,
    askedAt: undefined,
    queue: Promise.resolve(),
  };
}
const tell = (state: State, marks: Marks = {}, answer?: Answer, more: Partial<OperationRecord> = {}): Outcome =>
  outcomeOf(operation(state, more), answer && { answer }, marks);

type Text = { readonly type: string; readonly text: string };
const contentOf = (result: JsonObject): Text[] => (result.content ?? []) as unknown as Text[];
const lastText = (result: JsonObject): string => contentOf(result).at(-1)?.text ?? "";

const HELD = { heldBy: "tag_operation" };
const OTHER = { heldBy: "tag_operation", differentArguments: true };
const items = [
  { item: "line 1", verdict: "applied", ref: "L-1" },
  { item: "line 2", verdict: "absent" },
] as const;

/** Every state with every mark that the engine puts on it. */
const STORY: readonly (readonly [what: string, outcome: Outcome])[] = [
  ["a first-hand success", tell("succeeded", { basis: "first" }, kept)],
  ["a success whose answer is not kept", tell("succeeded", { basis: "first" })],
  ["a success that the store could not take", tell("succeeded", { basis: "first", unrecorded: true }, kept)],
  ["a recalled success", tell("succeeded", { recalled: true, ...HELD }, kept)],
  ["a recalled success whose answer is not kept", tell("succeeded", { recalled: true, ...HELD })],
  ["a joined success", tell("succeeded", { joined: true, ...HELD }, kept)],
  ["a success after a resend under a contract", tell("succeeded", { basis: "contract" }, kept, { attempts: 2 })],
  ["a tool error after a resend under a contract", tell("failed", { basis: "contract" }, refusal, { attempts: 2 })],
  ["a success after an observed absence", tell("succeeded", { basis: "observed_absent" }, kept, { attempts: 2 })],
  ["a success after an operator's order", tell("succeeded", { basis: "operator" }, kept, { attempts: 2 })],
  ["a tool error", tell("failed", { basis: "first" }, refusal)],
  ["a recalled tool error", tell("failed", { recalled: true, ...HELD }, refusal)],
  ["a joined tool error", tell("failed", { joined: true, ...HELD }, refusal)],
  ["a tool error that the store could not take", tell("failed", { basis: "first", unrecorded: true }, refusal)],
  ["a rejection by a tool error", tell("rejected", { basis: "first" }, refusal)],
  ["a rejection by a JSON-RPC error", tell("rejected", { basis: "first" }, rpcError)],
  ["a rejection by an HTTP status", tell("rejected", { basis: "first" })],
  ["a recalled rejection", tell("rejected", { recalled: true }, rpcError)],
  ["applied, seen at the destination", tell("applied", {}, undefined, { ref: "INV-1" })],
  ["applied, with the result that was found", tell("applied", {}, kept, { ref: "INV-1" })],
  ["applied, cause not known", tell("applied", {}, undefined, { attributed: false })],
  ["applied, recalled", tell("applied", { recalled: true, ...HELD }, undefined, { ref: "INV-1" })],
  ["not applied, never sent", tell("not_applied", {}, undefined, { reason: "never_sent" })],
  ["not applied, observed absent", tell("not_applied", {}, undefined, { reason: "observed_absent" })],
  ["partly applied", tell("partial", {}, undefined, { items })],
  ["closed without knowing", tell("abandoned")],
  ["uncertain after silence", tell("uncertain", { basis: "first" }, undefined, { reason: "silence" })],
  ["uncertain, a repeat is held", tell("uncertain", HELD, undefined, { reason: "silence" })],
  ["uncertain, a tool error that is being looked up", tell("uncertain", {}, undefined, { reason: "tool_error_open" })],
  ["still in flight elsewhere", tell("in_flight", { joined: true, ...HELD })],
  ["unresolved, a repeat is held", tell("unresolved", HELD, undefined, { reason: "no_way_to_find_out" })],
  ["other arguments while uncertain", tell("uncertain", OTHER)],
  ["other arguments after a success", tell("succeeded", OTHER, kept)],
  ["other arguments after it was applied", tell("applied", OTHER, kept, { ref: "INV-1" })],
  ...Object.keys(REFUSALS).map(
    (code) =>
      [
        `refused: ${code}`,
        refusedOutcome(
          { server: "billing", tool: "create_invoice" },
          code as RefusalCode,
          "At /a: a BigInt. Send it as a string.",
        ),
      ] as const,
  ),
];

describe("what the model reads", () => {
  it("stands in the transcript, one text per outcome", async () => {
    const texts = STORY.map(([what, outcome]) => {
      const result = toolResult(outcome, false);
      const blocks = contentOf(result).map(({ text }) => `  | ${text}`);
      const mark = (result._meta as JsonObject | undefined)?.["indoubt/outcome"];
      return [
        `${what}${result.isError === true ? " [isError]" : ""}`,
        ...blocks,
        ...(mark ? [`  ${JSON.stringify(mark)}`] : []),
      ].join("\n");
    });
    await expect(`${texts.join("\n\n")}\n`).toMatchFileSnapshot("answers.transcript.txt");
  });

  it("covers every kind of outcome", () => {
    const kinds: Outcome["kind"][] = [...SETTLED_STATES, "uncertain", "unresolved", "refused"];
    expect(new Set(STORY.map(([, { kind }]) => kind))).toEqual(new Set(kinds));
  });

  it.each(STORY)(
    "%s: never advice to repeat, never a text that frameworks search for (C06, T6-03, D7-01)",
    (_what, outcome) => {
      for (const hasOutputSchema of [true, false]) {
        for (const { text } of contentOf(toolResult(outcome, hasOutputSchema))) {
          expect(forbiddenIn(text)).toEqual([]);
          expect(text.trim()).not.toBe("");
        }
      }
    },
  );

  it("holds for every state, reason, basis and mark, not only for the usual ones", () => {
    const marks: Marks[] = [
      {},
      { recalled: true },
      { joined: true },
      HELD,
      OTHER,
      { unrecorded: true },
      ...BASES.map((basis) => ({ basis })),
    ];
    for (const state of [...OPEN_STATES, ...SETTLED_STATES])
      for (const reason of [undefined, ...Object.keys(REASONS)])
        for (const mark of marks)
          for (const answer of [undefined, kept, refusal, rpcError]) {
            const outcome = tell(state, mark, answer, reason === undefined ? {} : { reason });
            const text = lastText(toolResult(outcome, false));
            expect(forbiddenIn(text)).toEqual([]);
            expect(text).not.toMatch(/undefined|null|\[object/);
          }
  });
});

describe("what a result keeps of the server's own answer", () => {
  it("a clean success is passed on untouched: the very same object", () => {
    expect(toolResult(tell("succeeded", { basis: "first" }, kept), true)).toBe((kept as { result: JsonObject }).result);
  });

  it.each(STORY.filter(([, outcome]) => "answer" in outcome && outcome.answer === kept))(
    "%s: structuredContent is never altered, the mark is one more block",
    (_what, outcome) => {
      const result = toolResult(outcome, true);
      expect(result.structuredContent).toBe(STRUCTURED);
      expect(contentOf(result)[0]?.text).toBe("Invoice INV-1");
      expect(contentOf(result).length).toBeLessThanOrEqual(2);
    },
  );

  it("the server's own _meta stays beside the mark", () => {
    const answer: Answer = { kind: "result", result: { content: [], _meta: { "com.acme/trace": "t" } } };
    expect(toolResult(tell("succeeded", { recalled: true }, answer), false)._meta).toMatchObject({
      "com.acme/trace": "t",
      "indoubt/outcome": { kind: "succeeded", recalled: true, operation: "tag_operation" },
    });
  });

  it("marking changes nothing in the record of the answer", () => {
    const before = structuredClone(kept);
    toolResult(tell("succeeded", { recalled: true }, kept), false);
    expect(kept).toEqual(before);
  });

  it("a tool error is passed on with one factual line more (R1-01)", () => {
    const result = toolResult(tell("failed", { basis: "first" }, refusal), false);
    expect(result.isError).toBe(true);
    expect(contentOf(result).map(({ text }) => text)).toEqual([
      "no stock",
      expect.stringContaining("An error report does not show whether the action took effect."),
    ]);
  });

  it("a recall without the kept result, of a tool with an output schema, is isError without structuredContent", () => {
    const recalled = tell("succeeded", { recalled: true });
    expect(toolResult(recalled, true)).toMatchObject({ isError: true });
    expect(toolResult(recalled, true)).not.toHaveProperty("structuredContent");
    expect(toolResult(recalled, false)).toMatchObject({ isError: false });
  });

  it.each(STORY.filter(([, { kind }]) => !["succeeded", "applied", "failed", "rejected"].includes(kind)))(
    "%s: is isError, so that no caller takes it for a success",
    (_what, outcome) => {
      expect(toolResult(outcome, false).isError).toBe(true);
    },
  );
});

describe("a recall, a join and a resend are visibly marked, failures too (D5-01)", () => {
  it.each([
    ["[recalled]", { recalled: true }],
    ["[joined]", { joined: true }],
    ["[resent]", { basis: "contract" }],
  ] as const)("%s", (tag, marks) => {
    for (const [state, answer] of [
      ["succeeded", kept],
      ["failed", refusal],
      ["rejected", rpcError],
    ] as const) {
      expect(lastText(toolResult(tell(state, marks, answer), false))).toContain(tag);
    }
  });

  it("a recalled rejection does not read as carried out", () => {
    const text = lastText(toolResult(tell("rejected", { recalled: true }, rpcError), false));
    expect(text).not.toContain("carried out");
    expect(text).toContain("nothing was done");
  });
});

describe("another call's success is never told as this call's (D7-03, I10)", () => {
  it.each(STORY.filter(([, { differentArguments }]) => differentArguments))("%s", (_what, outcome) => {
    expect(outcome).not.toHaveProperty("answer");
    const result = toolResult(outcome, false);
    expect(result).toMatchObject({ isError: true });
    expect(result).not.toHaveProperty("structuredContent");
    expect(JSON.stringify(result)).not.toContain("INV-1");
    expect(lastText(result)).toContain("This request was not sent.");
    expect(lastText(result)).toContain("tag_operation");
    const { operation: held } = outcome;
    expect(outcome).toMatchObject({ heldBy: held, heldState: expect.any(String) });
  });

  it("while the other is in doubt this call is in doubt with it; once that is settled this call is refused, with its state", () => {
    expect(tell("uncertain", OTHER)).toMatchObject({ kind: "uncertain", heldState: "uncertain" });
    expect(tell("succeeded", OTHER, kept)).toMatchObject({
      kind: "refused",
      because: "held_different_arguments",
      heldState: "succeeded",
      detail: expect.stringContaining("confirmRepeatOf"),
    });
  });
});
