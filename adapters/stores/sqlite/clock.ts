/** The file's clock: this machine's wall clock, never behind the highest time that the file has seen. */
import type { Clock, Instant } from "../../../src/entries/store.ts";

export type MachineClock = Pick<Clock, "wall" | "monotonic">;

export interface FileClock {
  now(): Instant;
  /** Learns a time that the file has seen. */
  observe(time: Instant): void;
}

/** A wall clock that is further behind than this was set back: time then goes on from the highest one seen. */
const SET_BACK = 1_000;

/**
 * Small steps back of the wall clock are held until it catches up. After a large one the clock counts on from the highest
 * time seen, at the pace of the monotonic clock, so that leases and due times still come.
 */
export function fileClock(machine: MachineClock): FileClock {
  let highest = 0;
  let seenAt = machine.monotonic();
  const raise = (time: Instant): void => {
    highest = time;
    seenAt = machine.monotonic();
  };
  const now = (): Instant => {
    const wall = Math.floor(machine.wall());
    if (wall >= highest) raise(wall);
    else if (highest - wall > SET_BACK) {
      const elapsed = Math.floor(machine.monotonic() - seenAt);
      if (elapsed > 0) raise(highest + elapsed);
    }
    return highest;
  };
  return {
    now,
    observe(time) {
      if (time > now()) raise(time);
    },
  };
}

export const machineClock: MachineClock = { wall: () => Date.now(), monotonic: () => performance.now() };
