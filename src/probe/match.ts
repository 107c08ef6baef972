/** What an answer to a probe means: which of its items are the effect, and whether it can say that there is none. */
import { canonicalJson } from "../core/canonical-json.ts";
import { parsePointer, readPointer } from "../core/pointer.ts";
import type { JsonValue } from "../core/terms.ts";

/** A condition on a field of an item. A plain value must be equal. */
export type Condition = JsonValue | { readonly after: JsonValue } | { readonly contains: JsonValue };

/** A condition with its places filled in. Which comparison it is was written by the operator, never by a value. */
export interface Test {
  readonly at: string;
  readonly how: "equals" | "after" | "contains";
  readonly value: JsonValue;
  /** It asks for our key. */
  readonly isKey: boolean;
}

export type Items =
  | { readonly kind: "items"; readonly items: readonly JsonValue[]; readonly complete: boolean }
  | { readonly kind: "unreadable"; readonly why: string };

/** Where the items stand in an answer. */
export interface Place {
  readonly at: string;
  readonly parse?: "json" | undefined;
  readonly missing?: "absent" | undefined;
  readonly more?: string | undefined;
}

/** The items of an answer. What is not where it should be is no absence, unless the operator says so. */
export function itemsIn(answer: JsonValue, place: Place): Items {
  const root = place.parse === "json" ? parsedText(answer) : answer;
  if (root === undefined) return { kind: "unreadable", why: "the answer's text is no JSON" };
  const found = readPointer(root, place.at);
  // Null may stand for "nothing there" and for "could not say": only the operator knows.
  if ((found === undefined || found === null) && place.missing !== "absent") {
    const cure = 'if that means that it is not there, say missing: "absent"';
    return { kind: "unreadable", why: `the answer has nothing at "${place.at}"; ${cure}` };
  }
  if (found !== undefined && found !== null && saysNothing(found)) {
    return { kind: "unreadable", why: `what the answer has at "${place.at}" is empty` };
  }
  const items = Array.isArray(found) ? found : found === undefined || found === null ? [] : [found];
  return {
    kind: "items",
    items,
    complete: !(place.more === undefined ? looksCut(root, place.at) : hasMore(root, place.more)),
  };
}

/** An empty text, `false`, `0` and `{}` are no item, and no empty list either. */
const saysNothing = (found: JsonValue): boolean =>
  !Array.isArray(found) &&
  (typeof found === "object" && found !== null ? Object.keys(found).length === 0 : !found && found !== null);

/** What answers call the place where they say that there is more. */
const MORE =
  /^@?(?:(?:odata\.)?next(?:_?(?:page|cursor|token|link|url|page_?token))?|has_?(?:more|next|next_?page)|(?:is_?)?truncated)$/i;
const ABOUT_PAGES = /^(?:page_?info|pagination|paging|meta|links|_links|response_?metadata)$/i;

/** Signs of more pages beside the list, or around it, where the operator names none. */
function looksCut(root: JsonValue, at: string): boolean {
  const steps = parsePointer(at) ?? [];
  return steps.some((_step, depth) => {
    const around = readPointer(root, pointerTo(steps.slice(0, depth)));
    return isObject(around) && Object.entries(around).some(([name, value]) => tellsMore(name, value));
  });
}

