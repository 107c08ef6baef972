/** One deadline for a call; the clock stands still for a person, but not for ever (W1-08). */
import { describe, expect, it } from "vitest";
import { budget } from "../../src/budget.ts";
import { handClock } from "./support/hand-clock.ts";

describe("a budget of 10 s, of 60 s at most", () => {
  const begin = () => {
    const { clock, move } = handClock();
    return { move, budget: budget(clock, 10_000, 60_000) };
  };

  it("runs out, is started anew by progress, and never beyond the maximum", async () => {
    const given = begin();
    await given.move(9_000);
    given.budget.progressed();
    expect(given.budget.remaining()).toBe(10_000);
    for (let turn = 0; turn < 20; turn++) {
      await given.move(9_000);
      given.budget.progressed();
    }
    expect(given.budget.remaining()).toBe(0);
  });

  it("time that a person takes is not counted", async () => {
    const given = begin();
    await given.move(4_000);
    given.budget.waiting(true);
    await given.move(50_000);
    expect(given.budget.remaining()).toBe(6_000);
    given.budget.waiting(false);
    expect(given.budget.remaining()).toBe(6_000);
  });

  it("a person who never comes back ends the wait after `maxDeadline`", async () => {
    const given = begin();
    const raced = given.budget.race(new Promise(() => {}), undefined);
    given.budget.waiting(true);
    await given.move(60_000);
    expect(given.budget.remaining()).toBe(10_000);
    await given.move(15_000);
    expect(given.budget.remaining()).toBe(0);
    await expect(raced).resolves.toEqual({ kind: "deadline" });
  });
});
