/** The life of one operation as a list: every moment in words. The drawing beside it shows the same. */
import type { QueueDetail, TimelineEntry } from "../../../../src/entries/queue.ts";
import { quoted } from "../fence.ts";
import { each, type Html, html, nothing } from "../html.ts";
import { clock, duration, iso } from "../words.ts";

const WHOSE: Readonly<Record<TimelineEntry["by"], string>> = {
  server: "the server's words",
  destination: "the hook's words about the destination",
  operator: "the operator's words",
  indoubt: "kept words",
};

const BY: Readonly<Record<TimelineEntry["by"], string>> = {
  indoubt: "indoubt",
  server: "server",
  destination: "destination",
  operator: "operator",
};

export function timelineList(detail: QueueDetail): Html {
  const past = detail.timeline.filter(({ planned }) => !planned);
  const ahead = detail.timeline.filter(({ planned }) => planned);
  return html`<ol class="moments">${each(past, (entry) => moment(entry, detail.issuedAt))}
<li class="moment is-now"><span class="dot" aria-hidden="true"></span><p class="when">now</p><p class="what">${clock(detail.now)} UTC by the store's clock</p></li>
${each(ahead, (entry) => moment(entry, detail.issuedAt))}</ol>`;
}

const moment = (
  { at, kind, words, by, text, planned }: TimelineEntry,
  start: number,
): Html => html`<li class="moment kind-${kind} by-${by} ${planned ? "is-planned" : ""}">
<span class="dot" aria-hidden="true"></span>
<p class="when"><time datetime="${iso(at)}" title="${iso(at)}">${at === start ? "start" : `+${duration(at - start)}`}</time><span class="clock">${clock(at).slice(11)}</span></p>
<div class="what"><p><span class="by">${BY[by]}</span> ${words}${planned ? html` <span class="tag">lies ahead</span>` : nothing}</p>
${text === undefined ? nothing : quoted(WHOSE[by], text)}</div></li>`;
