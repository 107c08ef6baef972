import { visible } from "../fence.ts";
import { type Html, html, nothing } from "../html.ts";
import { mark } from "./frame.ts";

export interface SignInFacts {
  /** Where to go afterwards. */
  readonly place: string;
  /** People have tokens of their own; else there is the one-time link of the terminal. */
  readonly byToken: boolean;
  readonly problem?: string;
  /** What was typed into a form that came after the session had ended. */
  readonly typed?: string;
}

export const signInBody = ({ place, byToken, problem, typed }: SignInFacts): Html => html`<div class="gate card">
<p class="brand">${mark}<span>indoubt</span></p>
<h1>Sign in</h1>
${problem === undefined ? nothing : html`<p class="wrong" role="alert">${problem}</p>`}
${typed === undefined ? nothing : html`<figure class="said"><figcaption>what you had typed</figcaption><blockquote dir="auto">${visible(typed)}</blockquote></figure>`}
<form method="post" action="/sign-in"><input type="hidden" name="return" value="${place}">
<label class="field">${byToken ? "Your sign-in token" : "One-time token"}<input type="password" name="token" required autocomplete="${byToken ? "current-password" : "one-time-code"}" maxlength="500" spellcheck="false"></label>
<button class="primary wide">Sign in</button></form>
<p class="muted">${byToken ? "An operator's token decides, a viewer's token only looks." : "It stands in the link that was printed where the page was started, and can be used once. Press Enter there for another one."}</p>
</div>`;

/** Cookies of this page are not sent along with a link from elsewhere; this page asks once more, from here. */
export const hopBody = (place: string): Html =>
  html`<div class="gate card"><p class="brand">${mark}<span>indoubt</span></p><p><a id="hop" href="${place}">Go on to the page</a></p></div>`;
