/** `--header "Name: value"`, as often as you like. */
import { UsageError } from "./exit.ts";

/** An option that may be repeated. */
export const list = (value: string, before: readonly string[]): readonly string[] => [...before, value];

/** @throws UsageError for what is no header; the value may be a secret and is not told */
export const headersOf = (lines: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(lines.map(headerOf));

function headerOf(text: string): readonly [string, string] {
  const [, name, value] = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):\s*(\S.*)$/.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return [name.toLowerCase(), value];
  throw new UsageError("--header is not a header", 'Write it as "Name: value".');
}

/** @throws UsageError for what is no address of a server over HTTP */
export function httpUrl(text: string): string {
  if (URL.canParse(text) && /^https?:/.test(text)) return text;
  throw new UsageError(`--url is "${text}"`, "Write an http:// or https:// address.");
}
