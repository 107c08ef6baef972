/** What the store shows: one record, what is due, pages, history, suspensions. */
import type { HistoryLine, Suspension } from "../../../src/entries/store.ts";
import type { Connection } from "./connection.ts";
import type { Row } from "./driver.ts";
import { find, foundOf, generationOf, withPayload } from "./records.ts";

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

export function readHistory(connection: Connection, now: number, id: string): HistoryLine[] {
  return connection.all("readHistory", { id, now }).map(({ at, line }) => ({ at: Number(at), line: String(line) }));
}

export function readSuspensions(connection: Connection): Suspension[] {
  return connection.all("readSuspensions", {}).map(suspensionOf);
}

export function findSuspension(connection: Connection, server: string, tool: string): Suspension | undefined {
  const row = connection.get("findSuspension", { server, tool });
  return row && suspensionOf(row);
}

function suspensionOf({ server, tool, reason, actor, at, detail }: Row): Suspension {
  const suspension = { server: String(server), tool: String(tool), reason: String(reason), actor: String(actor) };
  const stamped = { ...suspension, at: Number(at) };
  return detail === null ? stamped : { ...stamped, detail: String(detail) };
}
