/** One clock for engine, store, network and destination. Nothing passes by itself: a run says when time goes on. */
import type { Clock } from "../../src/entries/store.ts";

/** Monday, 4 January 2027, 12:00 UTC: where every run starts. */
export const START = 1_799_064_000_000;

export interface VirtualTime {
  /** ms since 1970, as an observer above the world sees it. */
  now(): number;
  after(ms: number, run: () => void): () => void;
  sleep(ms: number): Promise<void>;
  /** Lets `ms` pass, timer by timer; everything that a timer sets going is finished before the next one. */
  advance(ms: number): Promise<void>;
  /** Finishes everything that needs no time. */
  settle(): Promise<void>;
  /** For libraries that know no other clock (p-retry): the global timers follow this one until the returned call. */
  install(): () => void;
}

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

const realImmediate = setImmediate;

export function virtualTime(): VirtualTime {
  const timers = new Set<Timer>();
  let now = START;
  let order = 0;

  const settle = () => new Promise<void>((resolve) => void realImmediate(resolve));
  const after = (ms: number, run: () => void) => {
    order += 1;
    const timer = { at: now + Math.max(0, Math.ceil(ms)), order, run };
    timers.add(timer);
    return () => void timers.delete(timer);
  };
  const next = (until: number): Timer | undefined => {
    let first: Timer | undefined;
    for (const timer of timers) {
      if (timer.at > until) continue;
      if (!first || timer.at < first.at || (timer.at === first.at && timer.order < first.order)) first = timer;
    }
    return first;
  };

  return {
    now: () => now,
    after,
    settle,
    sleep: (ms) => new Promise((resolve) => void after(ms, resolve)),
    async advance(ms) {
      const until = now + ms;
      await settle();
      for (let timer = next(until); timer; timer = next(until)) {
        now = Math.max(now, timer.at);
        timers.delete(timer);
        timer.run();
        await settle();
      }
      now = until;
    },
    install() {
      const real = { setTimeout, clearTimeout, performanceNow: performance.now, random: Math.random };
      const cancels = new WeakMap<object, () => void>();
      const fake = (run: () => void, ms = 0) => {
        const handle = { unref: () => handle, ref: () => handle };
        cancels.set(handle, after(ms, run));
        return handle;
      };
      globalThis.setTimeout = fake as unknown as typeof setTimeout;
      globalThis.clearTimeout = ((handle: object | undefined) =>
        handle && cancels.get(handle)?.()) as typeof clearTimeout;
      performance.now = () => now - START;
      Math.random = () => 0.5;
      return () => {
        globalThis.setTimeout = real.setTimeout;
        globalThis.clearTimeout = real.clearTimeout;
        performance.now = real.performanceNow;
        Math.random = real.random;
      };
    },
  };
}

/** The clock of one process: dead processes hear no timer; the wall clock may be stepped. */
export function clockOf(time: VirtualTime, process: { readonly alive: boolean; readonly wallOffset: number }): Clock {
  const after = (ms: number, run: () => void) => time.after(ms, () => process.alive && run());
  return {
    monotonic: () => time.now() - START,
    wall: () => time.now() + process.wallOffset,
    after,
    later: after,
  };
}
