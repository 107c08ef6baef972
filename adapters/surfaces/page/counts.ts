/** Counts of the queue, taken at most once in a while for all who look. */
import type { Queue, QueueStats } from "../../../src/index.ts";

export interface Counts {
  /** The last ones, however old. */
  known(): QueueStats | undefined;
  /** Fresh ones where they come in time, else the last ones: a page never waits long for its numbers. */
  soon(): Promise<QueueStats | undefined>;
  /** They are out of date: something was decided here. */
  forget(): void;
}

const FRESH_FOR_MS = 3_000;
const LONGEST_WAIT_MS = 150;

export function countsOf(queue: Pick<Queue, "stats">, now: () => number = Date.now): Counts {
  let last: QueueStats | undefined;
  let takenAt = Number.NEGATIVE_INFINITY;
  let running: Promise<void> | undefined;

  async function take(): Promise<void> {
    const at = now();
    try {
      last = await queue.stats();
      takenAt = at;
    } catch {
      // Whoever asks for the list hears that the store is away; numbers alone are no reason for an error.
    } finally {
      running = undefined;
    }
  }

  return {
    known: () => last,
    async soon() {
      if (now() - takenAt < FRESH_FOR_MS) return last;
      running ??= take();
      await Promise.race([running, new Promise((resolve) => setTimeout(resolve, LONGEST_WAIT_MS).unref())]);
      return last;
    },
    forget() {
      takenAt = Number.NEGATIVE_INFINITY;
    },
  };
}
