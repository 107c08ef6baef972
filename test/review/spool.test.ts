import { expect, it } from "vitest";
import { memoryStore } from "../../adapters/stores/memory/index.ts";
import type { Spool } from "../../src/entries/store.ts";
import { createGuard, type Effect, guardFunction, IndoubtError } from "../../src/index.ts";
import { handClock } from "../core/support/hand-clock.ts";
import { SECRET } from "./support.ts";

it("I12: an outcome that a dead process left in the shared spool comes home by a process that is already running", async () => {
  const hand = handClock();
  const lines: string[] = [];
  const spool = {
    append: async (line: string) => void lines.push(line),
    lines: async () => [...lines],
    remove: async (gone: readonly string[]) => {
      for (const line of gone) if (lines.includes(line)) lines.splice(lines.indexOf(line), 1);
    },
  };
  const store = memoryStore({ now: hand.now });
  const worker = createGuard({ store: { ...store.another(), spool }, secret: SECRET, clock: hand.clock });
  await worker.start();

  const dying = handClock();
  let down = false;
  const swap: typeof store.swap = async (request) => {
    if (down) throw new IndoubtError("STORE_UNAVAILABLE", "down");
    return store.swap(request);
  };
  const agent = createGuard({ store: { ...store, swap, spool }, secret: SECRET, clock: dying.clock, storeTimeout: 50 });
  const pay = guardFunction(agent, { server: "bank", tool: "pay" }, async () => {
    down = true;
    return { id: "INV-1" };
  });
  const outcome = await pay({ order: 1 });
  expect(outcome).toMatchObject({ kind: "succeeded", recorded: false });
  expect(lines.length).toBe(1);
  // The agent dies here: its clock never moves again. The worker goes on for ten minutes.
  await hand.move(600_000);
  expect((await worker.queue.show(outcome.operation)).state).toBe("succeeded");
}, 60_000);

const away = (): Promise<never> => Promise.reject(new IndoubtError("STORE_UNAVAILABLE", "away"));

/** A store that goes away at the first send, and pays that are under way by then. */
function leaving(spool?: Spool) {
  const hand = handClock();
  const store = memoryStore({ now: hand.now });
  const state = { isAway: false, read: new Set<string>() };
  const swap: typeof store.swap = (request) => (state.isAway ? away() : store.swap(request));
  const read: typeof store.read = (id) => {
    state.read.add(id);
    return state.isAway ? away() : store.read(id);
  };
  const guard = createGuard({
    store: { ...store, swap, read, ...(spool && { spool }) },
    secret: SECRET,
    clock: hand.clock,
    storeTimeout: 50,
  });
  const pay = guardFunction(guard, { server: "bank", tool: "pay" }, async () => {
    await hand.settle();
    state.isAway = true;
    return { id: "INV-1" };
  });
  return { hand, guard, state, pay };
}

it("I12: what is in memory comes home although the spool can be neither written nor read", async () => {
  const { hand, guard, state, pay } = leaving({ append: away, lines: away, remove: away });
  const outcome = await pay({ order: 1 });
  expect(outcome).toMatchObject({ kind: "succeeded", recorded: false });
  state.isAway = false;
  await hand.move(1_000);
  expect((await guard.queue.show(outcome.operation)).state).toBe("succeeded");
});

it("I12: with the store away, close() does not wait for each of many outcomes by itself", async () => {
  const { guard, state, pay } = leaving();
  const outcomes = await Promise.all(Array.from({ length: 20 }, (_, order) => pay({ order })));
  expect(outcomes.every(({ recorded }) => recorded === false)).toBe(true);
  state.read.clear();
  await guard.close();
  expect(state.read.size).toBe(1);
});

/** A store whose `begin` fails, each time as the next of these says; the last one stays. */
function refusing(...effects: readonly Effect[]) {
  const hand = handClock();
  const lines: string[] = [];
  const spool = {
    append: async (line: string) => void lines.push(line),
    lines: async () => lines,
    remove: async () => {},
  };
  const left = [...effects];
  const begin = (): Promise<never> => {
    const effect = (left.length > 1 ? left.shift() : left[0]) ?? "none";
    return Promise.reject(new IndoubtError("STORE_UNAVAILABLE", "away", { effect }));
  };
  const store = { ...memoryStore({ now: hand.now }), begin, spool };
  const guard = createGuard({ store, secret: SECRET, clock: hand.clock, storeTimeout: 50 });
  const pay = guardFunction(guard, { server: "bank", tool: "pay" }, async () => ({ id: "INV-1" }));
  return { pay, lines };
}

it("I11: calls that a store far away refuses leave nothing behind: nothing of them was written", async () => {
  const { pay, lines } = refusing("none");
  for (let order = 0; order < 3; order += 1) expect(await pay({ order })).toMatchObject({ kind: "refused" });
  expect(lines).toEqual([]);
});

it("I5: where one of several tries may have written the record, it is told later that nothing was sent for it", async () => {
  const { pay, lines } = refusing("possible", "none");
  expect(await pay({ order: 1 })).toMatchObject({ kind: "refused" });
  expect(lines).toHaveLength(1);
});
