/**
 * Group commit: all writes queued in one tick of the event loop run in one transaction and are answered after its
 * commit, so that they share one sync of the disk. Meeting the lock of another process never blocks the event loop: the
 * queue tries again a moment later.
 */
import type { MachineClock } from "./clock.ts";
import { isBusy } from "./connection.ts";
import { failureOf } from "./driver.ts";
import { stillBusy, unavailable } from "./failures.ts";
import type { Opened, Transaction } from "./transaction.ts";

/** So many writes share one transaction at most, and no further one joins after so many ms of work. */
const LARGEST_GROUP = 256;
const LONGEST_WORK = 3;

interface Job {
  readonly work: (transaction: Transaction) => unknown;
  readonly queuedAt: number;
  readonly limit: number;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** It was in a group that failed: it now runs by itself, so that it cannot take others with it. */
  alone: boolean;
}

export interface GroupCommit {
  /**
   * Runs `work` in the next transaction.
   * @param limit how long to wait for another process's lock, in ms
   * @throws IndoubtError `STORE_UNAVAILABLE`
   */
  write<T>(limit: number, work: (transaction: Transaction) => T): Promise<T>;
  /** Waits until everything queued is answered, at most `limit` ms; what is left is refused. */
  drain(limit: number, refusal: Error): Promise<void>;
}

export interface GroupCommitOptions {
  readonly file: string;
  readonly clock: MachineClock;
  /** Takes the write lock, or throws. */
  open(): Opened;
}

const soon = (run: () => void): unknown => setTimeout(run, 1 + Math.random() * 2);

export function groupCommit({ file, clock, open }: GroupCommitOptions): GroupCommit {
  const queue: Job[] = [];
  let planned = false;
  const plan = (later: (run: () => void) => unknown): void => {
    if (planned || queue.length === 0) return;
    planned = true;
    later(flush);
  };

  function flush(): void {
    planned = false;
    let opened: Opened;
    try {
      opened = open();
    } catch (error) {
      if (isBusy(error)) refuseOverdue();
      else for (const job of queue.splice(0)) job.reject(unavailable(file, error));
      plan(soon);
      return;
    }
    run(opened);
    plan(setImmediate);
  }

  function run(opened: Opened): void {
    const start = clock.monotonic();
    const size = queue[0]?.alone ? 1 : LARGEST_GROUP;
    const group: Job[] = [];
    const replies: unknown[] = [];
    try {
      while (group.length < size && clock.monotonic() - start <= LONGEST_WORK) {
        const job = queue.shift();
        if (!job) break;
        group.push(job);
        replies.push(job.work(opened.transaction));
      }
    } catch (error) {
      opened.rollback();
      if (group.length === 1) group[0]?.reject(unavailable(file, error));
      else queue.unshift(...group.map((job) => Object.assign(job, { alone: true })));
      return;
    }
    try {
      opened.commit();
    } catch (error) {
      opened.rollback();
      // After an error of the disk the commit may or may not be found when the file is opened again.
      const written = failureOf(error) === "io" ? "unknown" : "nothing";
      for (const { reject } of group) reject(unavailable(file, error, written));
      return;
    }
    for (const [n, { resolve }] of group.entries()) resolve(replies[n]);
  }

  function refuseOverdue(): void {
    for (const job of queue.splice(0)) {
      const waited = clock.monotonic() - job.queuedAt;
      if (waited > job.limit) job.reject(stillBusy(file, waited));
      else queue.push(job);
    }
  }

  return {
    write: <T>(limit: number, work: (transaction: Transaction) => T) =>
      new Promise<T>((resolve, reject) => {
        const done = resolve as (value: unknown) => void;
        queue.push({ work, limit, queuedAt: clock.monotonic(), resolve: done, reject, alone: false });
        plan(setImmediate);
      }),
    async drain(limit, refusal) {
      const start = clock.monotonic();
      while (queue.length > 0 && clock.monotonic() - start < limit) await new Promise((done) => setTimeout(done, 1));
      for (const job of queue.splice(0)) job.reject(refusal);
    },
  };
}
