/** Failed sign-ins are counted per address and in all, so that guessing does not get far from anywhere. */

export interface RateLimit {
  /** Seconds to wait, or 0. */
  waitFor(address: string): number;
  failed(address: string): void;
}

const WINDOW_MS = 5 * 60_000;
const MOST_PER_ADDRESS = 10;
const MOST_IN_ALL = 100;
const MOST_ADDRESSES = 10_000;

export function rateLimit(now: () => number = Date.now): RateLimit {
  let counts = new Map<string, number>();
  let inAll = 0;
  let endsAt = 0;

  const turn = () => {
    if (now() < endsAt) return;
    counts = new Map();
    inAll = 0;
    endsAt = now() + WINDOW_MS;
  };

  return {
    waitFor(address) {
      turn();
      const over = inAll >= MOST_IN_ALL || (counts.get(address) ?? 0) >= MOST_PER_ADDRESS;
      return over ? Math.ceil((endsAt - now()) / 1000) : 0;
    },
    failed(address) {
      turn();
      inAll += 1;
      if (counts.size < MOST_ADDRESSES || counts.has(address)) counts.set(address, (counts.get(address) ?? 0) + 1);
    },
  };
}
