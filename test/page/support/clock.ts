/** A clock that can be set: what takes days in life is a few calls here. Store and guard are given the same one. */
import type { Clock } from "../../../src/entries/store.ts";

export interface SetClock extends Clock {
  /** Everything after this happens so many ms before now. */
  before(ms: number): void;
}

export function setClock(behind = 0): SetClock {
  let offset = behind;
  const timer = (ms: number, run: () => void) => setTimeout(run, Math.min(Math.max(ms, 0), 2_147_483_647));
  return {
    before(ms) {
      offset = ms;
    },
    wall: () => Date.now() - offset,
    monotonic: () => performance.now() - offset + 1e10,
    after(ms, run) {
      const handle = timer(ms, run);
      return () => clearTimeout(handle);
    },
    later(ms, run) {
      const handle = timer(ms, run).unref();
      return () => clearTimeout(handle);
    },
  };
}
