/** Small pieces that several pages show. */

import type { QueueItem } from "../../../../src/entries/queue.ts";
import type { State } from "../../../../src/index.ts";
import { line, name } from "../fence.ts";
import { type Html, html, nothing } from "../html.ts";
import { age, clock, iso, STATES, spaced } from "../words.ts";

export const badge = (state: State): Html =>
  html`<span class="badge tone-${STATES[state].tone}" title="${STATES[state].words}">${spaced(state)}</span>`;

export const conflictBadge = (conflict: boolean): Html =>
  conflict
    ? html`<span class="badge tone-bad" title="Two pieces of evidence that cannot both hold">conflict</span>`
    : nothing;

/** The script lets it grow. */
export const ageOf = (ms: number): Html => html`<span class="age" data-age="${Math.round(ms)}">${age(ms)}</span>`;

export const moment = (at: number): Html => html`<time datetime="${iso(at)}" title="${iso(at)}">${clock(at)}</time>`;

export const toolOf = ({ server, tool }: Pick<QueueItem, "server" | "tool">): Html =>
  html`<span class="tool">${name(tool)} <span class="server">on ${name(server)}</span></span>`;

/** What it is about: words of a caller or model, in a frame. */
export const summaryOf = ({ summary }: QueueItem): Html =>
  summary === undefined
    ? nothing
    : html`<p class="row-args"><span class="unseen">Arguments, written by a caller or model: </span><bdi class="name" translate="no" title="Arguments, written by a caller or model; secrets masked">${line(summary)}</bdi></p>`;

/** The same for titles and labels: plain text. */
export const toolText = ({ server, tool }: Pick<QueueItem, "server" | "tool">): string =>
  `${line(tool)} on ${line(server)}`;

/** What is said when there is nothing to show. */
export const empty = (title: string, words: Html): Html => html`<div class="empty">
<svg viewBox="0 0 96 64" width="96" height="64" aria-hidden="true"><rect x="10" y="14" width="76" height="10" rx="5" class="e1"/><rect x="18" y="29" width="60" height="10" rx="5" class="e2"/><rect x="26" y="44" width="44" height="10" rx="5" class="e3"/></svg>
<h2>${title}</h2><p>${words}</p></div>`;

export const problemBox = (title: string, words: Html): Html =>
  html`<div class="problem" role="alert" tabindex="-1" id="problem"><h2>${title}</h2>${words}</div>`;

/** For lists: an item's own page has all of it. */
export const firstSentence = (text: string): string => /^.*?[.](?= |$)/s.exec(text)?.[0] ?? text;
