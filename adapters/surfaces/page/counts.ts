/**
 * How many operations wait, for the head of every page. Counted at most once in a while for all who look, and never
 * beyond a bound: a page costs the same however long the queue is.
 */
import type { Queue } from "../../../src/entries/queue.ts";

export interface Numbers {
  /** Items that wait for a person. */
  readonly waiting: number;
  /** Items that automation works on, or whose result was not fetched yet. */
  readonly underWay: number;
  /** Of these: in doubt. */
  readonly uncertain: number;
  /** There are more than were counted. */
  readonly more: { readonly waiting: boolean; readonly underWay: boolean };
  /** ms since the oldest waiting one was issued. */
  readonly oldestMs?: number;
}

export interface Counts {
  /** The last ones, however old. */
  known(): Numbers | undefined;
  /** Fresh ones where they come in time, else the last ones: a page never waits long for its numbers. */
  soon(): Promise<Numbers | undefined>;
  /** They are out of date: something was decided here. */
  forget(): void;
}

const FRESH_FOR_MS = 2_000;
const LONGEST_WAIT_MS = 150;
const MOST_COUNTED = 500;

export function countsOf(queue: Pick<Queue, "list">, now: () => number = Date.now): Counts {
  let last: Numbers | undefined;
  let takenAt = Number.NEGATIVE_INFINITY;
  let running: Promise<void> | undefined;

  async function take(): Promise<void> {
    const at = now();
    try {
      last = await count(queue);
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

async function count(queue: Pick<Queue, "list">): Promise<Numbers> {
  const [waiting, underWay] = await Promise.all([
    queue.list({ index: "attention", limit: MOST_COUNTED }),
    queue.list({ index: "open", limit: MOST_COUNTED }),
  ]);
  const oldest = waiting.items[0];
  return {
    waiting: waiting.items.length,
    underWay: underWay.items.length,
    uncertain: underWay.items.filter(({ state }) => state === "uncertain").length,
    more: { waiting: waiting.nextCursor !== undefined, underWay: underWay.nextCursor !== undefined },
    ...(oldest && { oldestMs: oldest.ageMs }),
  };
}
