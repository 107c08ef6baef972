/** The filter as a form with GET: it works without the script, and its result is a link. */
import { conditions, type FilterTexts } from "../filter.ts";
import { each, type Html, html, nothing } from "../html.ts";
import { STATES, spaced } from "../words.ts";

interface Choice {
  readonly name: "state" | "older" | "newer" | "conflict" | "order";
  readonly label: string;
  readonly options: readonly (readonly [value: string, words: string])[];
}

const AGES = ["1m", "10m", "1h", "6h", "1d", "7d"].map((text) => [text, text] as const);
const CHOICES: readonly Choice[] = [
  {
    name: "state",
    label: "State",
    options: [["", "Any state"], ...Object.keys(STATES).map((state) => [state, spaced(state)] as const)],
  },
  { name: "older", label: "Older than", options: [["", "Any age"], ...AGES] },
  { name: "newer", label: "Younger than", options: [["", "Any age"], ...AGES] },
  {
    name: "conflict",
    label: "Conflict",
    options: [
      ["", "Any"],
      ["true", "Only conflicts"],
      ["false", "No conflicts"],
    ],
  },
  {
    name: "order",
    label: "Order",
    options: [
      ["", "Oldest first"],
      ["newest", "Newest first"],
    ],
  },
];

const FIELDS = [
  ["server", "Server"],
  ["tool", "Tool"],
  ["reason", "Reason"],
  ["principal", "Principal"],
] as const;

export function filterForm(texts: FilterTexts): Html {
  const hidden = conditions(texts).some(([name]) => name !== "text") || texts.order !== undefined;
  return html`<form class="filter" method="get" action="/" role="search" aria-label="Filter the queue">
${texts.index === undefined ? nothing : html`<input type="hidden" name="index" value="${texts.index}">`}
<div class="filter-line">
<input id="search" type="search" name="text" value="${texts.text ?? ""}" maxlength="300" placeholder="Search id, tool, reason, arguments" aria-label="Search" autocomplete="off" spellcheck="false">
<button>Search</button>
</div>
<details class="more" ${hidden ? html`open` : nothing}><summary>Filters</summary>
<div class="filter-grid">${each(FIELDS, ([name, label]) => field(name, label, texts[name]))}${each(CHOICES, (choice) => select(choice, texts[choice.name]))}</div>
<button>Apply</button>
</details>
</form>`;
}

const field = (name: string, label: string, value = ""): Html =>
  html`<label>${label}<input name="${name}" value="${value}" maxlength="300" autocomplete="off" spellcheck="false"></label>`;

function select({ name, label, options }: Choice, value = ""): Html {
  // An age that came in the URL and stands in no list is kept.
  const all = options.some(([known]) => known === value) ? options : [...options, [value, value] as const];
  return html`<label>${label}<select name="${name}">${each(
    all,
    ([known, words]) => html`<option value="${known}" ${known === value ? html`selected` : nothing}>${words}</option>`,
  )}</select></label>`;
}
