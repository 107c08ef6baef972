/** Hints: read as the specification says, told as claims, and asked by no decision (S01 to S06, S09, S11, I9). */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { contradicted, type HintName, hintWords, readHints, stampedAlike } from "../../src/core/hints.ts";
import type { ToolDefinition } from "../../src/entries/wire.ts";
import { absent, applied } from "../../src/index.ts";
import { callOf, guardOf, invoice, LOST, OK, pinned, SERVER, sends, settled, timeless, wireOf } from "./support.ts";

const readings = (annotations: unknown) =>
  Object.fromEntries(readHints(annotations).all.map(({ name, reading }) => [name, reading]));
const meaning = (annotations: unknown) =>
  readHints(annotations)
    .all.filter(({ meaningful }) => meaningful)
    .map(({ name }) => name);

describe("hints are read with the specification's defaults", () => {
  it.each([undefined, null, {}, "text", [], { title: "Nice" }])(
    "S01 S03 silence declares nothing: %j",
    (annotations) => {
      expect(readings(annotations)).toEqual({
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: false,
        openWorldHint: true,
      });
      expect(readHints(annotations).all.every(({ declared }) => declared === undefined)).toBe(true);
      expect(hintWords(readHints(annotations)).every((line) => line.startsWith("The publisher does not declare"))).toBe(
        true,
      );
    },
  );

  it("S02 destructive and idempotent mean nothing where read-only is claimed", () => {
    expect(meaning({ readOnlyHint: true, destructiveHint: true, idempotentHint: true })).toEqual([
      "readOnlyHint",
      "openWorldHint",
    ]);
    expect(meaning({ readOnlyHint: false })).toHaveLength(4);
    const words = hintWords(readHints({ readOnlyHint: true, destructiveHint: false }));
    expect(words[1]).toContain("Beside the claim to be read-only this means nothing.");
  });

  it("S03 a default is told as how silence is read, never as what the publisher says", () => {
    const [, destructive] = hintWords(readHints({}));
    expect(destructive).toBe(
      "The publisher does not declare destructiveHint. The specification reads that as: it may destroy or overwrite.",
    );
  });

  it.each([
    [{ readOnlyHint: "true" }, "readOnlyHint is not a boolean"],
    [{ read_only_hint: true }, '"read_only_hint" is not a word of the specification (readOnlyHint is)'],
    [{ readOnly: true }, '"readOnly" is not a word'],
    [{ destructivehint: false }, '"destructivehint" is not a word'],
  ])("C1-12 another spelling or type declares nothing, and is told: %j", (annotations, told) => {
    expect(readings(annotations)).toEqual(readings({}));
    expect(hintWords(readHints(annotations)).join("\n")).toContain(told);
  });

  it("C1-05 the same set on most tools is told as stamped on", () => {
    const stamped = Array.from({ length: 5 }, () => ({ annotations: { idempotentHint: true } }));
    expect(stampedAlike(stamped)).toContain("5 of 5 tools carry the same hints");
    expect(stampedAlike(stamped.slice(0, 3))).toBeUndefined();
    expect(stampedAlike(Array.from({ length: 5 }, () => ({})))).toBeUndefined();
    expect(stampedAlike([...stamped.slice(0, 3), { annotations: { readOnlyHint: true } }, {}])).toBeUndefined();
  });
});

const value = fc.constantFrom<unknown>(undefined, true, false, "true", 1, null);
const annotations = fc.record(
  Object.fromEntries(
    (["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] satisfies HintName[]).map((name) => [
      name,
      value,
    ]),
  ) as Record<HintName, typeof value>,
);

/** What a life of three calls comes to: outcomes, sends, what is still open. */
async function story(definition: ToolDefinition, contracted: boolean, declared: boolean, answers: readonly boolean[]) {
  const tool = { identityArgs: ["/order"], ...(contracted && { contract: pinned(definition) }) };
  const { guard, run } = timeless({ tools: declared ? { create_invoice: tool } : {} });
  guard.toolsSeen(SERVER, [definition], {});
  const wire = wireOf(...answers.map((heard) => (heard ? OK : LOST)));
  const kinds: string[] = [];
  for (const order of ["o-1", "o-1", "o-2"]) kinds.push((await run(guard.perform(callOf({ order }), wire))).kind);
  const open = (await guard.queue.list({ index: "open" })).items.map(({ state }) => state);
  await run(guard.close({ within: 0 }));
  return { kinds, sent: sends(wire), open: open.sort() };
}

