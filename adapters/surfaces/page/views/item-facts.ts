/** The facts beside an operation: key, contract, hook, counts. */
import type { QueueDetail } from "../../../../src/entries/queue.ts";
import { line, name, quoted, sentence } from "../fence.ts";
import { type Html, html, nothing } from "../html.ts";
import { count, duration, spaced } from "../words.ts";
import { moment } from "./parts.ts";

export const facts = (
  detail: QueueDetail,
): Html => html`<section class="card facts" aria-labelledby="facts-h"><h2 id="facts-h">Facts</h2>
<dl>
${fact("Attempts", html`${detail.attempts}${detail.open > 0 ? html`, ${count(detail.open, "of unknown effect", "of unknown effect")}` : nothing}`)}
${detail.quiesceAt === undefined ? nothing : fact("Quiescence", html`${quiescence(detail)}<br>${moment(detail.quiesceAt)}`)}
${fact("Key", html`<code class="key" id="item-key">${line(detail.key)}</code> <button type="button" class="ghost small" data-copy="item-key" hidden>Copy</button>`)}
${detail.ref === undefined ? nothing : fact("Reference", name(detail.ref))}
${fact("Reason", html`${spaced(line(detail.reason))}`)}
${detail.principal === undefined ? nothing : fact("Principal", html`<code class="key">${line(detail.principal)}</code> <span class="muted">(digest)</span>`)}
${fact("Issued", moment(detail.issuedAt))}
</dl>
<h3>Contract</h3>${contract(detail)}
<h3>Reconcile hook</h3>${hook(detail)}
</section>`;

const fact = (title: string, value: Html): Html => html`<div><dt>${title}</dt><dd>${value}</dd></div>`;

function quiescence({ quiesceAt = 0, now }: QueueDetail): string {
  return quiesceAt > now
    ? `in ${duration(quiesceAt - now)}: a lost write can still land`
    : `reached ${duration(now - quiesceAt)} ago`;
}

function contract({ contract: terms }: QueueDetail): Html {
  if (!terms)
    return html`<p class="muted">None in this configuration: nothing promises that the destination collapses repeats.</p>`;
  const tone = terms.status === "in_force" ? "good" : "doubt";
  return html`<p><span class="badge tone-${tone}">${spaced(line(terms.status))}</span></p><p>${sentence(terms.words)}</p>${
    terms.suspended === undefined ? nothing : quoted("why it was suspended", terms.suspended)
  }`;
}

function hook({ hook: { configured, absent, probes, lastSaid } }: QueueDetail): Html {
  if (!configured)
    return html`<p class="muted">None in this configuration: nobody but a person can look at the destination.</p>`;
  const looks = probes === 0 ? "It has not looked yet" : `It looked ${count(probes, "time")}`;
  const absences = absent === 0 ? "" : `; ${count(absent, "absence counts", "absences count")}`;
  return html`<p>${looks}${absences}.</p>${lastSaid === undefined ? nothing : quoted("what it said last", lastSaid)}`;
}
