/** Pages of the lists and of the journal. Each reads as many rows as it shows, and one more to know whether there are more. */

import type { Instant, JournalPage, JournalRequest, ListRequest, Page } from "../../../src/entries/store.ts";
import { IndoubtError } from "../../../src/index.ts";
import type { Connection } from "./connection.ts";
import type { Row } from "./driver.ts";
import { foundOf, groupOf, withPayload } from "./records.ts";

const LONGEST_PAGE = 1_000;
/** Behind everything that a file can hold. */
const END = Number.MAX_SAFE_INTEGER;

const limitOf = (limit = 50): number => Math.min(Math.max(limit, 1), LONGEST_PAGE);

export function readPage(connection: Connection, now: Instant, request: ListRequest): Page {
  const limit = limitOf(request.limit);
  const rows = pageRows(connection, now, request, limit + 1);
  const shown = rows.slice(0, limit);
  const items = shown.map((row) => {
    const found = foundOf(connection, row);
    return request.payloads ? withPayload(connection, found, now) : found.record;
  });
  const last = shown.at(-1);
  if (!last || rows.length <= limit) return { now, items };
  const since = request.index === "open" ? 0 : Number(last.since ?? 0);
  return { now, items, nextCursor: `${since}.${String(last.born)}` };
}

function pageRows(connection: Connection, now: Instant, request: ListRequest, limit: number): readonly Row[] {
  const { index, order = "oldest", server = null, tool = null } = request;
  const start = order === "newest" ? [END, END] : [-1, -1];
  const [since = 0, born = 0] = request.cursor === undefined ? start : numbersOf(request.cursor, 2);
  const newest = order === "newest" ? "Newest" : "";
  const isNarrowed = server !== null || tool !== null;
  if (index === "open") {
    const range = { born, now, limit };
    if (isNarrowed) return connection.all(`listOpen${newest}Of`, { ...range, server, tool });
    return connection.all(`listOpen${newest}`, range);
  }
  const range = { since, born, now, limit };
  if (isNarrowed) return connection.all(`listQueue${newest}Of`, { ...range, server, tool });
  return connection.all(`listQueue${newest}`, range);
}

export function readJournal(connection: Connection, now: Instant, request: JournalRequest): JournalPage {
  const limit = limitOf(request.limit);
  const start = request.cursor === undefined ? [END, END, END] : numbersOf(request.cursor, 3);
  const [at = 0, groupNumber = 0, number = 0] = start;
  const range = { at, groupNumber, number, limit: limit + 1 };
  const { server = null, tool = null } = request;
  const rows =
    server === null && tool === null
      ? connection.all("readJournal", range)
      : connection.all("readJournalOf", { ...range, server, tool });
  const shown = rows.slice(0, limit);
  const entries = shown.map((row) => ({
    at: Number(row.at),
    id: String(row.id),
    group: groupOf(connection, Number(row.group_number)),
    line: String(row.line),
  }));
  const last = shown.at(-1);
  if (!last || rows.length <= limit) return { now, entries };
  return { now, entries, nextCursor: `${last.at}.${last.group_number}.${last.number}` };
}

function numbersOf(cursor: string, count: number): number[] {
  const parts = cursor.split(".");
  if (parts.length === count && parts.every((part) => /^\d{1,15}$/.test(part))) return parts.map(Number);
  throw foreignCursor();
}

const foreignCursor = (): IndoubtError =>
  new IndoubtError("CONFIG_INVALID", "The cursor is not one of this store. Start again without a cursor.", {
    details: { path: "cursor" },
  });
