/**
 * Ends calls that never settle: ioredis has some, although each command has a time limit of its own. One timer looks
 * after all calls, because a timer for each would cost more than the rest of the call.
 */

/** A call under watch. */
export interface Watched {
  /** When it began, by `performance.now()`. */
  readonly since: number;
  /** It has taken too long. */
  giveUp(): void;
}

export interface Watchdog {
  watch(call: Watched): void;
  settled(call: Watched): void;
}

/** @param limit in ms; a call is given up between once and twice this time */
export function watchdog(limit: number): Watchdog {
  const calls = new Set<Watched>();
  let timer: NodeJS.Timeout | undefined;

  function look(): void {
    const oldest = performance.now() - limit;
    for (const call of calls) {
      if (call.since > oldest) break; // the rest is younger
      calls.delete(call);
      call.giveUp();
    }
    if (calls.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  return {
    watch(call) {
      calls.add(call);
      timer ??= setInterval(look, Math.max(1, limit));
      if (calls.size === 1) timer.ref();
    },
    settled(call) {
      calls.delete(call);
      // Nobody waits: a program that is done must not live on for the sake of this timer.
      if (calls.size === 0) timer?.unref();
    },
  };
}
