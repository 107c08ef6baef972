/** What this process knows about a server's clock, from the times in its answers. Machine clocks are never compared. */

/** How long the best sample is trusted: two clocks drift apart. In ms. */
const TRUST = 10_000;

export interface StoreClock {
  /** Whether there is a sample at all. */
  known(): boolean;
  /** Learns from an answer: the server's clock said `time` somewhere between two moments of our own. */
  learn(time: number, sent: number, received: number): void;
  /** The server's clock at one of our moments, at least: never later than it really was. */
  at(moment: number): number;
  /** The server behind the connection may be another one now. */
  forget(): void;
}

/** Moments are those of `performance.now()`. */
export function storeClock(): StoreClock {
  // The server's clock minus ours is at least `offset`. The tightest of the recent bounds is kept.
  let offset = Number.NEGATIVE_INFINITY;
  let learned = Number.NEGATIVE_INFINITY;
  return {
    known: () => learned !== Number.NEGATIVE_INFINITY,
    learn(time, sent, received) {
      const least = time - received;
      const most = time + 1 - sent;
      if (least <= offset && offset <= most && received - learned < TRUST) return;
      offset = least;
      learned = received;
    },
    at: (moment) => Math.floor(moment + offset),
    forget() {
      offset = Number.NEGATIVE_INFINITY;
      learned = Number.NEGATIVE_INFINITY;
    },
  };
}
