/** What a memory store keeps, and how one write changes it. Nothing here knows a clock: `now` comes in. */
import { randomBytes } from "node:crypto";
import type {
  Change,
  Group,
  HistoryLine,
  Instant,
  JournalEntry,
  Moment,
  StoredRecord,
  Suspension,
} from "../../../src/entries/store.ts";

/** One record with all that hangs on it. Never changed, only replaced. */
export interface Entry {
  readonly record: StoredRecord;
  /** Of the write that made this version. */
  readonly token: string;
  /** Order of birth: the key of the pages. */
  readonly born: number;
  readonly due: Instant | null;
  readonly attention: boolean;
  /** Where it stands in the queue. */
  readonly since: Instant;
  readonly holds: ReadonlySet<string>;
  readonly history: readonly HistoryLine[];
  readonly expiresAt: Instant;
  readonly payloadExpiresAt: Instant;
}

export interface State {
  readonly entries: Map<string, Entry>;
  /** Who owns a hold entry, by group and entry. Follows from `entries`; kept so that a begin need not look at all of them. */
  readonly owners: Map<string, Set<string>>;
  /** The newest lines of each group, oldest first. */
  readonly lines: Map<string, readonly Line[]>;
  /** What each write replaced, so that a loss can be played. */
  readonly undo: { readonly at: Instant; readonly id: string; readonly before: Entry | undefined }[];
  readonly generations: Map<string, number>;
  readonly suspensions: Map<string, Suspension>;
  readonly secret: Uint8Array;
  births: number;
  /** Lines written so far: the key of the pages of the journal. */
  lineCount: number;
  /** The highest time handed out. */
  time: Instant;
  lossAt: Instant | undefined;
}

interface Line extends JournalEntry {
  readonly number: number;
}

export const NEVER = Number.POSITIVE_INFINITY;

export const newState = (): State => ({
  entries: new Map(),
  owners: new Map(),
  lines: new Map(),
  undo: [],
  generations: new Map(),
  suspensions: new Map(),
  secret: randomBytes(32),
  births: 0,
  lineCount: 0,
  time: 0,
  lossAt: undefined,
});

const holdKey = (group: Group, entry: string): string => `${group.tag} ${entry}`;
export const toolKey = (server: string, tool: string): string => JSON.stringify([server, tool]);

export const instantOf = (moment: Moment, at: Instant): Instant =>
  typeof moment === "number" ? moment : at + moment.after;

export const generationOf = (state: State, { server, tool }: Group): number =>
  state.generations.get(toolKey(server, tool)) ?? 0;

/** The record as it is handed out: with the last loss, if there was one. */
export const handedOut = ({ lossAt }: State, record: StoredRecord): StoredRecord =>
  lossAt === undefined ? record : { ...record, lossAt };

/** The entry, unless it expired; its payload, unless that expired. */
export function find(state: State, id: string, now: Instant): Entry | undefined {
  const entry = state.entries.get(id);
  if (entry === undefined) return undefined;
  if (entry.expiresAt <= now) {
    put(state, id, undefined);
    return undefined;
  }
  if (entry.payloadExpiresAt > now) return entry;
  const { payload: _gone, ...record } = entry.record;
  return { ...entry, record, payloadExpiresAt: NEVER };
}

/** The living entries in order of birth. */
export const living = (state: State, now: Instant): Entry[] =>
  [...state.entries.keys()].flatMap((id) => find(state, id, now) ?? []).sort((a, b) => a.born - b.born);

/** The first of these hold entries that has an owner, and the oldest owner. */
export function findOwner(state: State, group: Group, holds: readonly string[], now: Instant) {
  for (const entry of holds) {
    const ids = [...(state.owners.get(holdKey(group, entry)) ?? [])];
    const [owner] = ids.flatMap((id) => find(state, id, now) ?? []).sort((a, b) => a.born - b.born);
    if (owner) return { entry, record: handedOut(state, owner.record) };
  }
  return undefined;
}

export function write(state: State, id: string, entry: Entry): void {
  state.undo.push({ at: entry.record.at, id, before: state.entries.get(id) });
  put(state, id, entry);
}

/** Applies a change whose version was compared. */
export function replace(state: State, entry: Entry, change: Change, now: Instant): number {
  const version = change.expect + 1;
  const { payload: before, ...rest } = entry.record;
  const payload = change.payload === undefined ? before : change.payload;
  const record = { ...rest, version, at: now, body: change.body };
  addLines(state, rest.group, change.id, change.journal, now);
  const holds = new Set([...entry.holds, ...(change.addHolds ?? [])]);
  for (const hold of change.removeHolds ?? []) holds.delete(hold);
  write(state, change.id, {
    record: typeof payload === "string" ? { ...record, payload } : record,
    token: change.token,
    born: entry.born,
    due: change.due === null ? null : instantOf(change.due, now),
    attention: change.attention,
    since: entry.attention ? entry.since : (change.since ?? now),
    holds,
    history: [...entry.history, ...stamp(change.history, now)],
    expiresAt: now + (change.expireIn ?? NEVER),
    payloadExpiresAt: payloadEnd(entry, change, now),
  });
  return version;
}

/** A kept payload keeps its end unless the change names one; a new payload lives as long as its record. */
function payloadEnd(entry: Entry, change: Change, now: Instant): Instant {
  if (change.payloadExpireIn !== undefined) return now + change.payloadExpireIn;
  return change.payload === undefined ? entry.payloadExpiresAt : NEVER;
}

export const stamp = (lines: readonly string[] | undefined, at: Instant): HistoryLine[] =>
  (lines ?? []).map((line) => ({ at, line }));

/** Every loss has a time of its own, and what is written from now on is younger than it. */
export function noteLoss(state: State): void {
  state.lossAt = Math.max(state.time, (state.lossAt ?? -1) + 1);
  state.time = state.lossAt + 1;
}

/** Takes back the newest version of a record. */
export function undoNewest(state: State, id: string): void {
  const last = state.undo.findLastIndex((write) => write.id === id);
  const [write] = last < 0 ? [] : state.undo.splice(last, 1);
  if (write) put(state, id, write.before);
}

/** Takes back every write made at `since` or later, the newest first. */
export function undoSince(state: State, since: Instant): void {
  for (let last = state.undo.at(-1); last !== undefined && last.at >= since; last = state.undo.at(-1)) {
    put(state, last.id, last.before);
    state.undo.pop();
  }
  for (const [tag, lines] of state.lines) {
    state.lines.set(
      tag,
      lines.filter(({ at }) => at < since),
    );
  }
}

/** As the port asks: the journal keeps so many lines of a group. */
const LONGEST_JOURNAL = 10_000;

export function addLines(
  state: State,
  group: Group,
  id: string,
  texts: readonly string[] | undefined,
  at: Instant,
): void {
  if (!texts?.length) return;
  const added = texts.map((line) => ({ number: ++state.lineCount, at, id, group, line }));
  state.lines.set(group.tag, [...(state.lines.get(group.tag) ?? []), ...added].slice(-LONGEST_JOURNAL));
}

function put(state: State, id: string, entry: Entry | undefined): void {
  const before = state.entries.get(id);
  for (const hold of before?.holds ?? []) state.owners.get(holdKey(before?.record.group as Group, hold))?.delete(id);
  if (entry === undefined) {
    state.entries.delete(id);
    return;
  }
  state.entries.set(id, entry);
  for (const hold of entry.holds) {
    const key = holdKey(entry.record.group, hold);
    const owners = state.owners.get(key) ?? new Set();
    state.owners.set(key, owners.add(id));
  }
}
