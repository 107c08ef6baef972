import { describe, expect, it } from "vitest";
import type { Operation } from "../../src/operation.ts";
import type { Clock } from "../../src/ports.ts";
import { rides } from "../../src/rides.ts";
import { turns } from "../../src/turns.ts";

/** A clock that moves only when it is told to. */
function handClock() {
  let now = 0;
  const timers = new Set<{ at: number; run: () => void }>();
  const after = (ms: number, run: () => void) => {
    const timer = { at: now + ms, run };
    timers.add(timer);
    return () => void timers.delete(timer);
  };
  const clock: Clock = { monotonic: () => now, wall: () => now, after, later: after };
  const pass = (ms: number) => {
    now += ms;
    for (const timer of [...timers]) if (timer.at <= now && timers.delete(timer)) timer.run();
  };
  return { clock, pass };
}

describe("the work of many calls is cut into slices", () => {
  const crowd = (count: number, clock: Clock) => {
    const each = turns(clock);
    for (let n = 0; n < count; n += 1) each.entered();
    return each;
  };

  it("a few calls never wait", () => {
    const { clock, pass } = handClock();
    const few = crowd(16, clock);
    expect(few.next()).toBeUndefined();
    pass(100);
    expect(few.next()).toBeUndefined();
  });

  it("of many, those behind a full slice wait for the next turn of the event loop, in their order", async () => {
    const { clock, pass } = handClock();
    const many = crowd(100, clock);
    const order: string[] = [];
    const work = async (name: string) => {
      const turn = many.next();
      if (turn) await turn;
      order.push(name);
      pass(1);
    };
    const all = ["a", "b", "c", "d", "e"].map(work);
    setImmediate(() => order.push("the loop has turned"));
    await Promise.all(all);
    expect(order.slice(0, 2)).toEqual(["a", "b"]);
    expect(order.filter((name) => name.length === 1)).toEqual(["a", "b", "c", "d", "e"]);
    expect(order).toEqual(["a", "b", "c", "d", "the loop has turned", "e"]);
  });
});

describe("deliveries wait for a ride", () => {
  const operation = (id: string) => ({ id, group: { tag: "group" } }) as Operation;

  it("one that waits for less than 25 ms does not go alone with an older one", () => {
    const { clock, pass } = handClock();
    const alone: string[] = [];
    const waiting = rides(clock, async ({ id }) => void alone.push(id));
    waiting.wait(operation("old"));
    pass(15);
    waiting.wait(operation("young"));
    pass(10);
    expect(alone).toEqual(["old"]);
    expect(waiting.take({ tag: "group", tenant: "", server: "", tool: "" }).map(({ id }) => id)).toEqual(["young"]);
    pass(100);
    expect(alone).toEqual(["old"]);
  });

  it("32 ride along at most, the oldest first; flush takes all that is left", async () => {
    const { clock } = handClock();
    const alone: string[] = [];
    const waiting = rides(clock, async ({ id }) => void alone.push(id));
    for (let n = 0; n < 40; n += 1) waiting.wait(operation(`${n}`));
    const group = { tag: "group", tenant: "", server: "", tool: "" };
    expect(waiting.take(group).map(({ id }) => id)).toEqual(Array.from({ length: 32 }, (_, n) => `${n}`));
    await waiting.flush();
    expect(alone).toHaveLength(8);
  });
});
