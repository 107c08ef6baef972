/** Stores that fail in scripted ways. */

import type { Store } from "../../src/entries/store.ts";
import { IndoubtError } from "../../src/index.ts";

type Step = "begin" | "swap" | "read" | "due" | "list";

export interface Fragile {
  readonly store: Store;
  /** From now on these steps are refused; nothing is written. */
  down(...steps: Step[]): void;
  /** The next `begin` is written, its answer is lost. */
  loseNextBegin(): void;
  up(): void;
  calls(step: Step): number;
}

export function fragile(inner: Store): Fragile {
  const failing = new Set<string>();
  const counts = new Map<string, number>();
  let lose = false;
  const store = new Proxy(inner, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return async (...args: unknown[]) => {
        counts.set(String(name), (counts.get(String(name)) ?? 0) + 1);
        if (failing.has(String(name))) throw new IndoubtError("STORE_UNAVAILABLE", "The store is away.");
        const answer = await (value as (...given: unknown[]) => Promise<unknown>).apply(target, args);
        if (name !== "begin" || !lose) return answer;
        lose = false;
        throw new IndoubtError("STORE_UNAVAILABLE", "The answer was lost.", { effect: "possible" });
      };
    },
  });
  return {
    store,
    down: (...steps) => steps.forEach((step) => void failing.add(step)),
    loseNextBegin: () => {
      lose = true;
    },
    up: () => failing.clear(),
    calls: (step) => counts.get(step) ?? 0,
  };
}
