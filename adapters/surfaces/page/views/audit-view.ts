/** Who decided what, when and why; and what went into doubt and how it came out. */
import type { JournalKind, JournalLine } from "../../../../src/entries/queue.ts";
import { line, name, quoted } from "../fence.ts";
import { each, type Html, html, nothing } from "../html.ts";
import { itemPath } from "../links.ts";
import { duration, JOURNAL_KINDS, spaced, type Tone } from "../words.ts";
import { empty, moment, toolOf } from "./parts.ts";

export interface AuditFacts {
  readonly items: readonly JournalLine[];
  readonly nextCursor?: string;
  readonly kind?: JournalKind;
  readonly server?: string;
  readonly tool?: string;
  readonly cursor?: string;
}

const TONES: Readonly<Record<JournalKind, Tone>> = {
  verdict: "person",
  correction: "person",
  conflict: "bad",
  doubt: "doubt",
  settled: "good",
};

export const auditBody = (facts: AuditFacts): Html => html`<div class="page-head"><div><h1>Audit</h1>
<p class="lead">Who decided what, when and why; what went into doubt, and how it came out. Newest first.</p></div></div>
<nav class="tabs" aria-label="Kinds of events">${tab(facts, undefined, "Everything")}${each(
  Object.entries(JOURNAL_KINDS) as [JournalKind, string][],
  ([kind, words]) => tab(facts, kind, words),
)}</nav>
<form class="filter filter-line" method="get" action="/audit" role="search" aria-label="Filter the audit">
${facts.kind === undefined ? nothing : html`<input type="hidden" name="kind" value="${facts.kind}">`}
<input id="search" type="search" name="server" value="${facts.server ?? ""}" placeholder="Server" aria-label="Server" maxlength="300" spellcheck="false">
<input type="search" name="tool" value="${facts.tool ?? ""}" placeholder="Tool" aria-label="Tool" maxlength="300" spellcheck="false"><button>Filter</button></form>
${facts.items.length === 0 ? none(facts) : html`<ol class="journal">${each(facts.items, entry)}</ol>`}
<nav class="pager" aria-label="Pages of the audit">${facts.cursor === undefined ? nothing : html`<a class="button" href="${auditPath({ ...facts, cursor: undefined })}">Newest</a>`}${
  facts.nextCursor === undefined
    ? nothing
    : html`<a class="button" rel="next" href="${auditPath({ ...facts, cursor: facts.nextCursor })}">Older</a>`
}</nav>`;

const none = ({ kind }: AuditFacts): Html =>
  empty(
    "Nothing on record here",
    html`${kind === undefined ? "No operation went into doubt, and nobody decided anything." : "No event of this kind."}`,
  );

const tab = (facts: AuditFacts, kind: JournalKind | undefined, words: string): Html =>
  html`<a href="${auditPath({ ...facts, kind, cursor: undefined })}" ${facts.kind === kind ? html`aria-current="true"` : nothing}>${words}</a>`;

type AuditQuery = { readonly [K in "kind" | "server" | "tool" | "cursor"]?: string | undefined };

function auditPath({ kind, server, tool, cursor }: AuditQuery): string {
  const query = new URLSearchParams(
    Object.entries({ kind, server, tool, cursor }).flatMap(([key, value]): [string, string][] =>
      value ? [[key, value]] : [],
    ),
  );
  return query.size > 0 ? `/audit?${query}` : "/audit";
}

/** How a doubt ended. */
const HOW: Readonly<Record<string, string>> = {
  late_answer: "a late answer",
  observation: "an observation at the destination",
  resend_answered: "the answer to a resend",
  never_sent: "proof that it was never sent",
};

const entry = (event: JournalLine): Html => html`<li class="event">
<p class="event-when">${moment(event.at)}</p>
<div class="event-what"><p><span class="badge tone-${TONES[event.kind]}">${event.kind}</span> <a href="${itemPath(event.id)}">${toolOf(event)}</a></p>
<p>${what(event)}</p>
${event.reason === undefined ? nothing : event.actor === undefined ? html`<p class="muted">${spaced(line(event.reason))}</p>` : quoted(`why, in the words of ${line(event.actor)}`, event.reason)}
</div></li>`;

function what({ from, to, actor, ref, override, how, ageMs, row }: JournalLine): Html {
  const move =
    to === undefined || from === to
      ? html`${spaced(row)}`
      : html`${from === undefined ? nothing : html`${spaced(from)} → `}<strong>${spaced(to)}</strong>`;
  const by =
    actor === undefined
      ? how === undefined
        ? nothing
        : html` by ${HOW[how] ?? spaced(how)}`
      : html` by ${name(actor)}`;
  const after = ageMs === undefined ? nothing : html` <span class="muted">after ${duration(ageMs)}</span>`;
  return html`${move}${by}${ref === undefined ? nothing : html`, reference ${name(ref)}`}${
    override ? html` <span class="badge tone-bad">override</span>` : nothing
  }${after}`;
}
