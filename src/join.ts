/** Waits for an operation that somebody else drives. The wait ends with its outcome, its doubt, or the caller's budget. */
import type { Drive } from "./drive-api.ts";
import type { Parts } from "./guard-parts.ts";

const FIRST_POLL = 20;
const LONGEST_POLL = 500;

/** `begin_again`: it turned out to have sent nothing. */
export async function waitFor(parts: Parts, run: Drive): Promise<"ended" | "begin_again"> {
  const { operation, budget, signal } = run;
  const woken = listen(parts, operation.id);
  try {
    for (let pause = FIRST_POLL; ; pause = Math.min(pause * 1.5, LONGEST_POLL)) {
      const raced = await budget.race(woken.next(parts.runtime.clock, pause), signal);
      if (raced.kind !== "value") return "ended";
      const fresh = await parts.ledger.load(operation.id);
      if (!fresh.operation) {
        // It was in flight and its record is gone: that is a loss, not a proof that nothing was sent (I7).
        operation.record = { ...operation.record, state: "uncertain", reason: "store_loss" };
        return "ended";
      }
      Object.assign(operation, { ...fresh.operation, queue: operation.queue });
      await parts.ledger.move(operation, { type: "lease_over" });
      if (operation.record.state === "in_flight") continue;
      if (operation.record.state !== "ready") return "ended";
      if (parts.runtime.storeNow() >= (operation.record.permit?.from ?? 0)) return "begin_again";
    }
  } finally {
    woken.stop();
  }
}

/** In the same process a move wakes the waiter at once; polling is the truth for all others. */
function listen(parts: Parts, id: string) {
  let wake = () => {};
  const stop = parts.runtime.events.on("transition", (moved) => {
    if (moved.operation === id && moved.row !== "renew") wake();
  });
  return {
    stop,
    next: (clock: Parts["runtime"]["clock"], ms: number) =>
      new Promise<void>((resolve) => {
        const cancel = clock.after(ms, resolve);
        wake = () => {
          cancel();
          resolve();
        };
      }),
  };
}
