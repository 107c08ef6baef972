// The page by keyboard, its help, and the way back to the list.

const byId = (id) => document.getElementById(id);

const help = byId("help");
const helpButton = byId("help-button");
if (helpButton) {
  helpButton.hidden = false;
  helpButton.addEventListener("click", () => help.showModal());
}

function step(by) {
  const links = [...document.querySelectorAll("[data-rows] .row-link")];
  if (links.length === 0) return;
  const at = links.indexOf(document.activeElement);
  const next = at < 0 ? (by > 0 ? 0 : links.length - 1) : Math.min(links.length - 1, Math.max(0, at + by));
  links[next].focus();
  links[next].closest(".row").scrollIntoView({ block: "nearest" });
}

// Back to the list as it was, with its filter.
const back = document.querySelector("[data-back]");
if (back && URL.canParse(document.referrer)) {
  const from = new URL(document.referrer);
  if (from.origin === location.origin && from.pathname === "/") back.href = from.pathname + from.search;
}

const KEYS = {
  j: () => step(1),
  k: () => step(-1),
  "/": () => {
    byId("search")?.focus();
    byId("search")?.select();
  },
  "?": () => help?.showModal(),
  u: () => back?.click(),
  v: () => {
    const form = byId("decision");
    form?.closest("details")?.setAttribute("open", "");
    form?.querySelector("input:not([type=hidden]), select")?.focus();
  },
};

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const { target } = event;
  if (target.matches("input:not([type=radio], [type=checkbox]), textarea, select")) {
    if (event.key === "Escape") target.blur();
    return;
  }
  if (help?.open) return;
  const run = Object.hasOwn(KEYS, event.key) ? KEYS[event.key] : undefined;
  if (!run) return;
  event.preventDefault();
  run();
});
