import { describe, expect, it } from "vitest";
import { REASONS, REFUSALS, reasonFor } from "../../src/core/reasons.ts";
import { forbiddenIn } from "./support/forbidden.ts";

const all = [...Object.entries(REASONS), ...Object.entries(REFUSALS)];

describe("reasons and refusals", () => {
  it.each(all)("%s has a sentence for people and one for the model", (_code, { person, model }) => {
    for (const sentence of [person, model]) {
      expect(sentence).toMatch(/^[A-Z`].*\.$/s);
      expect(sentence.length).toBeLessThan(160);
    }
  });

  it.each(all)(
    "%s tells the model nothing that makes it or a framework repeat the call, and no operator's command",
    (_code, { model }) => {
      expect(forbiddenIn(model)).toEqual([]);
    },
  );

  it("a reason of doubt never says that nothing was done (S12, I9)", () => {
    const doubts = [
      "silence",
      "tool_error",
      "tool_error_open",
      "declared_uncertain",
      "echo_broken",
      "result_unknown_type",
      "error_other",
      "error_foreign",
      "http_other",
      "unlisted",
      "owner_gone",
      "earlier_attempt_open",
      "permit_lapsed",
      "contract_suspended",
      "store_loss",
      "intent_too_old",
      "probe_unclear",
      "no_way_to_find_out",
      "probes_used_up",
    ] as const;
    for (const code of doubts) expect(REASONS[code].model, code).not.toMatch(/nothing was done|did not take effect/);
  });

  it("every refusal says that nothing was done", () => {
    for (const [code, { model }] of Object.entries(REFUSALS)) expect(model, code).toMatch(/nothing was (done|sent)/);
  });

  it("a code that this version does not know reads as silence: the most doubtful", () => {
    expect(reasonFor("of_a_newer_version")).toBe(REASONS.silence);
    expect(reasonFor(undefined)).toBe(REASONS.silence);
  });
});
