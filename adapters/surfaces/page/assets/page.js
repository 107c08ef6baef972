// What keeps an open page up to date. Every page works without it.

const byId = (id) => document.getElementById(id);
const html = globalThis.trustedTypes
  ? trustedTypes.createPolicy("indoubt", { createHTML: (text) => text })
  : { createHTML: (text) => text };

/* Colours ------------------------------------------------------------------------------------------------------- */

const THEMES = ["auto", "light", "dark"];
const themeButton = byId("theme");
if (themeButton) {
  themeButton.hidden = false;
  themeButton.addEventListener("click", () => {
    const root = document.documentElement;
    const theme = THEMES[(THEMES.indexOf(root.dataset.theme) + 1) % THEMES.length];
    root.dataset.theme = theme;
    // biome-ignore lint/suspicious/noDocumentCookie: the server reads it, so that the next page arrives in these colours
    document.cookie = `indoubt_theme=${theme}; path=/; max-age=31536000; samesite=strict`;
    themeButton.title = `Colours: ${theme}`;
    themeButton.setAttribute("aria-label", `Colours: ${theme}`);
    say(`Colours: ${theme}`);
  });
}

/** For those who listen. */
function say(words) {
  const place = byId("said");
  if (place) place.textContent = words;
}

/* Ages ---------------------------------------------------------------------------------------------------------- */

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
];

function ageWords(ms) {
  const index = UNITS.findIndex(([, size]) => ms >= size);
  if (index < 0) return "0 s";
  const [unit, size] = UNITS[index];
  const rest = UNITS[index + 1];
  const more = rest ? Math.floor((ms % size) / rest[1]) : 0;
  return `${Math.floor(ms / size)} ${unit}${more > 0 ? ` ${more} ${rest[0]}` : ""}`;
}

let readAt = performance.now();
let frozen = false;
function tick() {
  if (frozen || document.hidden) return;
  for (const age of document.querySelectorAll("[data-age]")) {
    const words = ageWords(Number(age.dataset.age) + performance.now() - readAt);
    if (age.textContent !== words) age.textContent = words;
  }
}
setInterval(tick, 1_000);

/* Notice -------------------------------------------------------------------------------------------------------- */

const notice = byId("notice");
let noticeTimer;

function show(kind, words, link) {
  clearTimeout(noticeTimer);
  notice.dataset.kind = kind;
  notice.replaceChildren(words);
  if (link) {
    const anchor = document.createElement("a");
    anchor.href = link.href;
    anchor.textContent = link.words;
    notice.append(" ", anchor);
  }
  notice.hidden = false;
  if (kind === "back") {
    noticeTimer = setTimeout(() => {
      notice.hidden = true;
    }, 4_000);
  }
}

/* Live ---------------------------------------------------------------------------------------------------------- */

const { live, signature: shownAtFirst } = document.body.dataset;
let shown = shownAtFirst;
let away = false;

const clock = () => new Date().toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit" });

const PULSES = { live: "Live", away: "Store away", lost: "Reconnecting", starting: "Connecting" };
function pulse(state) {
  const place = byId("pulse");
  if (!place) return;
  place.dataset.state = state;
  place.firstElementChild.textContent = PULSES[state];
}

function storeAway() {
  pulse("away");
  if (away) return;
  away = true;
  frozen = true;
  show("away", `The store is away since ${clock()}. What you see may be out of date.`);
}

async function storeThere(signature) {
  pulse("live");
  const wasAway = away;
  away = false;
  frozen = false;
  if (wasAway) show("back", "The store is back.");
  if (signature !== undefined && signature !== shown) await refresh(signature);
}

let refreshing = false;
async function refresh(signature) {
  if (refreshing) return;
  refreshing = true;
  try {
    const answer = await fetch(location.href, { headers: { accept: "text/html" }, redirect: "manual" });
    if (answer.ok) swapRegions(await answer.text(), signature);
    else if (answer.type === "opaqueredirect" || answer.status === 401) signedOut();
  } catch {
    // The event source tells when the page's server is there again.
  } finally {
    refreshing = false;
  }
}

