/** Drift in words for people. Names come from the server: they are quoted, and what could move a cursor is taken out. */
import type { Drift, FieldChange } from "./baseline.ts";
import { quoted } from "./fence.ts";
import type { JsonValue } from "./terms.ts";

const TELLS: Readonly<Record<Drift["kind"], (drift: Drift) => string>> = {
  changed: () => "The definition differs from the reviewed one",
  reworded: () => "Only the title or the description changed",
  added: () => "The tool was not there at the review",
  removed: () => "The server no longer lists the tool",
  renamed: ({ now = "" }) => `The server no longer lists the tool; ${quoted(now)} looks the same`,
  readded: () => "The tool had gone away after a review and is back",
};

/** One sentence and a line for each field. */
export function driftWords(drift: Drift): readonly string[] {
  return [`${quoted(drift.tool)}: ${TELLS[drift.kind](drift)}.`, ...drift.fields.map(fieldWords)];
}

const HINTS: Readonly<Record<string, string>> = {
  "/annotations/readOnlyHint": "the publisher's claim that it is read-only",
  "/annotations/destructiveHint": "the publisher's claim that it destroys",
  "/annotations/idempotentHint": "the publisher's claim that repeats change nothing",
  "/annotations/openWorldHint": "the publisher's claim that it reaches outside",
};

function fieldWords({ at, before, after }: FieldChange): string {
  const what = HINTS[at] === undefined ? "" : ` (${HINTS[at]})`;
  const where = `${quoted(at)}${what}`;
  if (before === undefined) return `+ ${where}: ${short(after)}`;
  if (after === undefined) return `- ${where}: ${short(before)}`;
  return `~ ${where}: ${short(before)} -> ${short(after)}`;
}

const short = (value: JsonValue | undefined): string => quoted(JSON.stringify(value ?? null), 160);
