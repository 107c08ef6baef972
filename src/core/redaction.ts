/** What may be kept of arguments and results: enough to investigate, not the secrets. */
import { parsePointer, readPointer, withPointer } from "./pointer.ts";
import type { JsonObject, JsonValue } from "./terms.ts";

export const REDACTED = "[redacted]";
/** Words that are masked wherever they stand, also inside a longer name. A place in a list is no secret: `page_token`. */
const SENSITIVE =
  /password|passphrase|passwd|passcode|pass$|secret(?!ar)|(?<!(page|next|continuation|sync|resume)_?)token$|api_?key|authorization|credential|private_?key|card_?number|cvc|cvv|(^|_)(iban|ssn)|(iban|ssn)(_|$)/;
const LONGEST_TEXT = 2_000;

const MOST_NAMES = 1_000;
const known = new Map<string, boolean>();

/** Tools use the same few names again and again. */
function isSensitive(name: string): boolean {
  const found = known.get(name);
  if (found !== undefined) return found;
  const sensitive = SENSITIVE.test(inWords(name));
  if (known.size < MOST_NAMES) known.set(name, sensitive);
  return sensitive;
}

/** `X-Api-Key` and `apiKey` as `x_api_key` and `api_key`: else `businessName` holds "ssN". */
const inWords = (name: string): string =>
  name
    .replace(/([a-z\d])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, "$1$3_$2")
    .replace(/[^A-Za-z\d]+/g, "_")
    .toLowerCase();

const CUT = /… \[\d+ characters\]$/;

/** Whether a kept value is not the one that was sent. */
export const isMasked = (value: JsonValue): boolean =>
  value === REDACTED || (typeof value === "string" && value.length > LONGEST_TEXT && CUT.test(value));

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

/** A value in which nothing is masked is returned as it is, not copied. */
function mask(value: JsonValue, at: string, keep: ReadonlySet<string>, state: { complete: boolean }): JsonValue {
  if (keep.has(at)) return value;
  if (typeof value === "string" && value.length > LONGEST_TEXT) {
    state.complete = false;
    return `${value.slice(0, LONGEST_TEXT)}… [${value.length} characters]`;
  }
  if (typeof value !== "object" || value === null) return value;
  // Without anything to keep, no path has to be known.
  const inside = (name: string) => (keep.size === 0 ? at : `${at}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`);
  let copy: Record<string, JsonValue> | undefined;
  for (const name of Object.keys(value)) {
    const item = (value as JsonObject)[name] as JsonValue;
    const here = inside(name);
    const isSecret = !Array.isArray(value) && item !== null && isSensitive(name) && !keep.has(here);
    if (isSecret) state.complete = false;
    const masked = isSecret ? REDACTED : mask(item, here, keep, state);
    if (masked === item) continue;
    copy ??= shallow(value);
    copy[name] = masked;
  }
  return (copy as JsonValue | undefined) ?? value;
}

/** A list is written by index, as an object is by name. `__proto__` stays a name. */
const shallow = (value: JsonObject | JsonValue[]): Record<string, JsonValue> =>
  (Array.isArray(value) ? [...value] : Object.fromEntries(Object.entries(value))) as Record<string, JsonValue>;

/** True when a configured pointer is well formed. */
export const isPointer = (at: string): boolean => parsePointer(at) !== undefined;
