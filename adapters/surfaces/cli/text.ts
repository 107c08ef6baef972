/**
 * Untrusted words on a terminal: names, arguments and answers come from servers, models and people. Control characters
 * would move the cursor or rewrite what was read, bidirectional ones reorder it; they are shown as what they are.
 */

/** Controls, formats (bidirectional, zero-width, tags), line and paragraph separators, halves of pairs, and what has no glyph. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

const code = (character: string): string => (character.codePointAt(0) ?? 0).toString(16);

/** One line, in which every character is visible. `\n` becomes `\u{a}`. */
export const visible = (text: string): string => text.replace(UNSAFE, (character) => `\\u{${code(character)}}`);

/** JSON with the same value, in which nothing can move a cursor. */
export const safeJson = (value: unknown, indent?: number): string =>
  (JSON.stringify(value, null, indent) ?? "null").replace(UNSAFE, (character) =>
    character === "\n"
      ? character
      : [...Array(character.length).keys()]
          .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`)
          .join(""),
  );

const LONGEST = 4_000;
const MOST_LINES = 80;

/** Words of a stranger, each line marked, so that they end where they end. */
export function fenced(text: string, indent = "  "): string[] {
  const lines = (text.length > LONGEST ? text.slice(0, LONGEST) : text).split(/\r\n|\n|\r/);
  const shown = lines.slice(0, MOST_LINES).map((line) => `${indent}| ${visible(line)}`);
  const cut = text.length > LONGEST || lines.length > MOST_LINES;
  return cut ? [...shown, `${indent}  (cut; --json has all of it)`] : shown;
}

export const fencedJson = (value: unknown, indent?: string): string[] => fenced(safeJson(value, 2), indent);

/** Sentences of ours, in lines of a width; the first line begins with `first`, the others with `rest`. */
export function wrapped(text: string, width: number, first = "", rest = first): string[] {
  const lines: string[] = [];
  let line = first;
  let empty = true;
  for (const word of visible(text).split(" ")) {
    if (!empty && line.length + 1 + word.length > width) {
      lines.push(line);
      line = rest;
      empty = true;
    }
    line += empty ? word : ` ${word}`;
    empty = false;
  }
  return [...lines, line];
}

/** In the middle of a sentence of ours. */
export const quoted = (text: string, longest = 200): string => {
  const plain = visible(text);
  return `"${plain.length > longest ? `${plain.slice(0, longest)}…` : plain}"`;
};

/** 1 s, 4 m, 3 h, 12 d. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} m`;
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} d`;
}

/** Of the store's clock, in UTC. */
export const instant = (at: number): string => new Date(at).toISOString().replace("T", " ");
