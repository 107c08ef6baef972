/** Addresses: of the page's own places, and of the user's dashboards. */
import { invalid } from "./complaint.ts";

export const itemPath = (id: string): string => `/items/${encodeURIComponent(id)}`;

const PLACEHOLDERS = ["id", "server", "tool", "key", "ref"] as const;
type Placeholder = (typeof PLACEHOLDERS)[number];

/** @throws IndoubtError CONFIG_INVALID: only the path and the query of an http(s) URL may depend on an item */
export function checkTemplate(template: string): void {
  const unknown = [...template.matchAll(/\{([^}]*)\}/g)].find(
    ([, word]) => !PLACEHOLDERS.includes(word as Placeholder),
  );
  if (unknown)
    throw invalid("urlTemplate", `${unknown[0]} is none of ${PLACEHOLDERS.map((word) => `{${word}}`).join(", ")}`);
  const [one, two] = ["a", "b"].map((letter) => filled(template, () => letter));
  const origins = [one, two].map((text) => (URL.canParse(text ?? "") ? new URL(text ?? "") : undefined));
  const [first, second] = origins;
  if (!first || !second || !["http:", "https:"].includes(first.protocol))
    throw invalid("urlTemplate", "it must be an http(s) URL, such as https://example.com/?operation={id}");
  if (first.origin !== second.origin)
    throw invalid("urlTemplate", "a placeholder may not stand in the name of the host");
}

const filled = (template: string, value: (word: Placeholder) => string): string =>
  template.replace(/\{([^}]*)\}/g, (_, word: Placeholder) => encodeURIComponent(value(word)));

export interface LinkFacts {
  readonly id: string;
  readonly server: string;
  readonly tool: string;
  readonly key: string;
  readonly ref?: string;
}

export const ownLink = (template: string, facts: LinkFacts): string =>
  filled(template, (word) => (facts[word] ?? "").toWellFormed());

/** Where to go after the sign-in: a place of this page, never another site. */
export function placeOf(wanted: string | undefined): string {
  if (!wanted?.startsWith("/") || wanted.startsWith("//")) return "/";
  const base = "http://page.invalid";
  if (!URL.canParse(wanted, base)) return "/";
  const url = new URL(wanted, base);
  return url.origin === base && url.pathname !== "/sign-in" ? url.pathname + url.search : "/";
}
