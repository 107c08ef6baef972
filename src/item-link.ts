/** Links from an item to a page of the user's own. One rule for the page, the command line, the webhook and the configuration file. */

const WORDS = ["id", "server", "tool", "key", "ref"] as const;
type Word = (typeof WORDS)[number];

/** What a template may name; a word that is not known here is left out. */
export type ItemLinkFacts = { readonly [W in Word]?: string };

const LIST = WORDS.map((word) => `{${word}}`).join(", ");
const PLACE = /\{([^{}]*)\}/g;

/** What is wrong with a template, with the cure; `undefined` when it can be used. */
export function itemLinkProblem(template: string): string | undefined {
  const names = [...template.matchAll(PLACE)].map(([, name = ""]) => name);
  const unknown = names.find((name) => !isWord(name));
  if (unknown !== undefined) return `{${unknown.slice(0, 40)}} is none of ${LIST}`;
  if (names.length === 0) return `it names nothing: write ${LIST} into it`;
  const [one, other] = ["a", "b"].map((letter) => webUrl(template.replace(PLACE, letter)));
  if (!one || !other) return "it must be an http(s) URL, such as https://board.example/?operation={id}";
  if (one.username !== "" || one.password !== "") return "it holds a user name or password: take it out";
  return one.origin === other.origin ? undefined : "a placeholder may not stand in the name of the host";
}

/**
 * The link of an item. `undefined` for a template with a problem, or one that names what is not known here; and where a
 * name such as `..`, which a server chose, would lead to another place of the user's site.
 */
export function itemLink(template: string, facts: ItemLinkFacts): string | undefined {
  if (itemLinkProblem(template) !== undefined) return undefined;
  let isWhole = true;
  const link = template.replace(PLACE, (_, name: string) => {
    const value = isWord(name) ? facts[name] : undefined;
    if (value === undefined) isWhole = false;
    return encodeURIComponent((value ?? "").toWellFormed());
  });
  return isWhole && depthOf(link) === depthOf(template.replace(PLACE, "a")) ? link : undefined;
}

/** Addresses are shortened by `..`, however it is written. */
const depthOf = (link: string): number => new URL(link).pathname.split("/").length;

const isWord = (name: string): name is Word => (WORDS as readonly string[]).includes(name);

function webUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === "https:" || url?.protocol === "http:" ? url : undefined;
}
