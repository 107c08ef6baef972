/** The conditions of the state machine. Each is one sentence of facts; `now` is the store's clock. */
import type { LifecycleEvent } from "./lifecycle-events.ts";
import { gapOf } from "./limits.ts";
import { isClosed, waitsForPerson } from "./placement.ts";
import type { OperationRecord } from "./record.ts";
import { taskOpen } from "./tasks.ts";
import { BASES, type Basis, type Instant } from "./terms.ts";

type Guard = (record: OperationRecord, event: LifecycleEvent, now: Instant) => boolean;

const attemptOf = (event: LifecycleEvent) => ("attempt" in event ? event : undefined);
const tokenFits = (record: OperationRecord, event: LifecycleEvent): boolean => {
  const ref = attemptOf(event);
  return ref !== undefined && record.tokens[ref.attempt - 1] === ref.token;
};
/** In place of the token of an attempt that the store lost. */
export const LOST_TOKEN = "-";
const CLEAN_SLATE: readonly (Basis | undefined)[] = ["first", "unsent", "rejected"];
const quiesced: Guard = (record, _event, now) => now >= (record.quiesceAt ?? 0);
const overridden = (event: LifecycleEvent) => "override" in event && event.override;
const attemptsLeft: Guard = (record) => record.attempts < record.limits.maxAttempts;
const retryable = (event: LifecycleEvent) => event.type === "rejected" && event.retryable;

/** The store's clock may have jumped: a version unchanged for a whole lease on a monotonic clock counts too. */
export const seenIdle = ({ asked, limits }: OperationRecord, event: LifecycleEvent): boolean =>
  event.type === "lease_over" && (event.unchangedFor ?? 0) >= (asked === undefined ? limits.lease : limits.inputFor);

/** Quiescence is known: the operator declared how late a write can land, or every open attempt was answered. */
const believable = (record: OperationRecord): boolean => record.limits.settleDeclared || record.answered === true;

export const GUARDS = {
  permit_valid: (record, _event, now) =>
    record.permit !== undefined &&
    BASES.includes(record.permit.basis) &&
    now < record.permit.until &&
    now >= (record.permit.from ?? 0),
  permit_started: (record, _event, now) => now >= (record.permit?.from ?? 0),
  attempts_left: attemptsLeft,
  attempts_left_or_override: (record, event, now) => overridden(event) || attemptsLeft(record, event, now),
  /** The window runs from the issue of the intent: a record may be a rebirth. */
  contract_open: (record, event, now) =>
    event.type === "resend" &&
    record.contract === event.contract.fingerprint &&
    now + event.contract.margin < record.issuedAt + event.contract.window &&
    (!event.contract.serial || (believable(record) && !taskOpen(record) && quiesced(record, event, now))),
  basis_fresh: (record, _event, now) => now < record.issuedAt + record.limits.validFor,
  /** The current attempt, by its own token: an older worker loses. */
  my_attempt: (record, event) => attemptOf(event)?.attempt === record.attempts && tokenFits(record, event),
  /** Facts come home twice: a journal replays what the store took without saying so. */
  not_ruled_out: (record) => record.ruledOut !== true,
  /** Another attempt's success, where nobody promised that they are one effect. */
  second_success: (record, event) => record.successOf !== undefined && attemptOf(event)?.attempt !== record.successOf,
  /** Whoever made the attempt that the store lost is the only one who can tell of it. */
  some_attempt: (record, event) =>
    tokenFits(record, event) || record.tokens[(attemptOf(event)?.attempt ?? 0) - 1] === LOST_TOKEN,
  /** Only one leg answers a question. */
  question_open: (record, event) => event.type === "next_leg" && record.asked === event.question,
  leg_sent: (record) => record.legs !== undefined && record.asked === undefined,
  something_asked: (record) => record.asked !== undefined,
  nothing_asked: (record) => record.asked === undefined,
  legs_kept: (record) => record.legs !== undefined && isClosed(record),
  lease_running: (record, _event, now) => now < (record.leaseUntil ?? 0),
  lease_over: (record, event, now) => now >= (record.leaseUntil ?? 0) || seenIdle(record, event),
  retryable: (_record, event) => retryable(event),
  not_retryable: (_record, event) => !retryable(event),
  nothing_open: (record) => record.open === 0,
  permit_used_up: (record, event, now) => !attemptsLeft(record, event, now) || now >= (record.permit?.until ?? 0),
  /** No attempt before it is of unknown effect. Orders and observations are about such attempts: they lapse into doubt. */
  permit_of_clean_slate: (record) => CLEAN_SLATE.includes(record.permit?.basis),
  permit_lapsed: (record, _event, now) => now >= (record.permit?.until ?? 0),
  permit_by_evidence: (record) => record.permit?.basis === "contract" || record.permit?.basis === "observed_absent",
  /**
   * Negative evidence: a declared settle time (or an answer to every open attempt, after which nothing can land), no task
   * that may still be running, a read begun after quiescence and staleness, and not the same look twice.
   */
  absence_counts: (record, event) =>
    event.type === "absent" &&
    believable(record) &&
    !taskOpen(record) &&
    event.readAt >= (record.quiesceAt ?? 0) + record.limits.staleness &&
    event.readAt >= (record.absentAt ?? -Infinity) + gapOf(record.limits),
  /** The caller may have been told, by a version that is gone, that nothing was done, and have done it otherwise. */
  nothing_lost: (record) => record.lossAt === undefined,
  loss_not_counted: (record, event) => event.type === "store_loss" && record.lossAt !== event.lossAt,
  quiesced,
  task_open: (record) => taskOpen(record),
  /** The operator's patience with a task, from the issue of the intent. */
  task_too_long: (record, _event, now) => now >= record.issuedAt + record.limits.taskFor,
  quiesced_or_override: (record, event, now) => overridden(event) || quiesced(record, event, now),
  watching: (record) => record.watchUntil !== undefined,
  not_delivered: (record) => record.delivered !== true,
  no_person_needed: (record) => !waitsForPerson(record),
  hold_over: (record, _event, now) =>
    record.delivered === true
      ? now >= (record.settledAt ?? 0) + record.limits.repeatWindow
      : now >= (record.settledAt ?? 0) + record.limits.recallFor,
} as const satisfies Record<string, Guard>;

export type GuardId = keyof typeof GUARDS;
