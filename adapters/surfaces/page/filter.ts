/** The filter of the list stands in the URL: it can be kept, sent to a colleague, and gone back to. */
import type { QueueFilter } from "../../../src/entries/queue.ts";
import { refuse } from "./problems.ts";
import { isState } from "./words.ts";

/** The names in the URL, in the order in which they are written. */
const NAMES = [
  "index",
  "text",
  "server",
  "tool",
  "state",
  "reason",
  "conflict",
  "older",
  "newer",
  "principal",
  "order",
  "limit",
  "cursor",
] as const;
type FilterName = (typeof NAMES)[number];
export type FilterTexts = Readonly<Partial<Record<FilterName, string>>>;

const LONGEST = 300;
const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/**
 * A parameter that is not known, stands twice or cannot be read is an error: a filter with a slip of the pen would
 * show, and decide, more than was meant.
 */
export function textsOf(url: URL): FilterTexts {
  const texts: Partial<Record<FilterName, string>> = {};
  for (const [name, value] of url.searchParams) {
    if (!isName(name)) throw refuse(400, `There is no filter "${name}". The filters are: ${NAMES.join(", ")}.`);
    if (texts[name] !== undefined) throw refuse(400, `The filter "${name}" stands there twice. Keep one.`);
    if (value.length > LONGEST) throw refuse(400, `The filter "${name}" is longer than ${LONGEST} characters.`);
    if (value !== "") texts[name] = value;
  }
  return texts;
}

const isName = (name: string): name is FilterName => (NAMES as readonly string[]).includes(name);

export function filterOf(texts: FilterTexts): QueueFilter {
  const { index, text, server, tool, state, reason, conflict, older, newer, principal, order, limit, cursor } = texts;
  if (state !== undefined && !isState(state)) throw refuse(400, `state=${state}: there is no such state.`);
  if (conflict !== undefined && conflict !== "true" && conflict !== "false")
    throw refuse(400, 'conflict: use "true" or "false".');
  return defined({
    index: oneOf("index", index, ["attention", "open"]),
    text,
    server,
    tool,
    state,
    reason: reason?.trim().replaceAll(" ", "_"),
    conflict: conflict === undefined ? undefined : conflict === "true",
    olderThan: msOf("older", older),
    newerThan: msOf("newer", newer),
    principal,
    order: oneOf("order", order, ["oldest", "newest"]),
    limit: limitOf(limit),
    cursor,
  });
}

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Without the properties that are not there. */
const defined = <T extends object>(object: T): Given<T> =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Given<T>;

function oneOf<T extends string>(name: string, text: string | undefined, words: readonly T[]): T | undefined {
  if (text === undefined) return undefined;
  const found = words.find((word) => word === text);
  if (found === undefined) throw refuse(400, `${name}=${text}: use ${words.join(" or ")}.`);
  return found;
}

function msOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, amount, unit] = /^(\d{1,9}(?:\.\d{1,3})?)(s|m|h|d)$/.exec(text.trim()) ?? [];
  if (amount === undefined) throw refuse(400, `${name}=${text}: write an age such as 30s, 10m, 24h or 3d.`);
  return Number(amount) * UNITS[unit as keyof typeof UNITS];
}

function limitOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > 200)
    throw refuse(400, `limit=${text}: use a number from 1 to 200.`);
  return limit;
}

/** The query for these texts, with some of them changed; `undefined` takes one out. */
export function queryOf(
  texts: FilterTexts,
  change: Readonly<Partial<Record<FilterName, string | undefined>>> = {},
): string {
  const all: Partial<Record<FilterName, string | undefined>> = { ...texts, ...change };
  const query = new URLSearchParams(
    NAMES.flatMap((name): [string, string][] => (all[name] ? [[name, all[name]]] : [])),
  );
  return query.size > 0 ? `?${query}` : "";
}

/** What a decision about many is about: all pages of it. */
export const withoutPage = ({ limit: _limit, cursor: _cursor, ...texts }: FilterTexts): FilterTexts => texts;

/** What was asked for, apart from order and page: shown as chips. */
export const conditions = (texts: FilterTexts): [name: FilterName, value: string][] =>
  NAMES.filter((name) => !["index", "order", "limit", "cursor"].includes(name)).flatMap((name) =>
    texts[name] === undefined ? [] : [[name, texts[name]] as [FilterName, string]],
  );
