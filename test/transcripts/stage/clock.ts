/** The machine's clocks, with hours that pass at once: what takes a night in life takes a moment here. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../../../src/entries/store.ts";

export interface StageClock extends Clock {
  /** Lets this many ms pass. Timers fire in their order, in small steps, so that what renews itself gets its turn. */
  pass(ms: number): Promise<void>;
}

interface Timer {
  readonly at: number;
  readonly keepsAlive: boolean;
  run(): void;
}

/** Shorter than a third of a lease: what renews itself gets its turn. */
const STEP = 5_000;
/** Time for real I/O between two steps: a pipe, a process. The store is waited for. */
const BREATH = 15;

/** @param busy whether the store is at work: its time limits count by this clock, so time stands still meanwhile */
export function stageClock(busy: () => boolean): StageClock {
  const timers = new Set<Timer>();
  let ahead = 0;
  let wake: NodeJS.Timeout | undefined;
  const monotonic = () => performance.now() + ahead;

  function fire(): void {
    const due = [...timers].filter(({ at }) => at <= monotonic()).sort((a, b) => a.at - b.at);
    for (const timer of due) if (timers.delete(timer)) timer.run();
    arm();
  }

  function arm(): void {
    clearTimeout(wake);
    if (timers.size === 0) return;
    const next = Math.min(...[...timers].map(({ at }) => at));
    wake = setTimeout(fire, Math.min(Math.max(0, next - monotonic()), 60_000));
    if (![...timers].some(({ keepsAlive }) => keepsAlive)) wake.unref();
  }

  function add(ms: number, run: () => void, keepsAlive: boolean): () => void {
    const timer = { at: monotonic() + ms, run, keepsAlive };
    timers.add(timer);
    arm();
    return () => {
      timers.delete(timer);
      arm();
    };
  }

  return {
    monotonic,
    wall: () => Date.now() + ahead,
    after: (ms, run) => add(ms, run, true),
    later: (ms, run) => add(ms, run, false),
    async pass(ms) {
      const step = Math.max(STEP, Math.ceil(ms / 12));
      for (let left = ms; left > 0; left -= step) {
        await idle(busy);
        ahead += Math.min(step, left);
        fire();
        await sleep(BREATH);
      }
      await idle(busy);
    },
  };
}

async function idle(busy: () => boolean): Promise<void> {
  await sleep(BREATH);
  while (busy()) await sleep(5);
}
