/** Reading and writing one record and what hangs on it. Runs inside a transaction. */
import type { Change, Group, Instant, Moment, StoredRecord } from "../../../src/entries/store.ts";
import type { Connection } from "./connection.ts";
import type { Row } from "./driver.ts";

/** A living record as the tables have it. */
export interface Found {
  readonly born: number;
  readonly groupNumber: number;
  readonly token: string;
  /** Without its payload. */
  readonly record: StoredRecord;
}

const isOver = (time: unknown, now: Instant): boolean => typeof time === "number" && time <= now;

export const instantOf = (moment: Moment, at: Instant): Instant =>
  Math.ceil(typeof moment === "number" ? moment : at + moment.after);

/** Undefined when there is none or it has expired. */
export function find(connection: Connection, id: string, now: Instant): Found | undefined {
  const row = connection.get("findRecord", { id });
  return row && !isOver(row.expires_at, now) ? foundOf(connection, row) : undefined;
}

export function foundOf(connection: Connection, row: Row): Found {
  const groupNumber = Number(row.group_number);
  const record: StoredRecord = {
    id: String(row.id),
    group: groupOf(connection, groupNumber),
    version: Number(row.version),
    at: Number(row.at),
    digest: String(row.digest),
    body: String(row.body),
  };
  return {
    born: Number(row.born),
    groupNumber,
    token: String(row.token),
    record: connection.lossAt < 0 ? record : { ...record, lossAt: connection.lossAt },
  };
}

export function withPayload(connection: Connection, { born, record }: Found, now: Instant): StoredRecord {
  const row = connection.get("readPayload", { born });
  return row && !isOver(row.expires_at, now) ? { ...record, payload: String(row.text) } : record;
}

export function groupOf(connection: Connection, number: number): Group {
  const known = connection.groups.get(number);
  if (known) return known;
  const row = connection.get("readGroup", { number }) as unknown as Group;
  const group = { tag: row.tag, tenant: row.tenant, server: row.server, tool: row.tool };
  connection.groups.set(number, group);
  connection.groupNumbers.set(group.tag, number);
  return group;
}

/** Undefined when nothing was ever written for this group. */
export function findGroup(connection: Connection, { tag }: Group): number | undefined {
  const known = connection.groupNumbers.get(tag);
  if (known !== undefined) return known;
  const row = connection.get("findGroup", { tag });
  if (!row) return undefined;
  const number = Number(row.number);
  connection.groupNumbers.set(tag, number);
  return number;
}

export function addGroup(connection: Connection, { tag, tenant, server, tool }: Group): number {
  const number = connection.run("addGroup", { tag, tenant, server, tool });
  connection.groupNumbers.set(tag, number);
  return number;
}

export function generationOf(connection: Connection, { server, tool }: Group): number {
  return Number(connection.get("readGeneration", { server, tool })?.generation ?? 0);
}

/** Applies a change whose version was compared. Returns the new version. */
export function replace(connection: Connection, { born, groupNumber }: Found, change: Change, now: Instant): number {
  const version = change.expect + 1;
  connection.run("replaceRecord", {
    born,
    version,
    at: now,
    token: change.token,
    body: change.body,
    due: change.due === null ? null : instantOf(change.due, now),
    attention: Number(change.attention),
    since: change.attention ? (change.since ?? now) : null,
    expiresAt: change.expireIn === undefined ? null : Math.ceil(now + change.expireIn),
  });
  changePayload(connection, born, change, now);
  for (const entry of change.addHolds ?? []) connection.run("addHold", { groupNumber, entry, born });
  for (const entry of change.removeHolds ?? []) connection.run("removeHold", { groupNumber, entry, born });
  addHistory(connection, born, version, now, change.history);
  addLines(connection, groupNumber, change.id, now, change.journal);
  return version;
}

/** A kept payload keeps its end unless the change names one; a new payload lives as long as its record. */
function changePayload(connection: Connection, born: number, change: Change, now: Instant): void {
  const { payload, payloadExpireIn } = change;
  const expiresAt = payloadExpireIn === undefined ? null : Math.ceil(now + payloadExpireIn);
  if (payload === null) connection.run("removePayload", { born });
  else if (payload !== undefined) connection.run("putPayload", { born, text: payload, expiresAt });
  else if (expiresAt !== null) connection.run("endPayload", { born, expiresAt });
}

export function addHistory(
  connection: Connection,
  born: number,
  version: number,
  at: Instant,
  lines: readonly string[] = [],
): void {
  for (const [lineNumber, line] of lines.entries()) {
    connection.run("addHistory", { born, version, lineNumber, at, line });
  }
}

/** As the port asks: the journal keeps so many lines of a group. */
const LONGEST_JOURNAL = 10_000;

export function addLines(
  connection: Connection,
  groupNumber: number,
  id: string,
  at: Instant,
  lines: readonly string[] = [],
): void {
  if (lines.length === 0) return;
  let number = Number(connection.get("lastLine", { groupNumber })?.number ?? 0);
  for (const line of lines) connection.run("addLine", { groupNumber, number: ++number, at, id, line });
  connection.run("trimJournal", { groupNumber, number: number - LONGEST_JOURNAL });
}

/** Takes a record and everything that hangs on it out of the file. */
export function forget(connection: Connection, born: number): void {
  connection.run("removePayload", { born });
  connection.run("removeHoldsOf", { born });
  connection.run("removeHistoryOf", { born });
  connection.run("removeRecord", { born });
}
