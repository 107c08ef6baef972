/** What may be kept of arguments and results: enough to investigate, not the secrets. */
import { parsePointer, readPointer, withPointer } from "./pointer.ts";
import type { JsonObject, JsonValue } from "./terms.ts";

export const REDACTED = "[redacted]";
/** Names that are masked wherever they stand, also inside a longer name. A place in a list is no secret: `page_token`. */
const SENSITIVE =
  /pass(word|phrase)?$|secret|(?<!(page|next|continuation|sync|resume)[-_]?)token$|api[-_]?key|authorization|credential|private[-_]?key|card[-_]?number|cvc|cvv|iban|ssn/i;
const LONGEST_TEXT = 2_000;

export interface Redacted {
  readonly value: JsonObject;
  /** Nothing was taken out: the arguments can be sent again from this copy. */
  readonly complete: boolean;
}

/** @param pointers the operator's `redact` rules. @param keep pointers that always stay (identity arguments). */
export function redact(object: JsonObject, pointers: readonly string[], keep: readonly string[] = []): Redacted {
  const state = { complete: true };
  let value = mask(object, "", new Set(keep), state) as JsonObject;
  if (pointers.includes("")) return { value: {}, complete: false };
  for (const at of pointers) {
    if (readPointer(value, at) === undefined) continue;
    value = withPointer(value, at, REDACTED);
    state.complete = false;
  }
  return { value, complete: state.complete };
}

function mask(value: JsonValue, at: string, keep: ReadonlySet<string>, state: { complete: boolean }): JsonValue {
  if (keep.has(at)) return value;
  if (typeof value === "string" && value.length > LONGEST_TEXT) {
    state.complete = false;
    return `${value.slice(0, LONGEST_TEXT)}… [${value.length} characters]`;
  }
  // Without anything to keep, no path has to be known.
  const inside = (name: string) => (keep.size === 0 ? at : `${at}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`);
  if (Array.isArray(value)) return value.map((item, index) => mask(item, inside(`${index}`), keep, state));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      const here = inside(name);
      if (keep.has(here) || item === null || !SENSITIVE.test(name)) return [name, mask(item, here, keep, state)];
      state.complete = false;
      return [name, REDACTED];
    }),
  );
}

/** True when a configured pointer is well formed. */
export const isPointer = (at: string): boolean => parsePointer(at) !== undefined;
