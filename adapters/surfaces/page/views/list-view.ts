/** The queue: what waits, longest first. */

import type { QueueItem, QueuePage } from "../../../../src/entries/queue.ts";
import type { State } from "../../../../src/index.ts";
import type { Numbers } from "../counts.ts";
import { line, name, sentence } from "../fence.ts";
import { conditions, type FilterTexts, queryOf, withoutPage } from "../filter.ts";
import { each, type Html, html, nothing } from "../html.ts";
import { itemPath } from "../links.ts";
import { amount, count, duration, spaced } from "../words.ts";
import { filterForm } from "./filter-form.ts";
import { type Frame, mayDecide } from "./frame.ts";
import { ageOf, badge, conflictBadge, empty, firstSentence, summaryOf, toolOf } from "./parts.ts";

export interface ListFacts {
  readonly page: QueuePage;
  readonly texts: FilterTexts;
  /** Absent while they are being counted. */
  readonly numbers: Numbers | undefined;
}

export const listBody = (frame: Frame, facts: ListFacts): Html => html`<div class="page-head">
<div><h1>Queue</h1><p class="lead" data-region="lead">${lead(facts)}</p></div>
${mayDecide(frame) && facts.page.items.length > 0 ? bulkLink(facts.texts) : nothing}
</div>
${tabs(facts)}
${openWords(facts.texts)}${filterForm(facts.texts)}
<div data-region="rows">${chips(facts.texts)}${rows(facts)}${pager(facts)}</div>`;

const bulkLink = (texts: FilterTexts): Html =>
  html`<a class="button" href="/bulk${queryOf(withoutPage(texts), { order: undefined })}">Decide many…</a>`;

function lead({ numbers }: ListFacts): Html {
  if (!numbers) return html`Counting…`;
  const { waiting, underWay, oldestMs, more } = numbers;
  if (waiting === 0)
    return html`Nothing waits for a person. ${count(underWay, "operation is", "operations are")} under way or settled.`;
  const oldest = oldestMs === undefined ? "" : `, the oldest for ${duration(oldestMs)}`;
  const words = waiting === 1 && !more.waiting ? "operation waits" : "operations wait";
  return html`${amount(waiting, more.waiting)} ${words} for a person${oldest}.`;
}

const openWords = ({ index, state }: FilterTexts): Html =>
  index === "open" && state === undefined
    ? html`<p class="tab-words">Automation works on these, or they are settled and not closed yet: their outcome was not fetched, or a second effect is watched for.</p>`
    : nothing;

const TABS: readonly {
  title: string;
  set: { index?: string; state?: State };
  size(numbers: Numbers): string;
}[] = [
  { title: "Waits for a person", set: {}, size: ({ waiting, more }) => amount(waiting, more.waiting) },
  {
    title: "In doubt",
    set: { index: "open", state: "uncertain" },
    size: ({ uncertain, more }) => amount(uncertain, more.underWay),
  },
  {
    title: "Under way or settled",
    set: { index: "open" },
    size: ({ underWay, more }) => amount(underWay, more.underWay),
  },
];

const tabs = ({ texts, numbers }: ListFacts): Html =>
  html`<nav class="tabs" aria-label="Parts of the queue" data-region="tabs">${each(TABS, ({ title, set, size }) => {
    const here =
      (texts.index ?? "attention") === (set.index ?? "attention") && (set.index ? texts.state === set.state : true);
    const query = queryOf(withoutPage(texts), { index: set.index, state: set.state });
    const number = numbers && size(numbers);
    return html`<a href="/${query}" ${here ? html`aria-current="true"` : nothing}>${title}${
      number === undefined ? nothing : html` <span class="tab-count">${number}</span>`
    }</a>`;
  })}</nav>`;

function chips(texts: FilterTexts): Html {
  const set = conditions(texts);
  if (set.length === 0) return nothing;
  return html`<p class="chips"><span class="chips-word">Filtered by</span>${each(
    set,
    ([key, value]) =>
      html`<a class="chip" href="/${queryOf(withoutPage(texts), { [key]: undefined })}" aria-label="Remove the filter ${key}: ${line(value)}"><span>${key}</span> ${name(value)} <span aria-hidden="true">×</span></a>`,
  )}<a class="chip-clear" href="/${queryOf({ ...(texts.index && { index: texts.index }) })}">Clear all</a></p>`;
}

function rows({ page, texts }: ListFacts): Html {
  if (page.items.length > 0) return html`<ol class="rows" data-rows>${each(page.items, row)}</ol>`;
  if (page.nextCursor !== undefined)
    return empty(
      "None of these yet",
      html`${count(page.scanned, "record was", "records were")} looked at, and there are more.`,
    );
  if (texts.cursor !== undefined)
    return empty(
      "That was all",
      html`There is nothing after the last page. <a href="/${queryOf(withoutPage(texts))}">Back to the first</a>.`,
    );
  if (conditions(texts).length > 0)
    return empty("Nothing fits", html`No operation fits this filter. <a href="/">Show the whole queue</a>.`);
  if (texts.index === "open")
    return empty("Nothing is under way", html`No operation is in flight or in doubt, and every settled one is closed.`);
  return empty(
    "Nothing waits for you",
    html`What automation can find out, it does. What it cannot comes here, by itself: this page is live.`,
  );
}

const row = (item: QueueItem): Html => html`<li class="row" data-key="${item.id}" data-version="${item.version}">
<div class="row-main"><a class="row-link" href="${itemPath(item.id)}">${toolOf(item)}</a>${summaryOf(item)}
<p class="row-next"><span class="row-why">${spaced(line(item.reason))}</span> ${sentence(firstSentence(item.next))}</p></div>
<div class="row-side"><span class="badges">${conflictBadge(item.conflict)}${badge(item.state)}</span>${ageOf(item.ageMs)}
<code class="row-id">${item.id.slice(0, 10)}…${item.id.slice(-4)}</code></div>
</li>`;

function pager({ page, texts }: ListFacts): Html {
  const first =
    texts.cursor === undefined
      ? nothing
      : html`<a class="button" href="/${queryOf(withoutPage(texts))}">First page</a>`;
  const next =
    page.nextCursor === undefined
      ? nothing
      : html`<a class="button" rel="next" href="/${queryOf(texts, { cursor: page.nextCursor })}">${page.items.length === 0 ? "Look further" : "Next page"}</a>`;
  return html`<nav class="pager" aria-label="Pages of the list">${first}${next}</nav>`;
}
