/** The machine's clocks, with hours that pass at once: what takes a night in life takes a moment here. */
import type { Clock } from "../../../src/index.ts";

export interface StageClock extends Clock {
  /** Lets this many ms pass. Timers fire in their order, in small steps, so that what renews itself gets its turn. */
  pass(ms: number): Promise<void>;
}

interface Timer {
  readonly at: number;
  readonly keepsAlive: boolean;
  run(): void;
}

const STEP = 5_000;
/** Time for real I/O (a file, a pipe) between two steps: a lease of 30 s must be renewed within six of them. */
const BREATH = 40;

export function stageClock(): StageClock {
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
      // Many hours in steps of 5 s would be many steps: the longer the wait, the longer the step, but at most 40.
      const step = Math.max(STEP, Math.ceil(ms / 40));
      for (let left = ms; left > 0; left -= step) {
        ahead += Math.min(step, left);
        fire();
        await new Promise((done) => setTimeout(done, BREATH));
      }
    },
  };
}
