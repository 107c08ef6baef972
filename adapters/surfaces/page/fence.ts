/**
 * Untrusted words: names of tools, arguments, answers, reasons. They were written by a server, a model, a caller or
 * another person. They are escaped like everything else; here, what cannot be seen in them is made visible, and a frame
 * says whose words they are.
 */
import { each, type Html, html } from "./html.ts";

/**
 * Characters that change how their neighbours look, or that look like nothing: controls (but tab and line end), formats
 * (bidirectional, zero-width, tags), separators of lines, halves of pairs, private use, and what has no glyph.
 */
const HIDDEN = /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
/** More than this many marks on one letter only cover the lines around it. */
const PILED_MARKS = /(\p{M}{3})\p{M}+/gu;

const LONGEST_NAME = 160;
const LONGEST_SENTENCE = 1_000;
const LONGEST_TEXT = 4_000;

const codeOf = (character: string): string =>
  `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`;

/** The text with everything hidden spelled out; line ends and tabs stay. */
export const visible = (text: string): string => text.replace(HIDDEN, codeOf).replace(PILED_MARKS, "$1…");

const cut = (text: string, longest: number): string =>
  text.length > longest ? `${text.slice(0, longest)}… (${text.length} characters)` : text;

/** For one line: a name, a reference, a title. */
export const line = (text: string): string => visible(cut(text, LONGEST_NAME).replace(/[\n\t]/g, codeOf));

/** Our own words, with names of others in them. */
export const sentence = (text: string): string => visible(cut(text, LONGEST_SENTENCE).replace(/[\n\t]/g, codeOf));

/** A name that somebody else chose, apart from the words around it. */
export const name = (text: string): Html => html`<bdi class="name" translate="no">${line(text)}</bdi>`;

/** Words of somebody else, in a frame that says so. */
export const quoted = (whose: string, text: string): Html =>
  html`<figure class="said"><figcaption>${whose}</figcaption><blockquote dir="auto" translate="no">${visible(cut(text, LONGEST_TEXT))}</blockquote></figure>`;

const LONGEST_JSON = 20_000;

/** Data of somebody else. */
export function data(whose: string, value: unknown): Html {
  const text = cut(JSON.stringify(value, undefined, 2) ?? "", LONGEST_JSON);
  return html`<figure class="said"><figcaption>${whose}</figcaption><pre dir="ltr" translate="no" tabindex="0"><code>${each(jsonParts(text), part)}</code></pre></figure>`;
}

interface JsonPart {
  readonly kind: "name" | "text" | "word" | "plain";
  readonly text: string;
}

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null|-?\d[\d.eE+-]*)\b/g;

/** Colours for reading; what it does not understand stays plain text. */
function jsonParts(text: string): JsonPart[] {
  const parts: JsonPart[] = [];
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [whole, string, colon] = match;
    parts.push({ kind: "plain", text: text.slice(end, match.index) });
    parts.push({ kind: colon ? "name" : string ? "text" : "word", text: whole });
    end = match.index + whole.length;
  }
  return [...parts, { kind: "plain", text: text.slice(end) }];
}

const part = ({ kind, text }: JsonPart): Html =>
  kind === "plain" ? html`${visible(text)}` : html`<span class="json-${kind}">${visible(text)}</span>`;
