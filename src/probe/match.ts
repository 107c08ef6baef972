/** What an answer to a probe means: which of its items are the effect, and whether it can say that there is none. */
import { canonicalJson } from "../core/identity.ts";
import { readPointer } from "../core/pointer.ts";
import type { JsonValue } from "../core/terms.ts";

/** A condition on a field of an item. A plain value must be equal. */
export type Condition = JsonValue | { readonly after: JsonValue } | { readonly contains: JsonValue };

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
  if (found === undefined && place.missing !== "absent") {
    return { kind: "unreadable", why: `the answer has nothing at "${place.at}"` };
  }
  const items = Array.isArray(found) ? found : found === undefined || found === null ? [] : [found];
  return { kind: "items", items, complete: !hasMore(root, place.more) };
}

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
 * @throws when an answer cannot tell: a field that no item has (the destination has renamed it?), or values that have no order
 */
export function matching(
  items: readonly JsonValue[],
  where: Readonly<Record<string, Condition>>,
): readonly JsonValue[] {
  const nowhere = Object.keys(where).find((at) => items.every((item) => readPointer(item, at) === undefined));
  if (items.length > 0 && nowhere !== undefined) throw new Error(`no item of the answer has "${nowhere}"`);
  return items.filter((item) =>
    Object.entries(where).every(([at, condition]) => holds(readPointer(item, at), condition)),
  );
}

function holds(value: JsonValue | undefined, condition: Condition): boolean {
  if (value === undefined) return false;
  if (isCondition(condition, "after")) return isAfter(value, condition.after);
  if (isCondition(condition, "contains")) return contains(value, condition.contains);
  return canonicalJson(value) === canonicalJson(condition as JsonValue);
}

const isCondition = <K extends "after" | "contains">(
  condition: Condition,
  name: K,
): condition is Extract<Condition, Record<K, JsonValue>> =>
  typeof condition === "object" &&
  condition !== null &&
  !Array.isArray(condition) &&
  Object.keys(condition).length === 1 &&
  name in condition;

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
