import { each, type Html, html } from "../html.ts";

const KEYS = [
  ["j", "Next item"],
  ["k", "Previous item"],
  ["Enter", "Open the item"],
  ["/", "Search"],
  ["v", "On an item: to the decision"],
  ["u", "Back to the queue"],
  ["?", "This help"],
  ["Esc", "Close, or leave a field"],
] as const;

export const help = (): Html => html`<dialog id="help" aria-labelledby="help-title">
<h2 id="help-title">Keyboard</h2>
<dl class="keys">${each(KEYS, ([key, words]) => html`<div><dt><kbd>${key}</kbd></dt><dd>${words}</dd></div>`)}</dl>
<p class="muted">A verdict is never given by a single key: it needs a reason, and a button.</p>
<form method="dialog"><button class="primary">Close</button></form>
</dialog>`;
