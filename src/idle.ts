/**
 * A second clock for leases. A lease ends on the store's clock; if that clock jumped back it would never end, so an
 * attempt whose record this process saw unchanged for a whole lease, on its own monotonic clock, is over too. On the same
 * walk, what a loss of the store made doubtful is written down, so that it holds other calls.
 */
import type { Parts } from "./guard-parts.ts";
import { countLoss } from "./loss.ts";
import type { Operation } from "./operation.ts";

export interface IdleWatch {
  /** One walk over the open records. Ends the attempts that nobody has renewed for a lease. */
  walk(): Promise<void>;
}

const PAGE = 200;
/** Attempts watched at most; beyond that the store's clock has to do. */
const MOST = 10_000;

export function idleWatch(parts: Parts): IdleWatch {
  const { runtime, ledger } = parts;
  let seen = new Map<string, { readonly version: number; readonly since: number }>();

  async function endIfIdle(operation: Operation, since: number): Promise<void> {
    const unchangedFor = runtime.clock.monotonic() - since;
    await ledger.move(operation, { type: "lease_over", unchangedFor }, { expect: operation.version });
  }

  return {
    async walk() {
      const now = runtime.clock.monotonic();
      const next: typeof seen = new Map();
      let cursor: string | undefined;
      do {
        const page = await runtime.store.list({ index: "open", limit: PAGE, ...(cursor !== undefined && { cursor }) });
        for (const operation of page.items.map(ledger.handle)) {
          if (operation.record.state !== "in_flight") {
            await countLoss(parts, operation);
            continue;
          }
          const known = seen.get(operation.id);
          const since = known?.version === operation.version ? known.since : now;
          next.set(operation.id, { version: operation.version, since });
          await endIfIdle(operation, since);
        }
        cursor = page.nextCursor;
      } while (cursor !== undefined && next.size < MOST);
      seen = next;
    },
  };
}
