/** Removes what has expired, a little at a time, and never keeps the process alive for it. */
import { clean } from "./steps.ts";
import type { StoreFile } from "./store-file.ts";

/** So few at a time that one transaction stays short. */
const BATCH = 100;
const FIRST = 1_000;
const AT_ONCE = 20;
const REST = 60_000;

/** Returns the function that ends it. */
export function startCleaning(file: StoreFile): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const plan = (ms: number): void => {
    if (isOver) return;
    timer = setTimeout(tick, ms);
    timer.unref();
  };
  const tick = async (): Promise<void> => {
    // A failure is told to whoever calls the store next; expired records are not shown even while they are there.
    const removed = await file.write(REST, (transaction) => clean(transaction, BATCH)).catch(() => 0);
    plan(removed === BATCH ? AT_ONCE : REST);
  };
  plan(FIRST);
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
