/** JSON as JavaScript reads it, but with the digits of integers that it would round. */

const MAYBE_ROUNDED = /\d{16}/;
/** Every integer with more digits is beyond what a JavaScript number holds at all. */
const LONGEST_FINITE = 309;

/**
 * An integer that a JavaScript number cannot hold becomes the text of its digits: rounded, two calls that differ only
 * there would have the same identity, and the second would be answered with the outcome of the first.
 *
 * @throws SyntaxError when it is no JSON
 */
export function parseExact(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!MAYBE_ROUNDED.test(text)) return value;
  const exact = withExactIntegers(text);
  return exact === text ? value : JSON.parse(exact);
}

/**
 * By hand, not with a regular expression: one that steps over strings runs out of stack at some megabytes, and what
 * cannot be read is no tool call for anybody who asks.
 * @param text valid JSON
 */
function withExactIntegers(text: string): string {
  const parts: string[] = [];
  let done = 0;
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = afterString(text, at);
    else if (!isNumberPart(code)) at += 1;
    else {
      const end = afterNumber(text, at);
      const token = text.slice(at, end);
      if (isRounded(token)) {
        parts.push(text.slice(done, at), `"${token}"`);
        done = end;
      }
      at = end;
    }
  }
  return done === 0 ? text : parts.join("") + text.slice(done);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

function afterString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return end + 1;
  }
  return text.length;
}

function afterNumber(text: string, start: number): number {
  let end = start + 1;
  while (isNumberPart(text.charCodeAt(end)) || /[.eE+]/.test(text.charAt(end))) end += 1;
  return end;
}

/** A digit or a minus. */
const isNumberPart = (code: number): boolean => (code >= 0x30 && code <= 0x39) || code === 0x2d;

function isRounded(token: string): boolean {
  if (token.length < 16 || !/^-?\d+$/.test(token)) return false;
  return token.length > LONGEST_FINITE || BigInt(token) !== BigInt(Number(token));
}
