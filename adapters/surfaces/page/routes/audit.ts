import type { Hono } from "hono";
import type { JournalKind } from "../../../../src/entries/queue.ts";
import { type Desk, type Env, show } from "../context.ts";
import { byCursor, refuse } from "../problems.ts";
import { auditBody } from "../views/audit-view.ts";
import { JOURNAL_KINDS } from "../words.ts";

const NAMES = ["kind", "server", "tool", "cursor"] as const;

export function auditRoute(app: Hono<Env>, desk: Desk): void {
  app.get("/audit", async (c) => {
    const { kind, ...rest } = queryOf(new URL(c.req.url));
    if (kind !== undefined && !isKind(kind))
      throw refuse(400, `kind=${kind}: use ${Object.keys(JOURNAL_KINDS).join(", ")}.`);
    const filter = { ...rest, ...(kind !== undefined && { kind }) };
    const page = await byCursor(filter.cursor, () => desk.queue.journal(filter));
    return show(desk, c, { title: "Audit", place: "audit", body: auditBody({ ...filter, ...page }) });
  });
}

const isKind = (text: string): text is JournalKind => Object.hasOwn(JOURNAL_KINDS, text);

function queryOf({ searchParams }: URL): { [K in (typeof NAMES)[number]]?: string } {
  for (const name of searchParams.keys()) {
    if (!(NAMES as readonly string[]).includes(name))
      throw refuse(400, `There is no filter "${name}". The filters are: ${NAMES.join(", ")}.`);
    if (searchParams.getAll(name).length > 1) throw refuse(400, `The filter "${name}" stands there twice. Keep one.`);
  }
  return Object.fromEntries([...searchParams].filter(([, value]) => value !== ""));
}
