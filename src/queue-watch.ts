/** The queue as a stream of changes: looked at again and again, for no store tells by itself. */
import { isStoreGone } from "./errors.ts";
import type { Parts } from "./guard-parts.ts";
import type { QueueChange, QueueItem, WatchOptions } from "./queue-api.ts";
import { invalid } from "./queue-decide.ts";
import { checkFilter, findItems } from "./queue-list.ts";

const MOST_SCANNED = 20_000;

export function watchQueue(parts: Parts, options: WatchOptions): AsyncIterable<QueueChange> {
  const { filter = {}, everyMs = 1_000 } = options;
  if (!(everyMs >= 50 && everyMs <= 3_600_000)) throw invalid("everyMs: 50 to 3600000.");
  checkFilter(filter);
  return changes(parts, { filter, everyMs, signal: options.signal });
}

interface Watch {
  readonly filter: NonNullable<WatchOptions["filter"]>;
  readonly everyMs: number;
  readonly signal: AbortSignal | undefined;
}

async function* changes(parts: Parts, { filter, everyMs, signal }: Watch): AsyncGenerator<QueueChange, void> {
  let known = new Map<string, QueueItem>();
  while (!signal?.aborted) {
    const seen = await look(parts, filter);
    if (seen && !signal?.aborted) {
      yield* difference(known, seen);
      known = seen;
    }
    await pause(parts, everyMs, signal);
  }
}

/** Undefined while the store is away: what is known then stays. */
async function look(parts: Parts, filter: Watch["filter"]): Promise<Map<string, QueueItem> | undefined> {
  try {
    const { found } = await findItems(parts, { ...filter, limit: filter.limit ?? 1_000 }, MOST_SCANNED);
    return new Map(found.map(({ item }) => [item.id, item]));
  } catch (error) {
    if (isStoreGone(error)) return undefined;
    throw error;
  }
}

function* difference(known: ReadonlyMap<string, QueueItem>, seen: ReadonlyMap<string, QueueItem>) {
  for (const [id, item] of known) if (!seen.has(id)) yield { kind: "removed", item } as const;
  for (const [id, item] of seen) {
    const before = known.get(id);
    if (!before) yield { kind: "added", item } as const;
    else if (before.version !== item.version) yield { kind: "changed", item } as const;
  }
}

/** Keeps the process alive: somebody reads the stream. */
function pause({ runtime }: Parts, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      cancel();
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const cancel = runtime.clock.after(ms, done);
    signal?.addEventListener("abort", done, { once: true });
    if (signal?.aborted) done();
  });
}