/** The parts that may change; a form that somebody is filling in is none of them. */
function swapRegions(text, signature) {
  const fresh = new DOMParser().parseFromString(html.createHTML(text), "text/html");
  const before = versions(document);
  const focused = document.activeElement?.closest?.("[data-key]")?.dataset.key;
  const open = [...document.querySelectorAll("[data-region] details[open]")].map((details) => details.className);
  for (const region of document.querySelectorAll("[data-region]")) {
    const next = fresh.querySelector(`[data-region="${region.dataset.region}"]`);
    if (next && next.innerHTML !== region.innerHTML) region.replaceChildren(...document.adoptNode(next).childNodes);
  }
  for (const name of open) {
    for (const details of document.querySelectorAll(`[data-region] details`))
      if (details.className === name) details.open = true;
  }
  readAt = performance.now();
  shown = fresh.body.dataset.signature ?? signature;
  document.title = fresh.title;
  if (focused) document.querySelector(`[data-key="${CSS.escape(focused)}"] a`)?.focus({ preventScroll: true });
  markNew(before);
  checkVersion();
  wire();
}

const versions = (root) =>
  new Map([...root.querySelectorAll("[data-key]")].map((row) => [row.dataset.key, row.dataset.version]));

function markNew(before) {
  const now = versions(document);
  let changes = 0;
  for (const [key, version] of now) {
    if (before.get(key) === version) continue;
    changes += 1;
    document.querySelector(`[data-key="${CSS.escape(key)}"]`).classList.add("is-new");
  }
  const gone = [...before.keys()].filter((key) => !now.has(key)).length;
  if (changes + gone > 0) say(`The list has changed: ${changes} new or changed, ${gone} gone.`);
}

/** The form is about the version that the person looked at, and stays so until they look again. */
function checkVersion() {
  const newest = document.querySelector("[data-newest]");
  const form = byId("decision");
  const looked = form?.elements.namedItem("version")?.value;
  if (!newest || looked === undefined || newest.dataset.newest === looked) return;
  show("news", `It changed meanwhile: ${newest.textContent}. Your form is about version ${looked}.`, {
    href: location.pathname,
    words: "Look at the newest",
  });
}

function signedOut() {
  pulse("lost");
  const here = encodeURIComponent(location.pathname + location.search);
  show("away", "Your session has ended.", { href: `/sign-in?return=${here}`, words: "Sign in again" });
}

function listen() {
  const source = new EventSource(live);
  source.addEventListener("shown", (event) => storeThere(JSON.parse(event.data).signature));
  source.addEventListener("away", storeAway);
  source.addEventListener("error", async () => {
    pulse("lost");
    if (source.readyState !== EventSource.CLOSED) return;
    // Closed for good: the answer was no stream. Either nobody is signed in any more, or the store or server is away.
    const answer = await fetch("/health").catch(() => undefined);
    if (answer?.status === 401) return signedOut();
    if (answer?.status === 503) storeAway();
    setTimeout(listen, 2_000);
  });
  addEventListener("pagehide", () => source.close());
}
if (live) listen();
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});

/* A page that waits for the store ------------------------------------------------------------------------------- */

const recover = document.querySelector("[data-recover]");
if (recover) {
  const button = recover.querySelector("form button");
  if (button) button.disabled = true;
  const timer = setInterval(async () => {
    const answer = await fetch("/health").catch(() => undefined);
    // With 401 the session has ended meanwhile: loading the page again leads to the sign-in.
    if (!answer?.ok && answer?.status !== 401) return;
    clearInterval(timer);
    if (recover.dataset.recover === "reload") return location.reload();
    button.disabled = false;
    byId("recover-word").textContent = "The store is back.";
  }, 1_500);
}

/* Forms --------------------------------------------------------------------------------------------------------- */

for (const form of document.querySelectorAll("form[method=post]")) {
  form.addEventListener("submit", () => {
    // After the form's data was taken: twice by mistake is harmless, but looks as if the first had failed.
    setTimeout(() => {
      for (const button of form.querySelectorAll("button")) button.disabled = true;
    });
  });
}
byId("problem")?.focus();
(document.querySelector("[aria-invalid=true] input") ?? document.querySelector("[aria-invalid=true]"))?.focus();

function wire() {
  for (const button of document.querySelectorAll("[data-copy]")) {
    if (!navigator.clipboard || !button.hidden) continue;
    button.hidden = false;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(byId(button.dataset.copy).textContent);
      button.textContent = "Copied";
      say("Copied");
    });
  }
}
wire();
