/** Where calls wait for a connection. It is open, shut for now, or shut for a reason. */

export interface Gate<Pass> {
  /** What those get who come through; `undefined` while it is shut. */
  pass(): Pass | undefined;
  open(pass: Pass): void;
  shut(): void;
  /** Those who wait and those who come later are told, until it opens. */
  refuse(reason: unknown): void;
  /** Forgets the reason of the last `refuse`. */
  reconsider(): void;
  /** @param late makes the error for those who have waited long enough */
  enter(within: number, late: () => unknown): Promise<Pass>;
}

interface Waiter<Pass> {
  resolve(pass: Pass): void;
  reject(error: unknown): void;
}

export function gate<Pass>(): Gate<Pass> {
  const waiters = new Set<Waiter<Pass>>();
  let current: Pass | undefined;
  let refusal: unknown;

  function settle(each: (waiter: Waiter<Pass>) => void): void {
    for (const waiter of waiters) each(waiter);
    waiters.clear();
  }

  return {
    pass: () => current,
    open(pass) {
      refusal = undefined;
      current = pass;
      settle((waiter) => waiter.resolve(pass));
    },
    shut() {
      current = undefined;
    },
    refuse(reason) {
      refusal = reason;
      settle((waiter) => waiter.reject(reason));
    },
    reconsider() {
      refusal = undefined;
    },
    enter(within, late) {
      if (refusal !== undefined) return Promise.reject(refusal);
      if (current !== undefined) return Promise.resolve(current);
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => finish(() => reject(late())), Math.max(0, within));
        const finish = (end: () => void) => {
          clearTimeout(timer);
          waiters.delete(waiter);
          end();
        };
        const waiter: Waiter<Pass> = {
          resolve: (pass) => finish(() => resolve(pass)),
          reject: (error) => finish(() => reject(error)),
        };
        waiters.add(waiter);
      });
    },
  };
}
