/** A page for what went wrong. */
import { sentence, visible } from "../fence.ts";
import { each, type Html, html, nothing } from "../html.ts";
import { TITLES } from "../problems.ts";

export const problemBody = (status: number, message: string): Html => html`<div class="gate card">
<p class="status">${status}</p><h1>${TITLES[status] ?? "That did not work"}</h1><p>${sentence(message)}</p><p class="muted">Nothing was changed.</p><p><a class="button" href="/">To the queue</a></p></div>`;

/** Comes back by itself: the script asks, and without it the browser does. */
export const awayBody = (): Html => html`<div class="gate card" data-recover="reload">
<p class="status">503</p><h1>The store is away</h1><p>The page cannot read the queue now. Calls that need the store are refused meanwhile, so nothing is sent unrecorded.</p>
<p class="muted" id="recover-word">This page comes back by itself when the store does.</p><p><a class="button" href="">Try now</a></p></div>`;

/** The store went away under a decision: whether it was recorded is not known, and the same decision may be sent again. */
export const awayFormBody = (
  action: string,
  fields: readonly (readonly [name: string, value: string])[],
  reason: string,
): Html => html`<div class="gate card" data-recover="enable">
<p class="status">503</p><h1>The store is away</h1>
<p>Your decision was handed in, but the store did not answer. It may or may not be on record. The decision has a name: sent again, it counts once.</p>
${reason === "" ? nothing : html`<figure class="said"><figcaption>your reason</figcaption><blockquote dir="auto">${visible(reason)}</blockquote></figure>`}
<form method="post" action="${action}">${each(fields, ([key, value]) => html`<input type="hidden" name="${key}" value="${value}">`)}
<button class="primary wide">Send the same decision again</button></form>
<p class="muted" id="recover-word">Waiting for the store…</p></div>`;
