/** What an operation is about, on one line of a list: ten charges of one tool differ only in their arguments. */
import { readPointer } from "./core/pointer.ts";
import type { JsonObject, JsonValue } from "./core/terms.ts";
import type { ToolPolicy } from "./policy.ts";

const LONGEST = 160;
const LONGEST_VALUE = 48;
const MOST_VALUES = 8;

/**
 * The identity arguments, else all of them, shortened. Words of a caller or a model: to be fenced wherever they are shown.
 * @param args the redacted copy. @returns undefined when there is nothing to tell
 */
export function summaryOf(
  args: JsonObject | undefined,
  { identityArgs, volatileArgs }: Pick<ToolPolicy, "identityArgs" | "volatileArgs">,
): string | undefined {
  if (!args) return undefined;
  const named = (identityArgs ?? []).flatMap((at) => {
    const value = readPointer(args, at);
    return value === undefined ? [] : [[nameOf(at), value] as const];
  });
  const all = Object.entries(args).filter(([name]) => !volatileArgs?.includes(`/${name}`));
  const pairs = named.length > 0 ? named : all;
  const words = pairs.slice(0, MOST_VALUES).map(([name, value]) => `${cut(name, LONGEST_VALUE)}: ${textOf(value)}`);
  if (words.length === 0) return undefined;
  return cut(`${words.join(", ")}${pairs.length > words.length ? ", …" : ""}`, LONGEST);
}

const nameOf = (pointer: string): string =>
  pointer.slice(1).replaceAll("/", ".").replaceAll("~1", "/").replaceAll("~0", "~");

/** Long texts are cut before they are written: what is not shown costs nothing. */
const textOf = (value: JsonValue): string =>
  typeof value === "string"
    ? JSON.stringify(cut(value, LONGEST_VALUE))
    : cut(JSON.stringify(value) ?? "null", LONGEST_VALUE);

const cut = (text: string, longest: number): string =>
  text.length > longest ? `${text.slice(0, longest - 1).toWellFormed()}…` : text;
