/**
 * Ends calls that never settle: ioredis has some, although each command has a time limit of its own. One timer looks
 * after all calls, because a timer for each would cost more than the rest of the call.
 */

interface Call {
  readonly since: number;
  reject(error: unknown): void;
}

export interface Watchdog {
  /** The same promise, but it ends: at the latest half of the time limit after the limit. */
  over<T>(promise: Promise<T>, since: number): Promise<T>;
}

/** @param limit in ms */
export function watchdog(limit: number): Watchdog {
  const calls = new Set<Call>();
  let timer: NodeJS.Timeout | undefined;

  function look(): void {
    const oldest = performance.now() - limit;
    for (const call of calls) {
      if (call.since > oldest) break; // the rest is younger
      calls.delete(call);
      call.reject(new Error(`no answer within ${limit} ms`));
    }
    if (calls.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  return {
    over: (promise, since) =>
      new Promise((resolve, reject) => {
        const call: Call = { since, reject };
        calls.add(call);
        timer ??= setInterval(look, Math.max(1, limit / 2));
        promise.then(
          (value) => {
            calls.delete(call);
            resolve(value);
          },
          (error) => {
            calls.delete(call);
            reject(error);
          },
        );
      }),
  };
}
