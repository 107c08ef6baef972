/** JSON as JavaScript reads it, but with the digits of integers that it would round. */

const MAYBE_ROUNDED = /\d{16}/;
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * An integer that a JavaScript number cannot hold becomes the text of its digits: rounded, two calls that differ only
 * there would have the same identity, and the second would be answered with the outcome of the first.
 *
 * @throws SyntaxError when it is no JSON
 */
export function parseExact(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!MAYBE_ROUNDED.test(text)) return value;
  const exact = text.replace(STRING_OR_NUMBER, (token) => (isRounded(token) ? `"${token}"` : token));
  return exact === text ? value : JSON.parse(exact);
}

const isRounded = (token: string): boolean => /^-?\d{16,}$/.test(token) && BigInt(token) !== BigInt(Number(token));
