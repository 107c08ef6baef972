/** What surrounds every page: head, navigation, who is signed in, help. */

import { ASSET_PATHS } from "../assets.ts";
import { line } from "../fence.ts";
import { each, type Html, html, nothing } from "../html.ts";
import type { Session } from "../security/sessions.ts";
import { help } from "./help.ts";

export type Place = "queue" | "audit" | "charts";
export type Theme = "auto" | "light" | "dark";

/** Of the request, for every view. */
export interface Frame {
  readonly session: Session | undefined;
  readonly readOnly: boolean;
  readonly label: string | undefined;
  readonly theme: Theme;
  /** Items that wait for a person, where that is known. */
  readonly waiting?: string;
}

export interface Sheet {
  readonly title: string;
  readonly place?: Place;
  /** Where the script listens for changes of what this page shows, and what it showed when it was made. */
  readonly live?: { readonly url: string; readonly signature: string };
  readonly body: Html;
}

/** Whether this person may decide anything here. */
export const mayDecide = (frame: Frame): boolean => frame.session?.role === "operator" && !frame.readOnly;

/** Stands in each form that changes something. */
export const csrfField = ({ session }: Frame): Html =>
  html`<input type="hidden" name="csrf" value="${session?.csrf ?? ""}">`;

export const page = (frame: Frame, { title, place, live, body }: Sheet): Html => html`<!doctype html>
<html lang="en" data-theme="${frame.theme}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${line(title)} · indoubt</title>
<link rel="stylesheet" href="${ASSET_PATHS.style}">
<link rel="icon" href="${ASSET_PATHS.icon}" type="image/svg+xml">
<script type="module" src="${ASSET_PATHS.script}"></script>
<script type="module" src="${ASSET_PATHS.keys}"></script>
</head>
<body ${live ? html`data-live="${live.url}" data-signature="${live.signature}"` : nothing}>
<a class="skip" href="#main">Skip to the content</a>
${frame.session ? top(frame, place, live !== undefined) : nothing}
<div id="notice" class="notice" role="status" hidden></div>
<main id="main" tabindex="-1">${body}</main>
<div id="said" class="unseen" role="status"></div>
${frame.session ? help() : nothing}
</body>
</html>`;

const PLACES = [
  ["queue", "/", "Queue"],
  ["audit", "/audit", "Audit"],
  ["charts", "/charts", "Charts"],
] as const;

const top = (frame: Frame, place: Place | undefined, live: boolean): Html => html`<header class="top">
<a class="brand" href="/">${mark}<span>indoubt</span></a>
${frame.label === undefined ? nothing : html`<span class="label">${line(frame.label)}</span>`}
<nav aria-label="Pages">${each(
  PLACES,
  ([id, href, word]) =>
    html`<a href="${href}" ${id === place ? html`aria-current="page"` : nothing}>${word}${
      id === "queue" && frame.waiting
        ? html` <span class="bubble"><span data-region="waiting">${frame.waiting}</span><span class="unseen"> waiting</span></span>`
        : nothing
    }</a>`,
)}</nav>
<div class="me">
${live ? html`<span class="pulse" id="pulse" data-state="starting"><span class="pulse-word">Connecting</span></span>` : nothing}
<button type="button" class="ghost" id="theme" hidden aria-label="Colours: ${frame.theme}" title="Colours: ${frame.theme}">${sun}</button>
<button type="button" class="ghost" id="help-button" hidden aria-label="Keyboard help" title="Keyboard help (?)">?</button>
${account(frame)}
</div>
</header>`;

const account = (
  frame: Frame,
): Html => html`<details class="account"><summary>${line(frame.session?.name ?? "")} <span class="role">${
  frame.readOnly ? "read-only" : frame.session?.role
}</span></summary>
<form method="post" action="/sign-out">${csrfField(frame)}<button>Sign out</button></form></details>`;

export const mark = html`<svg class="mark" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true"><circle cx="12" cy="12" r="9.5" fill="none" stroke="currentColor" stroke-width="2.2" stroke-dasharray="3.2 2.77"/><path d="M12 5.5a6.5 6.5 0 0 1 0 13z" fill="currentColor"/></svg>`;

const sun = html`<svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true"><circle cx="10" cy="10" r="6.5" fill="none" stroke="currentColor" stroke-width="1.7"/><path d="M10 3.5a6.5 6.5 0 0 1 0 13z" fill="currentColor"/></svg>`;
