/** One decision about many: choose, see exactly what would happen, confirm the number. */
import type { BulkPreview, BulkReport, QueueItem } from "../../../../src/entries/queue.ts";
import { line, name, sentence } from "../fence.ts";
import { conditions, type FilterTexts, queryOf } from "../filter.ts";
import { each, type Html, html, nothing } from "../html.ts";
import { itemPath } from "../links.ts";
import { count, isVerdict, VERDICTS } from "../words.ts";
import { csrfField, type Frame } from "./frame.ts";
import { ageOf, badge, conflictBadge, empty, firstSentence, problemBox, summaryOf, toolOf } from "./parts.ts";

export const MOST_AT_ONCE = 100;

export interface BulkTyped {
  readonly texts: FilterTexts;
  readonly verdict?: string;
  readonly reason?: string;
  readonly override?: boolean;
  readonly decision: string;
  readonly problem?: string;
}

const head = (texts: FilterTexts, words: Html): Html =>
  html`<div class="page-head"><div><p class="crumb"><a href="/${queryOf(texts)}" data-back>Queue</a></p><h1>Decide many</h1><p class="lead">${words}</p></div></div>`;

export const bulkForm = (
  frame: Frame,
  typed: BulkTyped,
): Html => html`${head(typed.texts, html`One verdict for every item that fits the filter. First a dry run: nothing changes until you confirm the number.`)}
${typed.problem === undefined ? nothing : problemBox("The dry run did not start", html`<p>${sentence(typed.problem)}</p>`)}
<form class="card decision narrow" method="post" action="/bulk/preview" novalidate>${carried(frame, typed)}
${filterWords(typed.texts)}
<fieldset><legend>Verdict for all of them</legend>${each(
  Object.entries(VERDICTS),
  ([verdict, { title, words }]) =>
    html`<label class="choice verdict-${verdict}"><input type="radio" name="verdict" value="${verdict}" required ${
      typed.verdict === verdict ? html`checked` : nothing
    }><span><strong>${title}</strong> <code>${verdict}</code><br><span class="muted">${words}</span></span></label>`,
)}</fieldset>
<label class="field">Reason <span class="muted">(required; the same for each)</span><textarea name="reason" rows="3" maxlength="2000" required>${typed.reason ?? ""}</textarea></label>
<div class="override"><label><input type="checkbox" name="override" value="yes" ${typed.override ? html`checked` : nothing}> <strong>Override</strong></label>
<p>Decide also where a lost write can still land, or beyond the number of sends. There can be two effects. On record for each item.</p></div>
<button class="primary wide">Show what would happen</button>
</form>`;

const carried = (frame: Frame, { texts, decision }: BulkTyped): Html =>
  html`${csrfField(frame)}<input type="hidden" name="filter" value="${queryOf(texts)}"><input type="hidden" name="decision" value="${decision}">`;

function filterWords(texts: FilterTexts): Html {
  const set = conditions(texts);
  const where = texts.index === "open" ? "what is under way or settled" : "what waits for a person";
  if (set.length === 0) return html`<p class="scope"><strong>All of ${where}</strong>: no filter is set.</p>`;
  return html`<p class="scope">Of ${where}: ${each(set, ([key, value]) => html`<span class="chip"><span>${key}</span> ${name(value)}</span> `)}</p>`;
}

export const bulkPreview = (
  frame: Frame,
  typed: BulkTyped,
  { count: found, items, seen }: BulkPreview,
): Html => html`${head(typed.texts, html`Dry run: nothing has changed.`)}
${typed.problem === undefined ? nothing : problemBox("Look again", html`<p>${sentence(typed.problem)}</p><p class="muted">Nothing was changed.</p>`)}
${found === 0 ? empty("Nothing fits", html`<a href="/${queryOf(typed.texts)}">Back to the queue</a>`) : previewOf(frame, typed, { count: found, items, seen })}`;

function previewOf(frame: Frame, typed: BulkTyped, { count: found, items, seen }: BulkPreview): Html {
  const words = isVerdict(typed.verdict) ? VERDICTS[typed.verdict].becomes : "";
  return html`<div class="bulk"><div class="card confirm" id="confirm">
<h2>${count(found, "item")} would become <em>${words}</em></h2>
${filterWords(typed.texts)}
<dl class="plain"><div><dt>Reason</dt><dd>${sentence(typed.reason ?? "")}</dd></div><div><dt>By</dt><dd>${line(frame.session?.name ?? "")}</dd></div>
<div><dt>Override</dt><dd>${typed.override ? "yes, on record for each" : "no: what is too early stays as it is"}</dd></div></dl>
${found > MOST_AT_ONCE ? tooMany(typed.texts, found) : confirmForm(frame, typed, found, seen)}
</div><ol class="rows" aria-label="Items of the dry run">${each(items, (item) => previewRow(item, words))}</ol></div>`;
}

const tooMany = (texts: FilterTexts, found: number): Html =>
  html`<p class="wrong">At most ${MOST_AT_ONCE} are decided at once, and ${found.toLocaleString("en")} fit. <a href="/${queryOf(texts)}">Narrow the filter</a>.</p>`;

const confirmForm = (
  frame: Frame,
  typed: BulkTyped,
  found: number,
  seen: string,
): Html => html`<form method="post" action="/bulk/confirm" novalidate>${carried(frame, typed)}
<input type="hidden" name="verdict" value="${typed.verdict ?? ""}"><input type="hidden" name="reason" value="${typed.reason ?? ""}">
<input type="hidden" name="seen" value="${seen}">${typed.override ? html`<input type="hidden" name="override" value="yes">` : nothing}
<label class="field">Type the number to confirm<input name="confirm" inputmode="numeric" pattern="[0-9]*" autocomplete="off" required placeholder="${found}"></label>
<button class="primary">Decide ${count(found, "item")}</button> <a class="button" href="/bulk${queryOf(typed.texts)}">Change</a></form>`;

const previewRow = (
  item: QueueItem,
  words: string,
): Html => html`<li class="row"><div class="row-main"><a class="row-link" href="${itemPath(item.id)}">${toolOf(item)}</a>${summaryOf(item)}<p class="row-next">${sentence(firstSentence(item.next))}</p></div>
<div class="row-side"><span class="badges">${conflictBadge(item.conflict)}${badge(item.state)} <span aria-hidden="true">→</span> <span class="badge tone-calm">${words}</span></span>${ageOf(item.ageMs)}<span class="muted tiny">version ${item.version}</span></div></li>`;

export const bulkReport = (
  { resolved, failed }: BulkReport,
  texts: FilterTexts,
): Html => html`${head(texts, html`${count(resolved.length, "item is", "items are")} decided, ${failed.length} not.`)}
${failed.length === 0 ? nothing : html`<section class="card"><h2>Not decided</h2><p class="muted">Nothing was changed in these.</p><ol class="since">${each(failed, ({ id, why }) => html`<li><p><a href="${itemPath(id)}"><code>${id}</code></a></p><p>${sentence(why)}</p></li>`)}</ol></section>`}
<section class="card"><h2>Decided</h2>${resolved.length === 0 ? html`<p class="muted">None.</p>` : html`<ol class="since">${each(resolved, ({ id, version }) => html`<li><p><a href="${itemPath(id)}"><code>${id}</code></a> <span class="muted">now version ${version}</span></p></li>`)}</ol>`}</section>
<p class="after-cards"><a class="button" href="/">Back to the queue</a> <a class="button" href="/audit?kind=verdict">See the audit</a></p>`;
