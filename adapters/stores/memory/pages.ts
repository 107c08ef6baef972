/** Pages of the lists and of the journal. */

import type {
  Instant,
  JournalEntry,
  JournalPage,
  JournalRequest,
  ListRequest,
  Page,
  StoredRecord,
} from "../../../src/entries/store.ts";
import { IndoubtError } from "../../../src/index.ts";
import { type Entry, handedOut, living, type State } from "./state.ts";

/** As a list shows it: without its payload, unless asked for. */
export function shown(state: State, { record }: Entry): StoredRecord {
  const { payload: _payload, ...rest } = record;
  return handedOut(state, rest);
}

type Narrowed = Pick<ListRequest, "server" | "tool">;

const fits = ({ server, tool }: Narrowed, group: StoredRecord["group"]): boolean =>
  (server === undefined || server === group.server) && (tool === undefined || tool === group.tool);

/** What orders a list: two numbers, the second one for the ties. */
type Place = readonly [number, number];

const isBehind = (one: Place, other: Place): boolean => one[0] > other[0] || (one[0] === other[0] && one[1] > other[1]);

export function readPage(state: State, request: ListRequest, now: Instant): Page {
  const limit = limitOf(request.limit);
  const { index, order = "oldest" } = request;
  const place = (entry: Entry): Place => [index === "open" ? 0 : entry.since, entry.born];
  const start = request.cursor === undefined ? undefined : placeOf(request.cursor);
  const matching = living(state, now)
    .filter(
      ({ due, attention, record }) => (index === "open" ? due !== null : attention) && fits(request, record.group),
    )
    .sort((one, other) => (isBehind(place(one), place(other)) ? 1 : -1));
  if (order === "newest") matching.reverse();
  const rest = matching.filter((entry) => {
    if (start === undefined) return true;
    return order === "newest" ? isBehind(start, place(entry)) : isBehind(place(entry), start);
  });
  const entries = rest.slice(0, limit);
  const items = entries.map((entry) => (request.payloads ? handedOut(state, entry.record) : shown(state, entry)));
  const last = entries.at(-1);
  return last && rest.length > limit ? { now, items, nextCursor: place(last).join(".") } : { now, items };
}

export function readJournal(state: State, request: JournalRequest, now: Instant): JournalPage {
  const limit = limitOf(request.limit);
  const before = request.cursor === undefined ? Number.POSITIVE_INFINITY : placeOf(request.cursor)[1];
  const lines = [...state.lines.values()]
    .flat()
    .filter(({ number, group }) => number < before && fits(request, group))
    .sort((one, other) => other.number - one.number);
  const page = lines.slice(0, limit);
  const entries = page.map(({ number: _number, ...entry }): JournalEntry => entry);
  const last = page.at(-1);
  return last && lines.length > limit ? { now, entries, nextCursor: `0.${last.number}` } : { now, entries };
}

const limitOf = (limit = 50): number => Math.max(1, Math.min(limit, 1_000));

function placeOf(cursor: string): Place {
  const [, first, second] = /^(\d{1,15})\.(\d{1,15})$/.exec(cursor) ?? [];
  if (first !== undefined && second !== undefined) return [Number(first), Number(second)];
  throw foreignCursor();
}

const foreignCursor = (): IndoubtError =>
  new IndoubtError("CONFIG_INVALID", "The cursor is not one of this store. Start again without a cursor.", {
    details: { path: "cursor" },
  });
