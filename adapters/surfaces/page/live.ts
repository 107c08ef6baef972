/**
 * Looks at what open pages show, once in a while and once for all that show the same, and tells them when it is another.
 * It reads exactly what the page reads, so a live page costs a page per look, however long the queue is.
 */
import { isAway } from "./problems.ts";

export type News =
  /** What is there now; a page that shows another signature is out of date. */
  { readonly kind: "shown"; readonly signature: string } | { readonly kind: "away" };

export interface Live {
  /** @param key pages with the same key show the same @param read a signature of what is there */
  follow(key: string, read: () => Promise<string>, listener: (news: News) => void): () => void;
  /** Aborts when the page closes. */
  readonly closing: AbortSignal;
  close(): void;
}

/** Of the time, at most one part in so many is spent on looking. */
const SHARE = 20;
const LONGEST_PAUSE_MS = 5_000;

interface Watched {
  readonly listeners: Set<(news: News) => void>;
  last?: News;
  timer?: NodeJS.Timeout;
}

export function liveLooks(everyMs: number): Live {
  const watched = new Map<string, Watched>();
  const ending = new AbortController();

  async function look(key: string, entry: Watched, read: () => Promise<string>): Promise<void> {
    const began = performance.now();
    const news = await read().then(
      (signature): News => ({ kind: "shown", signature }),
      // Other errors are told by the page itself when it is loaded again.
      (error: unknown): News => (isAway(error) ? { kind: "away" } : { kind: "shown", signature: "error" }),
    );
    if (watched.get(key) !== entry) return;
    if (JSON.stringify(news) !== JSON.stringify(entry.last)) {
      entry.last = news;
      for (const listener of entry.listeners) listener(news);
    }
    // A filter that fits little looks at many records: what takes long is looked at less often.
    const slow = news.kind === "away" ? 0 : Math.min(LONGEST_PAUSE_MS, (performance.now() - began) * SHARE);
    const pause = Math.max(everyMs, slow);
    entry.timer = setTimeout(() => void look(key, entry, read), pause).unref();
  }

  return {
    closing: ending.signal,
    follow(key, read, listener) {
      const entry = watched.get(key) ?? { listeners: new Set() };
      entry.listeners.add(listener);
      if (!watched.has(key)) {
        watched.set(key, entry);
        void look(key, entry, read);
      } else if (entry.last) listener(entry.last);
      return () => {
        entry.listeners.delete(listener);
        if (entry.listeners.size > 0 || watched.get(key) !== entry) return;
        clearTimeout(entry.timer);
        watched.delete(key);
      };
    },
    close() {
      ending.abort();
      for (const { timer } of watched.values()) clearTimeout(timer);
      watched.clear();
    },
  };
}
