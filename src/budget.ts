/** One deadline for the whole call: sends, waits, looks and store writes included. Timers of others do not decide. */
import type { Clock } from "./ports.ts";

export interface Budget {
  /** ms left; never negative. */
  remaining(): number;
  /** The server showed that it works: the deadline starts anew, up to the maximum. */
  progressed(): void;
  /** A person is typing: the clock stands still while true, `longest` ms at most. */
  waiting(yes: boolean): void;
  /** The promise, or why waiting ended. `keep` ms of the budget are left over for what comes after. */
  race<T>(promise: Promise<T>, signal: AbortSignal | undefined, keep?: number): Promise<Raced<T>>;
  /** Resolves after `ms`, or at the end of the budget (false) or abort (false). */
  sleep(ms: number, signal: AbortSignal | undefined): Promise<boolean>;
}

export type Raced<T> = { readonly kind: "value"; readonly value: T } | { readonly kind: "deadline" | "aborted" };

export function budget(clock: Clock, deadline: number, longest: number): Budget {
  const start = clock.monotonic();
  let end = start + deadline;
  let pausedAt: number | undefined;
  /** The clock stands still for a person, but not for ever. */
  const pausedTooLong = () => pausedAt !== undefined && clock.monotonic() - pausedAt > longest;
  const remaining = () => (pausedTooLong() ? 0 : Math.max(0, end - (pausedAt ?? clock.monotonic())));

  const self: Budget = {
    remaining,
    progressed() {
      end = Math.max(end, Math.min(clock.monotonic() + deadline, start + longest));
    },
    waiting(yes) {
      if (yes) pausedAt ??= clock.monotonic();
      else if (pausedAt !== undefined) {
        end += clock.monotonic() - pausedAt;
        pausedAt = undefined;
      }
    },
    race: (promise, signal, keep = 0) =>
      new Promise((resolve, reject) => {
        let cancel = () => {};
        const done = () => {
          cancel();
          signal?.removeEventListener("abort", onAbort);
        };
        const onAbort = () => {
          done();
          resolve({ kind: "aborted" });
        };
        const arm = () => {
          const left = remaining() - keep;
          if (left <= 0) {
            done();
            resolve({ kind: "deadline" });
          } else cancel = clock.after(pausedAt === undefined ? left : Math.max(left, 250), arm);
        };
        promise.then(
          (value) => {
            done();
            resolve({ kind: "value", value });
          },
          (error) => {
            done();
            reject(error);
          },
        );
        if (signal?.aborted) return onAbort();
        signal?.addEventListener("abort", onAbort, { once: true });
        arm();
      }),
    async sleep(ms, signal) {
      let cancel = () => {};
      const timer = new Promise<void>((resolve) => {
        cancel = clock.after(ms, resolve);
      });
      const raced = await self.race(timer, signal);
      cancel();
      return raced.kind === "value";
    },
  };
  return self;
}
