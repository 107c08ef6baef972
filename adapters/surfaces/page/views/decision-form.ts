/** The verdict, or the correction of a settled outcome: what is typed here survives whatever goes wrong. */
import type { AllowedVerdict, QueueDetail, Verdict } from "../../../../src/entries/queue.ts";
import { line, quoted, sentence } from "../fence.ts";
import { each, type Html, html, nothing } from "../html.ts";
import { itemPath } from "../links.ts";
import { STATES, spaced, VERDICTS } from "../words.ts";
import { csrfField, type Frame } from "./frame.ts";

/** What a person has typed so far, as text. */
export interface Typed {
  readonly verdict?: string;
  readonly to?: string;
  readonly reason?: string;
  readonly ref?: string;
  readonly result?: string;
  readonly override?: boolean;
  /** Names the decision, so that sending the form twice decides once. */
  readonly decision: string;
  readonly wrong?: { readonly field: "verdict" | "to" | "reason" | "result" | "ref"; readonly message: string };
}

export function decisionForm(frame: Frame, detail: QueueDetail, typed: Typed): Html {
  if (mayBeDecided(detail) || typed.reason !== undefined) return verdictForm(frame, detail, typed);
  if (isSettled(detail)) return correction(frame, detail, typed);
  return html`<section class="card"><h2>Decision</h2><p class="muted">Not now: ${sentence(detail.next)}</p></section>`;
}

/** In `ready` and `in_flight` no verdict passes, nor does an override. */
const mayBeDecided = ({ state }: QueueDetail): boolean => state === "uncertain" || state === "unresolved";

const OPEN = ["ready", "in_flight", "uncertain", "unresolved"];
const isSettled = ({ state }: QueueDetail): boolean => !OPEN.includes(state);
const SETTLED = Object.keys(STATES).filter((state) => !OPEN.includes(state));

const verdictForm = (
  frame: Frame,
  detail: QueueDetail,
  typed: Typed,
): Html => html`<form class="card decision" id="decision" method="post" action="${itemPath(detail.id)}/resolve" novalidate>
${hiddenFields(frame, detail, typed)}<h2>Your verdict</h2>
<fieldset ${wrong(typed, "verdict")}><legend class="unseen">Verdict</legend>${each(detail.allowed, (allowed) => choice(allowed, typed))}</fieldset>
${complaint(typed, "verdict")}
${reasonField(typed)}${refField(typed)}${resultField(typed)}${overrideBox(detail, typed)}
<p class="on-record">On record as <strong>${line(frame.session?.name ?? "")}</strong>, about version ${detail.version}.</p>
<button class="primary wide">Record the verdict</button>
<p class="tiny">This is decision <code>${typed.decision}</code>: if it is sent twice, it counts once.</p>
</form>`;

const hiddenFields = (frame: Frame, detail: QueueDetail, { decision }: Typed): Html =>
  html`${csrfField(frame)}<input type="hidden" name="version" value="${detail.version}"><input type="hidden" name="decision" value="${decision}">`;

function choice({ verdict, now, why }: AllowedVerdict, typed: Typed): Html {
  const { title, words } = VERDICTS[verdict];
  return html`<label class="choice verdict-${verdict}"><input type="radio" name="verdict" value="${verdict}" ${
    typed.verdict === verdict ? html`checked` : nothing
  } required><span><strong>${title}</strong> <code>${verdict}</code><br><span class="muted">${words}</span>${
    now ? nothing : html`<span class="not-now">Not now${why === undefined ? "." : html`: ${sentence(why)}`}</span>`
  }</span></label>`;
}

const reasonField = (typed: Typed): Html => html`<label class="field">Reason <span class="muted">(required)</span>
<textarea name="reason" rows="3" maxlength="2000" required ${wrong(typed, "reason")} placeholder="What you looked at, and what you saw">${typed.reason ?? ""}</textarea></label>${complaint(typed, "reason")}`;

const refField = (
  typed: Typed,
): Html => html`<label class="field for-applied">Reference at the destination <span class="muted">(optional)</span>
<input name="ref" maxlength="300" value="${typed.ref ?? ""}" ${wrong(typed, "ref")} autocomplete="off" spellcheck="false" placeholder="An invoice number, a charge id"></label>${complaint(typed, "ref")}`;

const resultField = (
  typed: Typed,
): Html => html`<details class="for-applied evidence" ${typed.result ? html`open` : nothing}><summary>Add evidence (JSON)</summary><label class="field">What you found, as a JSON object
<textarea name="result" rows="4" maxlength="16000" spellcheck="false" class="mono" ${wrong(typed, "result")}>${typed.result ?? ""}</textarea></label><p class="tiny">Kept as the operator's evidence, and marked so wherever it is shown.</p></details>${complaint(typed, "result")}`;

const NEEDS_OVERRIDE = (allowed: readonly AllowedVerdict[]): AllowedVerdict[] => allowed.filter(({ now }) => !now);

function overrideBox({ allowed }: QueueDetail, typed: Typed): Html {
  const early = NEEDS_OVERRIDE(allowed);
  if (early.length === 0 && !typed.override) return nothing;
  return html`<div class="override"><label><input type="checkbox" name="override" value="yes" ${typed.override ? html`checked` : nothing}> <strong>Override</strong></label>
<p>Decide ${orList(early.map(({ verdict }) => verdict))} although it is too early or too often. If a lost write lands after that, there can be two effects. The override is on record with your name.</p></div>`;
}

const orList = (verdicts: readonly Verdict[]): string => verdicts.map(spaced).join(" or ") || "now";

const wrong = ({ wrong }: Typed, field: string): Html =>
  wrong?.field === field ? html`aria-invalid="true" aria-describedby="wrong-${field}"` : nothing;

const complaint = ({ wrong }: Typed, field: string): Html =>
  wrong?.field === field ? html`<p class="wrong" id="wrong-${field}">${sentence(wrong.message)}</p>` : nothing;

/** A conflict or a partial outcome waits for this; any other settled outcome hides it. */
function correction(frame: Frame, detail: QueueDetail, typed: Typed): Html {
  const waits =
    detail.conflict || detail.state === "partial" || typed.wrong !== undefined || typed.reason !== undefined;
  return html`<section class="card"><details class="correction" ${waits ? html`open` : nothing}><summary><h2>Correct the outcome</h2></summary>
<p class="muted">It is ${spaced(detail.state)}. A correction is on record beside the old outcome; it sends nothing.</p>
${typed.verdict === undefined ? nothing : quoted("the verdict that you had chosen", typed.verdict)}
<form id="decision" class="decision" method="post" action="${itemPath(detail.id)}/correct" novalidate>${hiddenFields(frame, detail, typed)}
<label class="field">It is in truth <select name="to" required ${wrong(typed, "to")}><option value="">Choose…</option>${each(
    SETTLED,
    (state) =>
      html`<option value="${state}" ${typed.to === state ? html`selected` : nothing}>${spaced(state)}</option>`,
  )}</select></label>${complaint(typed, "to")}
${reasonField(typed)}${refField(typed)}
<p class="on-record">On record as <strong>${line(frame.session?.name ?? "")}</strong>, about version ${detail.version}.</p>
<button class="primary wide">Record the correction</button></form></details></section>`;
}