describe("no combination of hints changes what is admitted", () => {
  it("S04 S05 S06 S11 over all hints, declarations, contracts and answers", async () => {
    const lives = fc.record({
      hints: annotations,
      contracted: fc.boolean(),
      declared: fc.boolean(),
      answers: fc.array(fc.boolean(), { minLength: 1, maxLength: 6 }),
    });
    await fc.assert(
      fc.asyncProperty(lives, async ({ hints, contracted, declared, answers }) => {
        const plain = await story(invoice, contracted, declared, answers);
        const hinted = await story({ ...invoice, annotations: hints }, contracted, declared, answers);
        expect(hinted).toEqual(plain);
      }),
      { numRuns: 150 },
    );
  });
});

describe("a hint that an observation contradicts", () => {
  it.each([
    [{ readOnlyHint: true }, { effects: 1, sends: 1 }, "readOnlyHint: true, but an effect"],
    [{ idempotentHint: true }, { effects: 2, sends: 2 }, "idempotentHint: true, but 2 effects of 2 equal sends"],
  ])("%j after %j", (hints, seen, told) => {
    expect(contradicted(readHints(hints), seen).join()).toContain(told);
  });

  it.each([
    ["one effect of one send", { idempotentHint: true }, { effects: 1, sends: 2 }],
    ["nothing declared", {}, { effects: 2, sends: 2 }],
    ["two effects that one send made", { idempotentHint: true }, { effects: 2, sends: 1 }],
    ["no effect", { readOnlyHint: true }, { effects: 0, sends: 1 }],
  ])("is none: %s", (_what, hints, seen) => {
    expect(contradicted(readHints(hints), seen)).toEqual([]);
  });

  it("S23 C1-03 suspends what rested on it, is told, and is kept without arguments", async () => {
    const liar = { ...invoice, annotations: { readOnlyHint: true } };
    const tool = {
      identityArgs: ["/order"],
      contract: pinned(liar),
      reconcile: { look: async () => applied({ ref: "inv_1" }), settle: 1 },
    };
    const { guard, events } = guardOf({ tools: { create_invoice: tool } });
    guard.toolsSeen(SERVER, [liar], {});
    const outcome = await guard.perform(callOf({ order: "o-1", amount: 4711 }), wireOf(LOST));
    expect(outcome.kind).toBe("applied");
    expect(events.contradiction).toEqual([
      expect.objectContaining({ tool: "create_invoice", operation: outcome.operation }),
    ]);
    await settled();
    const [entry] = await guard.suspensions.list();
    expect(entry).toMatchObject({ tool: "create_invoice", reason: "hint_contradicted" });
    expect(JSON.parse(entry?.detail ?? "")).toMatchObject({ operation: outcome.operation, effects: 1, sends: 1 });
    expect(entry?.detail).not.toContain("4711");
  });

  it("S23 C1-04 an idempotent tool with two effects after two sends", async () => {
    const liar = { ...invoice, annotations: { idempotentHint: true } };
    let looks = 0;
    const look = async () => (++looks === 1 ? absent() : applied({ ref: "inv_1", count: 2 }));
    const tool = { identityArgs: ["/order"], contract: pinned(liar), reconcile: { look, settle: 1 } };
    const { guard, events } = guardOf({ tools: { create_invoice: tool } });
    guard.toolsSeen(SERVER, [liar], {});
    const wire = wireOf(LOST, LOST, LOST);
    const outcome = await guard.perform(callOf(), wire);
    expect(sends(wire)).toBe(2);
    expect(events.contradiction[0]?.words.join()).toContain("2 effects of 2 equal sends");
    expect((await guard.queue.show(outcome.operation)).conflict).toBe(true);
    expect(await guard.suspensions.list()).toHaveLength(1);
  });
});
