/** What a look means, and what it must not be taken for. */
import { describe, expect, it } from "vitest";
import { afterEarlyAbsence, contradictionIn, findingOf, judged } from "../../src/core/looks.ts";
import type { OperationRecord } from "../../src/core/record.ts";
import type { Observation } from "../../src/core/terms.ts";
import { at, event, given, limits, MINUTE, SECOND, T0 } from "./support/machine.ts";

const absent: Observation = { kind: "absent" };
const applied: Observation = { kind: "applied", ref: "inv_1" };
const missing: Observation = { kind: "partial", items: [{ item: "a", verdict: "absent" }] };
const doubt = (more: Partial<OperationRecord> = {}): OperationRecord => ({
  ...given(at(0, event.issue()), at(SECOND, event.doubt(1))),
  ...more,
});
const undeclared = doubt({ limits: limits({ settleDeclared: false }) });

describe("A look by a masked value (I2)", () => {
  it.each([absent, missing])("that finds nothing proves nothing: $kind", (observation) => {
    expect(judged(observation, "/iban")).toMatchObject({ kind: "unclear", reason: expect.stringContaining("/iban") });
    expect(judged(observation, undefined)).toBe(observation);
  });

  it("may find the effect all the same", () => {
    expect(judged(applied, "/iban")).toBe(applied);
  });
});

describe("A finding", () => {
  it.each([
    ["this", { type: "present" }],
    ["another", { type: "probe_fail", reason: "reference_claimed_twice" }],
    ["unknown", { type: "probe_fail", reason: "probe_unclear" }],
  ] as const)("whose reference belongs to %s operation is read so", (owner, meant) => {
    expect(findingOf(doubt(), applied, T0 + MINUTE, owner)).toMatchObject(meant);
  });

  it.each([absent, missing])("of an absence before a lost write must have landed is none: $kind", (observation) => {
    expect(findingOf(doubt(), observation, T0 + 2 * SECOND, "this")).toBeUndefined();
    expect(findingOf(doubt(), observation, T0 + 10 * MINUTE, "this")).toBeDefined();
  });
});

describe("After an early absence", () => {
  it("the next look comes soon, and surely when an absence can count", () => {
    expect(afterEarlyAbsence(doubt(), T0 + 4 * SECOND)).toMatchObject({ type: "probe_fail", retryIn: 2 * SECOND });
  });

  it("a person is asked where no absence can ever count", () => {
    const now = T0 + 10 * MINUTE;
    expect(afterEarlyAbsence(undeclared, now)).toEqual({ type: "escalate", reason: "settle_not_declared" });
  });
});

describe("A watched outcome", () => {
  it.each<[string, Observation, boolean, string | undefined]>([
    ["a second effect", { kind: "applied", count: 2 }, false, "more_effects_than_one"],
    ["its effect", applied, true, undefined],
    ["no effect while the watch goes on", absent, false, undefined],
    ["no effect at its end", absent, true, "not_shown_after_success"],
    ["nothing clear", { kind: "unclear", reason: "busy" }, true, undefined],
  ])("that shows %s", (_what, observation, over, reason) => {
    expect(contradictionIn(doubt(), observation, over)).toBe(reason);
  });

  it("is not contradicted by an absence that nobody declared believable", () => {
    expect(contradictionIn(undeclared, absent, true)).toBeUndefined();
  });
});
