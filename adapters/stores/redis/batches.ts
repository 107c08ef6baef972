/** How many commands of one sweep are on their way at once, so that calls are not kept waiting behind it. */
const BATCH = 100;

/** Runs `work` for all items, a batch at a time, and keeps their order. */
export async function inBatches<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += BATCH) {
    results.push(...(await Promise.all(items.slice(start, start + BATCH).map(work))));
  }
  return results;
}
