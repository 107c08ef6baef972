/** I1 to I12, each as a check over what was written, what was handed over and what is true at the destination. */

import type { OperationRecord } from "../../src/core/record.ts";
import { isDoubt, isSettled, type JsonObject } from "../../src/core/terms.ts";
import type { Write } from "./watched-store.ts";

/** A frame that was about to be handed over, and what the store said at that moment. */
export interface HandOver {
  readonly operation: string;
  readonly attempt: number;
  /** Without the key. */
  readonly arguments: JsonObject;
  /** Undefined: no record stands there. */
  readonly record: OperationRecord | undefined;
  /** This very attempt was handed over before. */
  readonly again: boolean;
  /** Arguments of the first hand-over of the operation, without the key. */
  readonly first: JsonObject | undefined;
  /** The record was taken back by a loss of the store. */
  readonly lost: boolean;
}

/** The state of the world after a step. */
export interface Standing {
  readonly id: string;
  readonly write: Write;
  readonly effects: number;
  /** Found in `queue.list`, either index. */
  readonly listed: boolean;
  /** The answer of another operation, remembered for a tool-call id that got it. */
  readonly bornSettled: boolean;
}

/** What the contract and the configuration of the run allow. */
export interface Terms {
  readonly window: number | undefined;
  readonly margin: number;
  readonly serial: boolean;
  readonly lossAt: number;
  /** The store's clock was set back by this much: time passed that its stamps do not show. */
  readonly steppedBack: number;
}

export interface Invariant {
  readonly sentence: string;
  /** Each check answers with what is wrong, or undefined. */
  onWrite?(write: Write, terms: Terms): string | undefined;
  onHandOver?(sent: HandOver): string | undefined;
  onStep?(standing: Standing): string | undefined;
}

const rowOf = (write: Write): string => factsOf(write).row ?? "";
const factsOf = (write: Write): Record<string, string> & { evidence?: { kind: string } } =>
  JSON.parse(write.change.history?.at(-1) ?? "{}") as never;
/** A send that a loss may have taken back is counted, not made; nor is one made of what tells another operation's end. */
const startsAttempt = (write: Write): boolean =>
  write.after.attempts > (write.before?.attempts ?? 0) && !rowOf(write).startsWith("store_loss") && !isCopy(write);
/** A record that tells how another operation ended may tell it of a later one that was asked the same. */
const isCopy = ({ before, after, change }: Write): boolean =>
  before !== undefined &&
  isSettled(before.state) &&
  isSettled(after.state) &&
  before.tokens.length + after.tokens.length === 0 &&
  change.history === undefined;

export const INVARIANTS = {
  I1: {
    sentence: "At most one leased attempt per operation",
    onWrite: ({ before, after }) =>
      before?.state === "in_flight" && after.state === "in_flight" && before.attempts !== after.attempts
        ? "a second attempt was leased while one runs"
        : undefined,
    onHandOver: ({ record, attempt, lost }) =>
      !lost && record && !mayBeHandedOver(record, attempt)
        ? `attempt ${attempt} is handed over while the record says ${record.state}, attempt ${record.attempts}`
        : undefined,
  },
  I2: {
    sentence: "After an attempt of unknown effect nothing is sent without a basis, and each permit is spent once",
    onWrite(write, terms) {
      const { before, after, at } = write;
      if (!startsAttempt(write)) return mintedWrongly(write);
      if (after.permit) return "the permit is still there after it was spent";
      if (!before) return undefined;
      if (after.attempts !== before.attempts + 1) return "more than one attempt was started";
      if (before.state === "ready") return spentWrongly(before, at);
      if (before.state !== "uncertain" || terms.window === undefined)
        return `sent from ${before.state} without a basis`;
      if (at + terms.margin >= before.issuedAt + terms.window) return "resent outside of the contract's window";
      return terms.serial && at + terms.steppedBack < (before.quiesceAt ?? 0)
        ? "resent before quiescence under a serial contract"
        : undefined;
    },
    onHandOver: ({ again }) => (again ? "one attempt was handed over twice" : undefined),
  },
  I3: {
    sentence: "Settled states are immutable, except an operator's correction and the conflict flag",
    onWrite: (write) =>
      write.before &&
      isSettled(write.before.state) &&
      write.before.state !== write.after.state &&
      rowOf(write) !== "correct" &&
      !isCopy(write)
        ? `${write.before.state} became ${write.after.state}`
        : undefined,
  },
  I4: {
    sentence: "Only settled, delivered, conflict-free records expire",
    onWrite: ({ after, change }) => {
      const closed = isSettled(after.state) && (after.delivered || after.recallOver) && !after.conflict;
      return change.expireIn !== undefined && !closed ? `a record in ${after.state} may expire` : undefined;
    },
  },
  I5: {
    sentence: "Every open or doubtful record is in an index",
    onWrite: ({ after, change }) =>
      !isSettled(after.state) && change.due === null && !change.attention ? `${after.state} is in no index` : undefined,
    onStep: ({ write, listed }) =>
      !isSettled(write.after.state) && !listed ? `${write.after.state} is not in the queue` : undefined,
  },
  I6: {
    sentence: "A rejection speaks for its own attempt only",
    onWrite: (write) =>
      rowOf(write).startsWith("rejected") && (write.before?.open ?? 0) > 1 && write.after.open === 0
        ? "a rejection closed another attempt"
        : undefined,
  },
  I7: {
    sentence: "A missing record is not proof of no attempt",
    onWrite: ({ before, after }, { lossAt }) =>
      !before && after.issuedAt <= lossAt && after.state !== "uncertain" && !isSettled(after.state)
        ? `an intent from before the loss was born ${after.state}`
        : undefined,
  },
  I8: {
    sentence: "Every store write is idempotent per write token",
    onWrite: ({ tokenSeen }) => (tokenSeen ? "one token wrote twice" : undefined),
  },
  I9: {
    sentence: "Hints, cancel acknowledgements, error texts and silence prove nothing",
    onWrite: (write) =>
      factsOf(write).evidence?.kind === "silence" && !isDoubt(write.after.state)
        ? `silence led to ${write.after.state}`
        : undefined,
  },
  I10: {
    sentence: "One identity, one arguments digest",
    onHandOver: ({ first, arguments: args }) =>
      first !== undefined && JSON.stringify(first) !== JSON.stringify(args)
        ? "one operation was sent with two sets of arguments"
        : undefined,
  },
  I11: {
    sentence: "No intent recorded, no write sent",
    onHandOver: ({ record, lost }) => (!record && !lost ? "handed over without a record" : undefined),
  },
  I12: { sentence: "A late answer is evidence; it is recorded, never thrown away" },
} as const satisfies Record<string, Invariant>;

