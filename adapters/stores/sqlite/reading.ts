/** What the store shows: one record, what is due, pages, history, suspensions. */
import { type HistoryLine, IndoubtError, type ListRequest, type Page, type Suspension } from "../../../src/index.ts";
import type { Connection } from "./connection.ts";
import type { Row } from "./driver.ts";
import { find, foundOf, generationOf, withPayload } from "./records.ts";

const LONGEST_PAGE = 1_000;

export function readRecord(connection: Connection, now: number, id: string) {
  const found = find(connection, id, now);
  if (!found) return { now, generation: 0 };
  const record = withPayload(connection, found, now);
  return { now, generation: generationOf(connection, record.group), record };
}

export function readDue(connection: Connection, now: number, limit: number) {
  const rows = connection.all("readDue", { now, limit });
  return { now, items: rows.map((row) => foundOf(connection, row).record) };
}

export function readPage(connection: Connection, now: number, request: ListRequest): Page {
  const limit = Math.min(Math.max(request.limit ?? 50, 1), LONGEST_PAGE);
  const rows = pageRows(connection, now, request, limit + 1);
  const shown = rows.slice(0, limit);
  const items = shown.map((row) => foundOf(connection, row).record);
  const last = shown.at(-1);
  return last && rows.length > limit ? { now, items, nextCursor: String(last.born) } : { now, items };
}

function pageRows(connection: Connection, now: number, request: ListRequest, limit: number): readonly Row[] {
  const range = { after: afterOf(request.cursor), now, limit };
  const { index, server = null, tool = null } = request;
  if (server === null && tool === null) {
    return connection.all(index === "open" ? "listOpen" : "listAttention", range);
  }
  return connection.all(index === "open" ? "listOpenOf" : "listAttentionOf", { ...range, server, tool });
}

function afterOf(cursor = "0"): number {
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor);
  throw new IndoubtError("CALL_REFUSED", "This cursor is not one of ours. Begin again without a cursor.");
}

export function readHistory(connection: Connection, now: number, id: string): HistoryLine[] {
  return connection.all("readHistory", { id, now }).map(({ at, line }) => ({ at: Number(at), line: String(line) }));
}

export function readSuspensions(connection: Connection): Suspension[] {
  return connection.all("readSuspensions", {}).map(({ server, tool, reason, actor, at, detail }) => {
    const suspension = { server: String(server), tool: String(tool), reason: String(reason), actor: String(actor) };
    const stamped = { ...suspension, at: Number(at) };
    return detail === null ? stamped : { ...stamped, detail: String(detail) };
  });
}
