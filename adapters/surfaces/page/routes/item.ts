/** One operation, and the decisions about it. */
import { randomUUID } from "node:crypto";
import type { Hono } from "hono";
import { type AuditLine, itemLink, type QueueDetail } from "../../../../src/entries/queue.ts";
import { isIndoubtError } from "../../../../src/index.ts";
import { type Ask, type Desk, type Env, frameOf, show } from "../context.ts";
import { type Form, formOf } from "../form.ts";
import { itemPath } from "../links.ts";
import { isAway, isOutrun, refuse } from "../problems.ts";
import { mayChange } from "../security/gate.ts";
import type { Typed } from "../views/decision-form.ts";
import { type ItemFacts, itemBody } from "../views/item-view.ts";
import { toolText } from "../views/parts.ts";
import { awayFormBody } from "../views/problem-view.ts";
import { type Decision, readCorrection, readVerdict } from "./decision.ts";

export function itemRoutes(app: Hono<Env>, desk: Desk): void {
  app.get("/items/:id", async (c) => {
    const detail = await find(desk, c.req.param("id"));
    const recorded = decided(detail, c.req.query("decision"));
    return showItem(desk, c, detail, { typed: fresh(), ...(recorded && { recorded }) }, 200);
  });
  app.post("/items/:id/resolve", (c) => decide(desk, c, c.req.param("id"), readVerdict));
  app.post("/items/:id/correct", (c) => decide(desk, c, c.req.param("id"), readCorrection));
}

const fresh = (): Typed => ({ decision: randomUUID() });

/** The line that this decision left: the person sees what is on record, not what was wanted. */
const decided = ({ audit }: QueueDetail, decision: string | undefined): AuditLine | undefined =>
  decision === undefined ? undefined : audit.find((line) => line.decision === decision);

async function find({ queue }: Desk, id: string): Promise<QueueDetail> {
  try {
    return await queue.show(id);
  } catch (error) {
    if (isOutrun(error))
      throw refuse(
        404,
        "There is no such operation. Check the id; or it has expired, or it belongs to another store or namespace.",
      );
    throw error;
  }
}

function showItem(
  desk: Desk,
  c: Ask,
  detail: QueueDetail,
  facts: Pick<ItemFacts, "typed" | "problem" | "recorded">,
  status: 200 | 409 | 422,
) {
  const { urlTemplate } = desk.settings;
  const link = urlTemplate === undefined ? undefined : itemLink(urlTemplate, { ...detail, ref: detail.ref ?? "" });
  const body = itemBody(frameOf(desk, c), { detail, link, ...facts });
  const live = { url: `/live${itemPath(detail.id)}`, signature: itemSignature(detail) };
  return show(desk, c, { title: toolText(detail), place: "queue", live, body }, status);
}

export const itemSignature = ({ version, state, quiesceAt = 0, now }: QueueDetail): string =>
  `${version}:${state}:${quiesceAt > now ? "settling" : "quiet"}`;

async function decide(desk: Desk, c: Ask, id: string, read: (form: Form) => Decision) {
  const form = await formOf(c);
  mayChange(desk, c, form.text("csrf"));
  const { typed, run } = read(form);
  try {
    if (!run) return showItem(desk, c, await find(desk, id), { typed }, 422);
    await run(desk, c, id);
    desk.counts.forget();
    return c.redirect(`${itemPath(id)}?decision=${encodeURIComponent(typed.decision)}`, 303);
  } catch (error) {
    if (isAway(error)) return away(desk, c, form);
    if (isOutrun(error)) return outrun(desk, c, id, typed, error as Error);
    if (isIndoubtError(error) && error.code === "CONFIG_INVALID")
      return showItem(
        desk,
        c,
        await find(desk, id),
        { typed, problem: { title: "That decision cannot be taken", message: error.message } },
        422,
      );
    throw error;
  }
}

/** Somebody was faster, or it is too early: nothing changed; the newest state, what happened since, and what was typed. */
async function outrun(desk: Desk, c: Ask, id: string, typed: Typed, error: Error) {
  const detail = await find(desk, id);
  const { since } = (isIndoubtError(error) ? error.details : {}) as { since?: readonly AuditLine[] };
  const stale = since !== undefined && since.length > 0;
  const title = stale ? "This operation changed while you were deciding" : "That is not possible now";
  return showItem(desk, c, detail, { typed, problem: { title, message: error.message, ...(stale && { since }) } }, 409);
}

function away(desk: Desk, c: Ask, form: Form) {
  const fields = form.names.map((name) => [name, form.text(name)] as const);
  c.header("Retry-After", "5");
  return show(
    desk,
    c,
    { title: "The store is away", body: awayFormBody(c.req.path, fields, form.text("reason")) },
    503,
  );
}