export type InvariantId = keyof typeof INVARIANTS;
const ALL = Object.entries(INVARIANTS) as [InvariantId, Invariant][];

/** Leased; or settled meanwhile by a late answer that another part of the fleet heard: until the lease is confirmed again, nobody here knows. */
const mayBeHandedOver = ({ state, attempts }: OperationRecord, attempt: number): boolean =>
  attempts === attempt && (state === "in_flight" || (state === "succeeded" && attempt > 1));

/** How a permit came into being: each basis needs its own proof in the record before. */
function mintedWrongly(write: Write): string | undefined {
  const { before, after } = write;
  if (!after.permit || before?.permit) return undefined;
  switch (after.permit.basis) {
    case "first":
      return before ? "a first permit for a record that was there before" : undefined;
    case "unsent":
      return (before?.open ?? 0) > 1 ? "an unsent permit while an earlier attempt is open" : undefined;
    case "rejected":
      return (before?.open ?? 0) > 1 ? "a permit by rejection while an earlier attempt is open" : undefined;
    case "observed_absent":
      return (before?.absent ?? 0) + 1 < after.limits.absentReads ? "too few absent reads for a permit" : undefined;
    case "operator":
      return factsOf(write).actor ? undefined : "an operator's permit without an operator";
    case "contract":
      return "a contract mints no permit";
  }
}

function spentWrongly(before: OperationRecord, at: number): string | undefined {
  if (!before.permit) return "sent from ready without a permit";
  return at > before.permit.until ? `a permit was spent ${at - before.permit.until} ms after it lapsed` : undefined;
}

/** Effects against the record: what is claimed must be so. A repeated answer claims what another record claims. */
export function falseOutcome({ write, effects, bornSettled }: Standing): string | undefined {
  const { state, conflict } = write.after;
  if (bornSettled) return effects > 0 ? "sent, although it only repeats another operation's answer" : undefined;
  if (conflict) return undefined;
  if ((state === "succeeded" || state === "applied") && effects === 0) return `${state}, but there is no effect`;
  if ((state === "rejected" || state === "not_applied") && effects > 0) return `${state}, but there is an effect`;
  return undefined;
}

export const checkWrite = (write: Write, terms: Terms): string[] =>
  ALL.flatMap(([id, check]) => named(id, check.onWrite?.(write, terms), write.id));
export const checkHandOver = (sent: HandOver): string[] =>
  ALL.flatMap(([id, check]) => named(id, check.onHandOver?.(sent), sent.operation));
export const checkStanding = (standing: Standing): string[] =>
  ALL.flatMap(([id, check]) => named(id, check.onStep?.(standing), standing.id));

/** @example named("I3", "applied became rejected", "abc_1") // ["I3 Settled states…: applied became rejected (abc_1)"] */
export const named = (id: InvariantId, wrong: string | undefined, operation: string): string[] =>
  wrong === undefined ? [] : [`${id} ${INVARIANTS[id].sentence}: ${wrong} (${operation.slice(-6)})`];
