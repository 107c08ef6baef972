/** What a server asks the client while calls are open: they wait until it is answered. */
import type { Flight } from "./flight.ts";

/** The flights that wait, by question. */
export type AskedQuestions = Map<string, readonly Flight[]>;

/** A question that nobody answers is forgotten with the last flight that waits for it. */
export function waitFor(asked: AskedQuestions, key: string, open: readonly Flight[]): void {
  const waiting = open.filter((flight) => !flight.settled && flight.wait(`asked ${key}`));
  if (waiting.length === 0) return;
  asked.set(key, waiting);
  void Promise.all(waiting.map(({ evidence }) => evidence)).then(() => {
    if (asked.get(key) === waiting) asked.delete(key);
  });
}

export function goOn(asked: AskedQuestions, key: string): void {
  for (const flight of asked.get(key) ?? []) flight.goOn(`asked ${key}`);
  asked.delete(key);
}
