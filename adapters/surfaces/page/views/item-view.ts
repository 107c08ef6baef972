/** One operation: what is known, what is not, what happened when, and what a person may decide. */
import type { AuditLine, QueueDetail } from "../../../../src/entries/queue.ts";
import { data, line, name, quoted, sentence } from "../fence.ts";
import { each, type Html, html, nothing } from "../html.ts";
import { STATES, spaced } from "../words.ts";
import { decisionForm, type Typed } from "./decision-form.ts";
import { type Frame, mayDecide } from "./frame.ts";
import { facts } from "./item-facts.ts";
import { ageOf, badge, conflictBadge, moment, problemBox, toolOf } from "./parts.ts";
import { timelineDrawing } from "./timeline-drawing.ts";
import { timelineList } from "./timeline-list.ts";

export interface ItemFacts {
  readonly detail: QueueDetail;
  readonly typed: Typed;
  /** To the user's own dashboard. */
  readonly link: string | undefined;
  /** Why the last decision was not taken. */
  readonly problem?: { readonly title: string; readonly message: string; readonly since?: readonly AuditLine[] };
  /** The decision that was just recorded. */
  readonly recorded?: AuditLine;
}

export const itemBody = (frame: Frame, item: ItemFacts): Html => html`${head(frame, item)}
${item.recorded ? recordedBox(item.recorded) : nothing}
${item.problem ? problem(item.problem) : nothing}
<div class="item">
<div class="item-main" data-region="facts">${knowledge(item.detail)}
<section aria-labelledby="arguments-h"><h2 id="arguments-h">Arguments</h2>${args(item.detail)}</section>
<section aria-labelledby="timeline-h"><h2 id="timeline-h">What happened</h2>${item.detail.timeline.length === 0 ? nothing : timelineDrawing(item.detail)}${timelineList(item.detail)}</section>
${answer(item.detail)}${parts(item.detail)}${audit(item.detail)}</div>
<aside class="item-side">${
  mayDecide(frame) ? decisionForm(frame, item.detail, item.typed) : viewer(frame)
}<div data-region="side">${facts(item.detail)}</div></aside>
</div>`;

const args = ({ arguments: kept }: QueueDetail): Html =>
  Object.keys(kept).length === 0
    ? html`<p class="muted">There were none, or they are no longer kept.</p>`
    : data("written by a caller or model; secrets masked", kept);

const head = (frame: Frame, { detail, link }: ItemFacts): Html => html`<div class="page-head item-head">
<div><p class="crumb"><a href="/" data-back>Queue</a></p>
<h1>${toolOf(detail)}</h1>
<p class="lead" data-region="lead"><span class="badges">${conflictBadge(detail.conflict)}${badge(detail.state)}</span> <span>issued ${ageOf(detail.ageMs)} ago</span> <span>version ${detail.version}</span>${newer(detail)}</p>
<p class="item-id"><code id="item-id">${detail.id}</code> <button type="button" class="ghost small" data-copy="item-id" hidden>Copy</button></p></div>
<p class="head-actions">${mayDecide(frame) ? html`<a class="button to-decision" href="#decision">Decide</a>` : nothing}${
  link === undefined
    ? nothing
    : html`<a class="button" href="${link}" target="_blank" rel="noopener noreferrer">Open your dashboard <span aria-hidden="true">↗</span></a>`
}</p></div>`;

/** The script shows this part when the version of the form is no longer the newest. */
const newer = (detail: QueueDetail): Html =>
  html`<span hidden data-newest="${detail.version}">version ${detail.version}, ${spaced(detail.state)}</span>`;

const viewer = ({ readOnly }: Frame): Html =>
  html`<section class="card"><h2>Decision</h2><p class="muted">${
    readOnly
      ? "This page is read-only: decisions are made elsewhere."
      : "You are signed in as a viewer: an operator decides."
  }</p></section>`;

const recordedBox = (by: AuditLine): Html =>
  html`<div class="done" role="status"><strong>Recorded.</strong> ${
    by.to === undefined ? spaced(by.row) : html`It is ${spaced(by.to)} now`
  }, by ${name(String(by.actor ?? ""))}.</div>`;

const problem = ({ title, message, since = [] }: NonNullable<ItemFacts["problem"]>): Html =>
  problemBox(
    title,
    html`<p>${sentence(message)}</p>${
      since.length === 0
        ? nothing
        : html`<p>Since the version that you looked at:</p><ol class="since">${each(since, auditLine)}</ol>`
    }<p class="muted">Nothing was changed. What you typed is kept below.</p>`,
  );

const knowledge = ({
  known,
  unknown,
  risk,
  next,
  state,
}: QueueDetail): Html => html`<section class="knowledge" aria-label="What is known">
${sentences("Known", "known", known)}${sentences("Not known", "unknown", unknown)}${sentences("Risk", "risk", risk)}
<div class="next"><h2>Next</h2><p>${sentence(next === "" ? STATES[state].words : next)}</p></div></section>`;

const sentences = (title: string, kind: string, all: readonly string[]): Html =>
  all.length === 0
    ? nothing
    : html`<div class="${kind}"><h2>${title}</h2><ul>${each(all, (text) => html`<li>${sentence(text)}</li>`)}</ul></div>`;

const ANSWER_TITLES = {
  server: ["The server's answer", "written by the server"],
  destination: ["What was found at the destination", "written by the reconcile hook"],
  operator: ["The operator's evidence", "written down by a person; it is not the tool's answer"],
} as const;

function answer({ answer: kept }: QueueDetail): Html {
  if (!kept) return nothing;
  const [title, whose] = ANSWER_TITLES[kept.by];
  return html`<section aria-labelledby="answer-h"><h2 id="answer-h">${title}</h2>${data(whose, kept.value)}</section>`;
}

function parts({ items }: QueueDetail): Html {
  if (!items || items.length === 0) return nothing;
  return html`<section aria-labelledby="parts-h"><h2 id="parts-h">Parts</h2><ul class="parts">${each(
    items,
    (part) =>
      html`<li>${name(part.item)} <span class="badge tone-calm">${spaced(part.verdict)}</span> ${part.ref === undefined ? nothing : name(part.ref)}</li>`,
  )}</ul></section>`;
}

const audit = ({
  audit: lines,
}: QueueDetail): Html => html`<section><details class="audit"><summary><h2>On record</h2><span class="muted">${lines.length} lines</span></summary>
<ol class="since">${each(lines, auditLine)}</ol></details></section>`;

const SHOWN = new Set(["at", "row", "from", "to", "actor", "reason", "said"]);

export function auditLine(by: AuditLine): Html {
  const { at, row, from, to, actor, reason, said } = by;
  const rest = Object.fromEntries(Object.entries(by).filter(([key]) => !SHOWN.has(key)));
  return html`<li><p>${moment(at)} <strong>${spaced(line(row))}</strong>${
    to === undefined || to === from
      ? nothing
      : html` <span class="move">${from === undefined ? nothing : spaced(from)} → ${spaced(to)}</span>`
  }${actor === undefined ? nothing : html` by ${name(actor)}`}</p>${
    reason === undefined
      ? nothing
      : actor === undefined
        ? html`<p class="muted">${spaced(line(reason))}</p>`
        : quoted("reason, in the operator's words", reason)
  }${typeof said === "string" ? quoted("the hook's words", said) : nothing}${
    Object.keys(rest).length === 0
      ? nothing
      : html`<p class="rest">${each(Object.entries(rest), ([key, value]) => html`<span>${spaced(line(key))} ${name(typeof value === "string" ? value : (JSON.stringify(value) ?? ""))}</span>`)}</p>`
  }</li>`;
}
