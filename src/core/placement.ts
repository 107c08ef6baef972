/** Where a record stands in the indexes of its store: due time, manual queue, holds, expiry. Derived, never decided twice. */
import type { OperationRecord, RecordDraft } from "./record.ts";
import { resolve } from "./record-text.ts";
import { taskOpen } from "./tasks.ts";
import { type Instant, isDoubt, isSettled, type Moment } from "./terms.ts";

export interface Placement {
  readonly due: Moment | null;
  readonly attention: boolean;
  readonly holds: readonly string[];
  /** ms to live; absent: it must never expire. */
  readonly expireIn?: number;
}

/** Entry owned while open or undelivered: holds other calls of the same identity. */
export const identityEntry = (fingerprint: string): string => `f${fingerprint}`;
/** Entry owned only while in doubt: holds also calls with an operation id of their own. */
export const doubtEntry = (fingerprint: string): string => `d${fingerprint}`;
/** Entry owned while this question waits for its answer: the leg that answers it finds its operation. */
export const questionEntry = (question: string): string => `q${question}`;
/** Entry owned once that leg was sent, or is not wanted any more: a repeat of it is not sent. */
export const legEntry = (question: string): string => `l${question}`;
/** Entry owned only while in doubt, for `hold: "tool"`. */
export const threadEntry = (thread: string): string => `t${thread}`;

export function placementOf(record: RecordDraft, now: Instant): Placement {
  const due = dueOf(record, now);
  const attention = record.state === "unresolved" || waitsForPerson(record);
  const holds = holdsOf(record);
  return mayExpire(record) ? { due, attention, holds, expireIn: record.limits.retention } : { due, attention, holds };
}

/** Settled, but only a person can close it. */
export const waitsForPerson = (record: RecordDraft): boolean =>
  record.conflict === true || (record.state === "partial" && !record.accepted);

/** I5: every open record has a due time, or stands in the queue. */
function dueOf(record: RecordDraft, now: Instant): Moment | null {
  switch (record.state) {
    case "ready":
      return readyDue(record);
    case "in_flight":
      return record.leaseUntil ?? { after: 0 };
    case "uncertain":
      return record.lookAt ?? { after: 0 };
    case "unresolved":
      return taskOpen(record) ? (record.lookAt ?? null) : null;
    default:
      if (record.legs !== undefined && isClosed(record)) return { after: 0 };
      return earliest([record.watchUntil === undefined ? undefined : record.lookAt, holdEnd(record, now)], now);
  }
}

/** Permits that recovery itself may spend are due at once, the others when they lapse. */
function readyDue(record: RecordDraft): Moment {
  const basis = record.permit?.basis;
  if (basis === "operator" || basis === "observed_absent") return record.permit?.from ?? { after: 0 };
  return record.permit?.until ?? { after: 0 };
}

function holdEnd(record: RecordDraft, now: Instant): Moment | undefined {
  if (!isSettled(record.state) || record.settledAt === undefined || record.recallOver) return undefined;
  if (waitsForPerson(record)) return undefined;
  const { recallFor, repeatWindow } = record.limits;
  if (!record.delivered) return resolve(record.settledAt, now) + recallFor;
  return repeats(record) ? resolve(record.settledAt, now) + repeatWindow : undefined;
}

const repeats = (record: RecordDraft): boolean =>
  record.limits.repeatWindow > 0 && (record.state === "succeeded" || record.state === "applied");

function earliest(moments: readonly (Moment | undefined)[], now: Instant): Moment | null {
  const known = moments.filter((moment) => moment !== undefined);
  if (known.length === 0) return null;
  return known.reduce((first, next) => (resolve(next, now) < resolve(first, now) ? next : first));
}

/** A hold ends at once for `rejected` and `not_applied`, else on delivery; conflict and partial keep it until a person closes them. */
function holdsOf(record: RecordDraft): string[] {
  const { asked, legs } = record;
  const held = identityHolds(record);
  if (asked === undefined && legs === undefined) return held;
  return [...held, ...(asked === undefined ? [] : [questionEntry(asked)]), ...(legs ?? []).map(legEntry)];
}

function identityHolds(record: RecordDraft): string[] {
  const { fingerprint, thread } = record;
  if (mayHaveHappened(record)) {
    return [
      ...(fingerprint === undefined ? [] : [identityEntry(fingerprint), doubtEntry(fingerprint)]),
      ...(record.holdThread && thread !== undefined ? [threadEntry(thread)] : []),
    ];
  }
  return fingerprint !== undefined && stillHolds(record) ? [identityEntry(fingerprint)] : [];
}

/** In doubt, or on the way to another attempt while an earlier one is open. */
const mayHaveHappened = ({ state, open }: RecordDraft): boolean =>
  isDoubt(state) || (state === "ready" && open > 0) || (state === "in_flight" && open > 1);

function stillHolds(record: RecordDraft): boolean {
  if (!isSettled(record.state) || waitsForPerson(record)) return true;
  if (record.state === "rejected" || record.state === "not_applied" || record.recallOver) return false;
  return record.delivered ? repeats(record) : true;
}

/** I4: only settled, received (or no longer recallable) and conflict-free records expire. */
const mayExpire = (record: RecordDraft): boolean => record.legs === undefined && isClosed(record);

/** Nobody waits for it any more. */
export const isClosed = (record: RecordDraft): boolean =>
  isSettled(record.state) &&
  !waitsForPerson(record) &&
  record.watchUntil === undefined &&
  (record.delivered === true || record.recallOver === true);

/** The hold entries to add and to remove when `before` becomes `after`. */
export function holdChanges(before: OperationRecord, after: readonly string[]): { add: string[]; remove: string[] } {
  const owned = holdsOf(before);
  return {
    add: after.filter((entry) => !owned.includes(entry)),
    remove: owned.filter((entry) => !after.includes(entry)),
  };
}
