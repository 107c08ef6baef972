/** A clock that the test moves; timers fire while it moves. */
import type { Clock } from "../../../src/entries/store.ts";
import { T0 } from "./machine.ts";

export interface HandClock {
  readonly clock: Clock;
  now(): number;
  /** What is under way without a timer. */
  settle(): Promise<void>;
  /** Timer by timer; what each one sets going is finished before the next. */
  move(ms: number): Promise<void>;
}

export function handClock(): HandClock {
  let time = 0;
  const timers = new Set<{ readonly at: number; readonly run: () => void }>();
  const after = (ms: number, run: () => void) => {
    const timer = { at: time + Math.max(0, ms), run };
    timers.add(timer);
    return () => void timers.delete(timer);
  };
  const settle = async () => {
    for (let turn = 0; turn < 30; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    clock: { monotonic: () => time, wall: () => T0 + time, after, later: after },
    now: () => T0 + time,
    settle,
    async move(ms) {
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
