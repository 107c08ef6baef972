/** Other people's words, made harmless to look at: no control characters, no bidirectional tricks, a visible end. */

/** C0 and C1 controls, zero-width and bidirectional characters, line and paragraph separators. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const MOVES = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** One line of untrusted text. */
export function tame(text: string, longest = 300): string {
  const plain = text.replace(MOVES, (character) => (/\s/.test(character) ? " " : "�"));
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
