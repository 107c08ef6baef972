/** One decision about many: form, dry run, confirmation. */
import { randomUUID } from "node:crypto";
import type { Hono } from "hono";
import type { Verdict } from "../../../../src/entries/queue.ts";
import { isIndoubtError } from "../../../../src/index.ts";
import { type Ask, actorOf, type Desk, type Env, frameOf, show } from "../context.ts";
import { type FilterTexts, filterOf, textsOf, withoutPage } from "../filter.ts";
import { type Form, formOf } from "../form.ts";
import { isOutrun } from "../problems.ts";
import { mayChange } from "../security/gate.ts";
import { type BulkTyped, bulkForm, bulkPreview, bulkReport, MOST_AT_ONCE } from "../views/bulk-view.ts";
import { isVerdict } from "../words.ts";
import { decisionName, LONGEST_REASON } from "./decision.ts";

export function bulkRoutes(app: Hono<Env>, desk: Desk): void {
  app.get("/bulk", (c) => {
    const texts = withoutPage(textsOf(new URL(c.req.url)));
    filterOf(texts);
    return form(desk, c, { texts, decision: randomUUID() }, 200);
  });
  app.post("/bulk/preview", async (c) => {
    const sent = await formOf(c);
    mayChange(desk, c, sent.text("csrf"));
    const typed = typedIn(sent);
    const problem = problemIn(typed);
    return problem === undefined ? preview(desk, c, typed, 200) : form(desk, c, { ...typed, problem }, 422);
  });
  app.post("/bulk/confirm", async (c) => {
    const sent = await formOf(c);
    mayChange(desk, c, sent.text("csrf"));
    return confirm(desk, c, typedIn(sent), sent);
  });
}

const form = (desk: Desk, c: Ask, typed: BulkTyped, status: 200 | 422) =>
  show(desk, c, { title: "Decide many", place: "queue", body: bulkForm(frameOf(desk, c), typed) }, status);

function typedIn(sent: Form): BulkTyped {
  return {
    texts: textsIn(sent.text("filter")),
    verdict: sent.text("verdict"),
    reason: sent.text("reason"),
    override: sent.text("override") === "yes",
    decision: decisionName(sent),
  };
}

const textsIn = (query: string): FilterTexts => withoutPage(textsOf(new URL(`/${query}`, "http://page.invalid")));

function problemIn({ verdict, reason = "" }: BulkTyped): string | undefined {
  if (!isVerdict(verdict)) return "Choose a verdict.";
  if (reason.trim() === "") return "Write down why: a decision without a reason is not recorded.";
  return reason.length > LONGEST_REASON ? `The reason may have ${LONGEST_REASON} characters.` : undefined;
}

const decisionOf = (c: Ask, { texts, verdict, reason = "", override, decision }: BulkTyped) => ({
  filter: filterOf(texts),
  verdict: verdict as Verdict,
  actor: actorOf(c),
  reason,
  decision,
  ...(override && { override }),
});

async function preview(desk: Desk, c: Ask, typed: BulkTyped, status: 200 | 409 | 422) {
  const found = await desk.queue.resolveAll({ ...decisionOf(c, typed), dryRun: true });
  return show(desk, c, { title: "Dry run", place: "queue", body: bulkPreview(frameOf(desk, c), typed, found) }, status);
}

async function confirm(desk: Desk, c: Ask, typed: BulkTyped, sent: Form) {
  const problem = problemIn(typed);
  if (problem !== undefined) return form(desk, c, { ...typed, problem }, 422);
  const number = sent.whole("confirm");
  if (number === undefined)
    return preview(desk, c, { ...typed, problem: "Type the number of items to confirm it." }, 422);
  try {
    const report = await desk.queue.resolveAll({
      ...decisionOf(c, typed),
      confirm: number,
      seen: sent.text("seen"),
      cap: MOST_AT_ONCE,
    });
    desk.counts.forget();
    return show(desk, c, { title: "Decided", place: "queue", body: bulkReport(report, typed.texts) });
  } catch (error) {
    if (!isOutrun(error) || !isIndoubtError(error)) throw error;
    return preview(desk, c, { ...typed, problem: error.message }, 409);
  }
}
