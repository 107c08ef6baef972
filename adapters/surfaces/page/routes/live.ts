/** The open page's ear: server-sent events say that what it shows has changed, or that the store is away. */
import { setTimeout as pause } from "node:timers/promises";
import type { Hono } from "hono";
import { getCookie } from "hono/cookie";
import { streamSSE } from "hono/streaming";
import type { Ask, Desk, Env } from "../context.ts";
import { filterOf, queryOf, textsOf } from "../filter.ts";
import type { News } from "../live.ts";
import { refuse } from "../problems.ts";
import { itemSignature } from "./item.ts";
import { listSignature } from "./list.ts";

const HEARTBEAT_MS = 15_000;
const MOST_STREAMS = 200;

export function liveRoutes(app: Hono<Env>, desk: Desk): void {
  let streams = 0;

  function stream(c: Ask, key: string, read: () => Promise<string>) {
    if (streams >= MOST_STREAMS) throw refuse(503, "Too many open pages.");
    streams += 1;
    // Proxies in front must not collect the events.
    c.header("X-Accel-Buffering", "no");
    return streamSSE(c, async (sse) => {
      const gone = new AbortController();
      sse.onAbort(() => gone.abort());
      const over = AbortSignal.any([gone.signal, desk.live.closing]);
      const tell = (news: News) => void sse.writeSSE({ event: news.kind, data: JSON.stringify(news) });
      const stop = desk.live.follow(key, read, tell);
      try {
        for (let left = sessionLeft(c); left > 0 && !over.aborted; left = sessionLeft(c)) {
          await pause(Math.min(HEARTBEAT_MS, left), undefined, { signal: over, ref: false }).catch(() => {});
          if (!over.aborted) await sse.writeSSE({ event: "alive", data: "" });
        }
      } finally {
        stop();
        streams -= 1;
      }
    });
  }

  /** ms until the session ends; it may also have been signed out. */
  const sessionLeft = (c: Ask): number => (desk.sessions.find(getCookie(c, desk.cookieName))?.endsAt ?? 0) - Date.now();

  app.get("/live/list", (c) => {
    const texts = textsOf(new URL(c.req.url));
    filterOf(texts);
    return stream(c, `list${queryOf(texts)}`, () => listSignature(desk, texts));
  });
  app.get("/live/items/:id", (c) => {
    const id = c.req.param("id");
    return stream(c, `item ${id}`, async () => itemSignature(await desk.queue.show(id)));
  });
  /** Whether the store answers: asked by pages that wait for it. */
  app.get("/health", async (c) => {
    await desk.queue.list({ limit: 1 });
    return c.json({ store: "there" });
  });
}
