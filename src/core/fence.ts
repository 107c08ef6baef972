/** Other people's words, made harmless to look at: no control characters, no bidirectional tricks, a visible end. */

/** Controls, formats (bidirectional, zero-width, tags), separators, halves of pairs, and what has no glyph. */
const MOVES = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** "Show the sign before this one in colours": hides nothing. */
const EMOJI = "\ufe0f";

/** One line of untrusted text. */
export function tame(text: string, longest = 300): string {
  const plain = text.replace(MOVES, (character) => (character === EMOJI ? "" : /\s/.test(character) ? " " : "�"));
  return plain.length > longest ? `${plain.slice(0, longest)}…` : plain;
}

/** The same, with its ends in sight. */
export const quoted = (text: string, longest = 200): string => `"${tame(text, longest)}"`;

/** Several lines, each marked as the publisher's. */
export const fenced = (text: string, longest = 1_000): string =>
  (text.length > longest ? `${text.slice(0, longest)}…` : text)
    .split(/\r\n|[\r\n\u2028\u2029]/)
    .map((line) => `> ${tame(line, longest)}`)
    .join("\n");
