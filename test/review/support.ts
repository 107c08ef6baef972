/** A hand-moved clock under guard and store, and a destination that counts its effects. */
import { memoryStore } from "../../adapters/stores/memory/index.ts";
import { type Clock, createGuard, type GuardOptions } from "../../src/index.ts";

export const SECRET = "a secret of at least sixteen bytes";
export const T0 = 1_800_000_000_000;

export function handClock() {
  let time = 0;
  const timers = new Set<{ at: number; run: () => void }>();
  const add = (ms: number, run: () => void) => {
    const timer = { at: time + Math.max(0, ms), run };
    timers.add(timer);
    return () => void timers.delete(timer);
  };
  const clock: Clock = { monotonic: () => time, wall: () => T0 + time, after: add, later: add };
  const settle = async () => {
    for (let turn = 0; turn < 30; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    clock,
    now: () => T0 + time,
    settle,
    async move(ms: number) {
      const end = time + ms;
      await settle();
      for (;;) {
        const next = [...timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
        if (!next) break;
        time = Math.max(time, next.at);
        timers.delete(next);
        next.run();
        await settle();
      }
      time = end;
    },
  };
}

export function world(options: Omit<GuardOptions, "store" | "secret" | "clock"> = {}) {
  const hand = handClock();
  const store = memoryStore({ now: hand.now });
  const guard = createGuard({ store, secret: SECRET, clock: hand.clock, ...options });
  return { hand, store, guard };
}

export const never = (): Promise<never> => new Promise(() => {});

/** A UUIDv7 minted at `ms`. */
export function uuidv7(ms: number): string {
  const hex = Math.floor(ms).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7abc-8abc-0123456789ab`;
}
