import { expect, it } from "vitest";
import { memoryStore } from "../../adapters/stores/memory/index.ts";
import type { Clock } from "../../src/entries/store.ts";
import { createGuard, guardFunction } from "../../src/index.ts";

/** A clock that the test moves; timers fire while it moves. */
function handClock() {
  let time = 0;
  const timers = new Set<{ at: number; run: () => void }>();
  const add = (ms: number, run: () => void) => {
    const timer = { at: time + ms, run };
    timers.add(timer);
    return () => {
      timers.delete(timer);
    };
  };
  const clock: Clock = { monotonic: () => time, wall: () => 1_800_000_000_000 + time, after: add, later: add };
  const settle = async () => {
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    clock,
    async move(ms: number, step = 500) {
      for (const end = time + ms; time < end; ) {
        time = Math.min(end, time + step);
        for (const timer of [...timers].filter(({ at }) => at <= time)) {
          timers.delete(timer);
          timer.run();
        }
        await settle();
      }
    },
  };
}

it("I5: an attempt of a dead process ends although the store's clock stands still, once a lease has passed on the watcher's own clock", async () => {
  const store = memoryStore({ now: () => 1_700_000_000_000 });
  const secret = "a secret of at least sixteen bytes";
  const dead = createGuard({ store, secret, clock: handClock().clock });
  const never = guardFunction(dead, { server: "bank", tool: "pay" }, () => new Promise(() => {}));
  void never({ order: 1 });

  const hand = handClock();
  const watcher = createGuard({ store: store.another(), secret, clock: hand.clock });
  await watcher.start();
  await hand.move(29_000);
  expect((await watcher.queue.list({ index: "open" })).items[0]?.state).toBe("in_flight");
  await hand.move(91_000);
  const { items } = await watcher.queue.list({ index: "open" });
  expect(items.map(({ state, reason }) => ({ state, reason }))).toEqual([{ state: "uncertain", reason: "owner_gone" }]);
});

it("an attempt that is renewed is not idle, however long it runs", async () => {
  const hand = handClock();
  const store = memoryStore({ now: () => 1_700_000_000_000 });
  const guard = createGuard({ store, secret: "a secret of at least sixteen bytes", clock: hand.clock });
  await guard.start();
  const never = guardFunction(guard, { server: "bank", tool: "pay" }, () => new Promise(() => {}));
  void never({ order: 1 });
  await hand.move(55_000);
  expect((await guard.queue.list({ index: "open" })).items[0]?.state).toBe("in_flight");
});
