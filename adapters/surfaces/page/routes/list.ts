import { createHash } from "node:crypto";
import type { Hono } from "hono";
import type { QueuePage } from "../../../../src/entries/queue.ts";
import { type Desk, type Env, frameOf, show } from "../context.ts";
import type { Numbers } from "../counts.ts";
import { type FilterTexts, filterOf, queryOf, textsOf } from "../filter.ts";
import { byCursor } from "../problems.ts";
import { listBody } from "../views/list-view.ts";
import { amount } from "../words.ts";

export function listRoute(app: Hono<Env>, desk: Desk): void {
  app.get("/", async (c) => {
    const url = new URL(c.req.url);
    const texts = textsOf(url);
    const filter = filterOf(texts);
    // A form sends its empty fields, too: the address that stays says only what was asked for.
    const query = queryOf(texts);
    if ([...url.searchParams.values()].includes("")) return c.redirect(`/${query}`, 303);
    const [page, numbers] = await Promise.all([
      byCursor(filter.cursor, () => desk.queue.list({ ...filter, summaries: true })),
      desk.counts.soon(),
    ]);
    const title = numbers?.waiting ? `${amount(numbers.waiting, numbers.more.waiting)} waiting` : "Queue";
    const live = { url: `/live/list${query}`, signature: signatureOf(page, numbers) };
    return show(desk, c, { title, place: "queue", live, body: listBody(frameOf(desk, c), { page, texts, numbers }) });
  });
}

/** What the list page shows, in short. */
export async function listSignature(desk: Desk, texts: FilterTexts): Promise<string> {
  const [page, numbers] = await Promise.all([desk.queue.list(filterOf(texts)), desk.counts.soon()]);
  return signatureOf(page, numbers);
}

function signatureOf({ items, nextCursor }: QueuePage, numbers: Numbers | undefined): string {
  const rows = items.map(({ id, version }) => `${id}:${version}`).join();
  const head = numbers ? JSON.stringify({ ...numbers, oldestMs: 0 }) : "";
  return createHash("sha256")
    .update(`${rows}|${nextCursor !== undefined}|${head}`)
    .digest("base64url")
    .slice(0, 22);
}
