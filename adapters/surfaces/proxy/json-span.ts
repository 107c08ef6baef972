/** Where a value stands in a JSON text, so that it can be replaced and every other byte stays. */

export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * The value under these keys; of keys that are there twice the last one, as `JSON.parse` takes it.
 * @param text valid JSON
 */
export function spanOf(text: string, path: readonly string[]): Span | undefined {
  let span: Span | undefined = { start: skipSpace(text, 0), end: text.length };
  for (const key of path) {
    if (span === undefined || text[span.start] !== "{") return undefined;
    span = memberOf(text, span.start, key);
  }
  return span;
}

/**
 * The keys of an object, each as often as it stands there.
 * @param text valid JSON
 */
export function keysOf(text: string): readonly string[] {
  const start = skipSpace(text, 0);
  return text[start] === "{" ? [...membersOf(text, start)].map(({ name }) => name) : [];
}

function memberOf(text: string, start: number, key: string): Span | undefined {
  let found: Span | undefined;
  for (const { name, value } of membersOf(text, start)) if (name === key) found = value;
  return found;
}

function* membersOf(text: string, start: number): Generator<{ readonly name: string; readonly value: Span }> {
  let at = skipSpace(text, start + 1);
  while (text[at] === '"') {
    const nameEnd = endOfString(text, at);
    const name = JSON.parse(text.slice(at, nameEnd)) as string;
    const value = skipSpace(text, skipSpace(text, nameEnd) + 1);
    const end = endOfValue(text, value);
    yield { name, value: { start: value, end } };
    at = skipSpace(text, end);
    if (text[at] === ",") at = skipSpace(text, at + 1);
  }
}

function endOfValue(text: string, start: number): number {
  const first = text[start];
  if (first === '"') return endOfString(text, start);
  if (first !== "{" && first !== "[") return endOfToken(text, start);
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const sign = text[at];
    if (sign === '"') at = endOfString(text, at) - 1;
    else if (sign === "{" || sign === "[") depth += 1;
    else if ((sign === "}" || sign === "]") && --depth === 0) return at + 1;
  }
  return text.length;
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

function endOfToken(text: string, start: number): number {
  let at = start;
  while (at < text.length && !/[\s,\]}]/.test(text[at] ?? "")) at += 1;
  return at;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (/\s/.test(text[at] ?? "")) at += 1;
  return at;
}
