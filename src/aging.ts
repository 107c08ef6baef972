/** Tells what has waited too long for a person. Once for each item and process; what has left the queue is forgotten. */
import { noticeOf } from "./changes.ts";
import type { Parts } from "./guard-parts.ts";

export interface AgingWatch {
  /** Looks at the old end of the queue, if it is time to. */
  walk(): Promise<void>;
}

const PAGE = 200;
/** Items looked at in one walk, the oldest first. */
const MOST = 2_000;
const SELDOM = 60_000;

export function agingWatch({ runtime, ledger }: Parts): AgingWatch {
  let told = new Set<string>();
  let walkedAt = Number.NEGATIVE_INFINITY;

  return {
    async walk() {
      const { oldAfter, sweepEvery } = runtime.settings;
      const pause = Math.max(sweepEvery, Math.min(SELDOM, oldAfter / 4));
      if (runtime.clock.monotonic() - walkedAt < pause) return;
      walkedAt = runtime.clock.monotonic();
      const old = new Set<string>();
      let cursor: string | undefined;
      let seen = 0;
      do {
        const request = { index: "attention", limit: PAGE, ...(cursor !== undefined && { cursor }) } as const;
        const page = await runtime.store.list(request);
        const ripe = page.items.map(ledger.handle).filter(({ record }) => page.now - record.issuedAt >= oldAfter);
        for (const operation of ripe) {
          old.add(operation.id);
          if (!told.has(operation.id)) runtime.events.emit("aged", noticeOf(operation, page.now));
        }
        seen += page.items.length;
        cursor = ripe.length === page.items.length ? page.nextCursor : undefined;
      } while (cursor !== undefined && seen < MOST);
      told = old;
    },
  };
}
