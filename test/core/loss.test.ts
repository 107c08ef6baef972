/** How old a call is after a loss, and who is taken in as a doubt. */
import { describe, expect, it } from "vitest";
import { sharesOutcome } from "../../src/core/admission.ts";
import { ageOf, isAdopted } from "../../src/core/loss.ts";

describe("The age of a call (I7)", () => {
  it("is that of the earliest moment at which it may have been issued", () => {
    expect(ageOf({ issuedAt: 10_000 }, 900)).toEqual({ issuedAt: 5_000, maxAge: 900 });
    expect(ageOf({ issuedAt: 10_000, leg: "q" }, 900, 1_000)).toEqual({ issuedAt: 9_000, maxAge: 900 });
  });

  it("is not known where nothing tells it, and any for a round", () => {
    expect(ageOf({}, 900)).toEqual({ maxAge: 900 });
    expect(ageOf({ leg: "q" }, 900).issuedAt).toBeLessThan(2);
  });
});

describe("A suspect call", () => {
  it.each([
    ["with an issue time", { issuedAt: 1 }, true],
    ["that is a round with an issue time", { issuedAt: 1, leg: "q" }, true],
    ["that is a round without one", { leg: "q" }, false],
  ])("%s: taken in as a doubt, or refused", (_what, call, adopted) => {
    expect(isAdopted(call)).toBe(adopted);
  });
});

describe("Who waited for another's outcome", () => {
  const waiter = { relation: "other", ownId: false, isRound: false } as const;
  it.each([
    ["without an id of its own shares it", waiter, true],
    ["with an id of its own does not", { ...waiter, ownId: true }, false],
    ["as a round shares it", { ...waiter, ownId: true, isRound: true }, true],
    ["and is the same operation shares it", { ...waiter, relation: "same", ownId: true }, true],
  ] as const)("%s", (_what, one, shares) => {
    expect(sharesOutcome(one)).toBe(shares);
  });
});
