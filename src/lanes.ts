/** Work for many items: so many at a time, or not longer than so long. */
import type { Clock } from "./ports.ts";

/** Waits for all of it, but not longer than `ms`. */
export async function within(clock: Clock, ms: number, work: readonly (Promise<unknown> | undefined)[]): Promise<void> {
  const pending = work.filter((each) => each !== undefined);
  if (pending.length === 0) return;
  let cancel = () => {};
  const tooLong = new Promise<void>((resolve) => {
    cancel = clock.after(ms, resolve);
  });
  await Promise.race([Promise.allSettled(pending), tooLong]);
  cancel();
}

export async function inLanes<T>(items: readonly T[], lanes: number, work: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const lane = async () => {
    for (let item = waiting.shift(); item; item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(lanes, items.length) }, lane));
}