function tellsMore(name: string, value: JsonValue): boolean {
  if (ABOUT_PAGES.test(name) && isObject(value))
    return Object.entries(value).some(([n, v]) => !isList(v) && says(n, v));
  return says(name, value);
}
const says = (name: string, value: JsonValue): boolean => MORE.test(name) && !isList(value) && Boolean(value);
const isList = (value: JsonValue): boolean => Array.isArray(value);
const isObject = (value: JsonValue | undefined): value is { [name: string]: JsonValue } =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const pointerTo = (steps: readonly string[]): string =>
  steps.map((step) => `/${step.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

/** An empty text, false, null and nothing at all say that this was the last page. */
function hasMore(root: JsonValue, more: string | undefined): boolean {
  const value = more === undefined ? undefined : readPointer(root, more);
  return value !== undefined && value !== null && value !== false && value !== "";
}

/** Servers that answer in text only: the first text block, read as JSON. */
function parsedText(answer: JsonValue): JsonValue | undefined {
  const text = readPointer(answer, "/content/0/text");
  if (typeof text !== "string") return undefined;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/**
 * The items for which every condition holds.
 * @throws when an answer cannot tell: a field that no item has (the destination has renamed it?), values that have no
 * order, an item that fits but for case, spaces or type, or one with our key that does not fit otherwise
 */
export function matching(items: readonly JsonValue[], tests: readonly Test[]): readonly JsonValue[] {
  const nowhere = tests.find(({ at }) => items.every((item) => readPointer(item, at) === undefined));
  if (items.length > 0 && nowhere) throw new Error(`no item of the answer has "${nowhere.at}"`);
  const found = items.filter((item) => tests.every((test) => holds(readPointer(item, test.at), test)));
  if (found.length === 0) for (const item of items) refuseAlmost(item, tests);
  return found;
}

/** What is no match, and no proof of an absence either. */
function refuseAlmost(item: JsonValue, tests: readonly Test[]): void {
  const value = ({ at }: Test) => readPointer(item, at);
  const near = (test: Test) => holds(value(test), test) || isNear(value(test), test);
  const keys = tests.filter(({ isKey }) => isKey);
  if (keys.length > 0 && keys.every(near) && keys.length < tests.length) {
    throw new Error("an item shows our key, but not the rest of what was looked for");
  }
  if (tests.length > 0 && tests.every(near)) {
    const at = tests.find((test) => !holds(value(test), test))?.at ?? "";
    throw new Error(`an item has almost the value that was looked for at "${at}": case, spaces or type differ`);
  }
}

function holds(value: JsonValue | undefined, { how, value: wanted }: Test): boolean {
  if (value === undefined) return false;
  if (how === "after") return isAfter(value, wanted);
  if (how === "contains") return contains(value, wanted);
  return canonicalJson(value) === canonicalJson(wanted);
}

/** The same for a person: 12 and "12.00", "ABC " and "abc", a UUID with and without its dashes. */
function isNear(value: JsonValue | undefined, { how, value: wanted }: Test): boolean {
  if (value === undefined || how === "after") return false;
  if (Array.isArray(value) && how === "contains")
    return value.some((item) => isNear(item, { at: "", how: "equals", value: wanted, isKey: false }));
  const [seen, sought] = [folded(value), folded(wanted)];
  if (seen === undefined || sought === undefined || sought === "") return false;
  // A folded UUID has no dashes.
  if (how === "contains") return (UUID.test(sought) ? seen.replaceAll("-", "") : seen).includes(sought);
  return seen === sought || (isNumber(seen) && isNumber(sought) && Number(seen) === Number(sought));
}

const isNumber = (text: string): boolean => /^-?\d+(\.\d+)?$/.test(text);
const UUID = /^\{?([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})\}?$/;

function folded(value: JsonValue): string | undefined {
  if (typeof value === "object") return undefined;
  const text = String(value).normalize("NFKC").trim().toLowerCase();
  return UUID.exec(text)?.slice(1).join("") ?? text;
}

const contains = (value: JsonValue, part: JsonValue): boolean => {
  if (typeof value === "string") return typeof part === "string" && part !== "" && value.includes(part);
  return Array.isArray(value) && value.some((item) => canonicalJson(item) === canonicalJson(part));
};

/** Numbers and dates have an order; null is before everything. Any other text has none: "inv_10" is not before "inv_9". */
function isAfter(value: JsonValue, than: JsonValue): boolean {
  if (than === null) return true;
  const [a, b] = [ordered(value), ordered(than)];
  if (a === undefined || b === undefined)
    throw new Error("the answer has a value without an order where one is needed");
  return a > b;
}

function ordered(value: JsonValue): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value !== "string") return undefined;
  if (/^-?\d+(\.\d+)?$/.test(value)) return Number(value);
  const date = /^\d{4}-\d\d-\d\d/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : date;
}

/** How many items have the watermark's own value: a coarse clock gives it to new items, too. */
export const sameRank = (items: readonly JsonValue[], at: string, rank: JsonValue): number =>
  rank === null ? 0 : items.filter((item) => ordered(readPointer(item, at) ?? null) === ordered(rank)).length;

/**
 * The highest value of a field, for a watermark; null: there are no items.
 * @throws when a value has no order
 */
export function highest(items: readonly JsonValue[], at: string): JsonValue {
  return items.reduce<JsonValue>((top, item) => {
    const value = readPointer(item, at);
    if (value === undefined || ordered(value) === undefined)
      throw new Error(`an item has no number or date at "${at}"`);
    return isAfter(value, top) ? value : top;
  }, null);
}
