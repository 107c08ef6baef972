/** The state machine by example: what was, what happens, what is then. Times are ms since T0. */
import { at, DAY, event, HOUR, MINUTE, SECOND, type Step, T0, token } from "./machine.ts";

export interface Example {
  readonly row: string;
  readonly given: readonly Step[];
  readonly when: Step;
  readonly ends: Readonly<Record<string, unknown>>;
}

const first = at(0, event.issue());
const doubt = at(SECOND, event.doubt(1));
const asked = at(SECOND, event.leg(1));
const task = at(SECOND, event.taskCreated(1));
const unresolved = at(2 * MINUTE, event.escalate());
const success = at(SECOND, event.ok(1));
const twice = [first, doubt, at(2 * SECOND, event.resend(2)), at(3 * SECOND, event.ok(2))];

/** At least one example per row; several where a row leads to several states. Times are ms since T0. */
export const EXAMPLES: readonly Example[] = [
  {
    row: "adopt",
    given: [],
    when: at(0, event.adopt()),
    ends: { state: "uncertain", open: 1, attempts: 1, reason: "store_loss", quiesceAt: T0 + 90 * SECOND },
  },
  {
    row: "submit",
    given: [],
    when: at(0, event.submit()),
    ends: { state: "ready", attempts: 0, open: 0, permit: { basis: "first", until: T0 + 15 * MINUTE } },
  },
  {
    row: "issue",
    given: [],
    when: first,
    ends: { state: "in_flight", attempts: 1, open: 1, tokens: [token(1)], leaseUntil: T0 + 30 * SECOND },
  },
  {
    row: "start",
    given: [at(0, event.submit())],
    when: at(SECOND, event.start(1)),
    ends: { state: "in_flight", attempts: 1, open: 1, spent: { basis: "first", until: T0 + 15 * MINUTE } },
  },
  {
    row: "resend",
    given: [first, doubt],
    when: at(2 * SECOND, event.resend(2)),
    ends: { state: "in_flight", attempts: 2, open: 2, tokens: [token(1), token(2)], spent: { basis: "contract" } },
  },
  {
    row: "renew",
    given: [first],
    when: at(20 * SECOND, event.renew(1, true)),
    ends: { state: "in_flight", waiting: true, leaseUntil: T0 + 50 * SECOND },
  },
  {
    row: "leg",
    given: [first],
    when: at(SECOND, event.leg(1)),
    ends: { state: "in_flight", waiting: true, asked: "question-1", leaseUntil: T0 + 601 * SECOND },
  },
  {
    row: "next_leg",
    given: [first, asked],
    when: at(5 * MINUTE, event.nextLeg()),
    ends: { state: "in_flight", attempts: 1, legs: ["question-1"], leaseUntil: T0 + 5 * MINUTE + 30 * SECOND },
  },
  {
    row: "unsent_leg",
    given: [first, asked, at(2 * SECOND, event.nextLeg())],
    when: at(3 * SECOND, event.unsentLeg()),
    ends: { state: "in_flight", asked: "question-1", legs: undefined, leaseUntil: T0 + 603 * SECOND },
  },
  {
    row: "task_created",
    given: [first],
    when: at(SECOND, event.taskCreated(1)),
    ends: { state: "in_flight", task: "task-1" },
  },
  {
    row: "task_created_late",
    given: [first, doubt],
    when: at(2 * SECOND, event.taskCreated(1)),
    ends: { state: "uncertain", task: "task-1", reason: "task_running", quiesceAt: T0 + 62 * SECOND },
  },
  {
    row: "task_working",
    given: [first, task, at(30 * SECOND, event.doubt(1))],
    when: at(MINUTE, event.taskWorking(1)),
    ends: { state: "uncertain", reason: "task_running", lookAt: T0 + 65 * SECOND, quiesceAt: T0 + 2 * MINUTE },
  },
  {
    row: "task_working",
    given: [first, task, doubt, at(2 * HOUR, event.taskOverdue(1))],
    when: at(3 * HOUR, event.taskWorking(1)),
    ends: { state: "unresolved", reason: "task_overdue", lookAt: T0 + 3 * HOUR + 5 * SECOND },
  },
  {
    row: "task_working",
    given: [first, task, doubt],
    when: at(MINUTE, event.taskWorking(1, true)),
    ends: { state: "uncertain", reason: "task_input_required", lookAt: T0 + 65 * SECOND, quiesceAt: T0 + 2 * MINUTE },
  },
  {
    row: "task_working",
    given: [first, task, doubt, at(2 * HOUR, event.taskOverdue(1))],
    when: at(3 * HOUR, event.taskWorking(1, true)),
    ends: { state: "unresolved", reason: "task_input_required", lookAt: T0 + 3 * HOUR + 5 * SECOND },
  },
  {
    row: "task_overdue",
    given: [first, task, doubt],
    when: at(HOUR, event.taskOverdue(1)),
    ends: { state: "unresolved", reason: "task_overdue", task: "task-1" },
  },
  {
    row: "task_lost",
    given: [first, task],
    when: at(2 * SECOND, event.taskLost(1)),
    ends: { state: "uncertain", reason: "task_unknown", taskOver: true, quiesceAt: T0 + 62 * SECOND },
  },
  {
    row: "task_lost",
    given: [first, task, doubt, at(2 * MINUTE, event.escalate())],
    when: at(3 * MINUTE, event.taskLost(1)),
    ends: { state: "unresolved", reason: "task_unknown", taskOver: true, lookAt: undefined },
  },
  {
    row: "unsent",
    given: [first],
    when: at(SECOND, event.unsent(1)),
    ends: { state: "ready", open: 0, permit: { basis: "unsent", until: T0 + 15 * MINUTE } },
  },
  {
    row: "unsent",
    given: [first, doubt, at(2 * SECOND, event.resend(2))],
    when: at(3 * SECOND, event.unsent(2)),
    ends: { state: "uncertain", open: 1, reason: "earlier_attempt_open" },
  },
  {
    row: "unsent_late",
    given: [first, at(30 * SECOND, event.leaseOver)],
    when: at(MINUTE, event.unsent(1)),
    ends: { state: "not_applied", open: 0, reason: "never_sent" },
  },
  {
    row: "unsent_late",
    given: [first, doubt, at(2 * SECOND, event.resend(2)), at(MINUTE, event.leaseOver)],
    when: at(2 * MINUTE, event.unsent(2)),
    ends: { state: "uncertain", open: 1, ruledOut: true },
  },
  { row: "ok", given: [first], when: success, ends: { state: "succeeded", open: 0, settledAt: T0 + SECOND } },
  {
    row: "ok",
    given: [first, doubt],
    when: at(5 * MINUTE, event.ok(1)),
    ends: { state: "succeeded", open: 0 },
  },
  {
    row: "ok",
    given: [first, doubt, unresolved],
    when: at(5 * MINUTE, event.ok(1, { ref: "INV-1" })),
    ends: { state: "succeeded", ref: "INV-1" },
  },
  {
    row: "ok",
    given: [first, at(SECOND, event.unsent(1))],
    when: at(2 * SECOND, event.ok(1)),
    ends: { state: "succeeded", conflict: true, reason: "success_after_no_effect" },
  },
  {
    row: "ok",
    given: [first, doubt, at(2 * MINUTE, event.operatorResend())],
    when: at(3 * MINUTE, event.ok(1)),
    ends: { state: "succeeded", open: 0, conflict: undefined },
  },
  {
    row: "ok_second",
    given: [
      at(0, event.issueWithoutContract()),
      doubt,
      at(2 * MINUTE, event.operatorResend()),
      at(2 * MINUTE, event.start(2)),
      at(3 * MINUTE, event.ok(2)),
    ],
    when: at(4 * MINUTE, event.ok(1)),
    ends: { state: "succeeded", conflict: true, reason: "second_success" },
  },
  {
    row: "ok_enrich",
    given: [first, doubt, at(MINUTE, event.present())],
    when: at(2 * MINUTE, event.ok(1, { ref: "INV-1" })),
    ends: { state: "applied", ref: "INV-1" },
  },
  ...(["rejected", "not_applied", "abandoned", "partial"] as const).map((state) => ({
    row: "ok_conflict",
    given: [
      first,
      {
        rejected: at(SECOND, event.rejected(1)),
        not_applied: at(SECOND, event.doubt(1)),
        abandoned: at(SECOND, event.doubt(1)),
        partial: at(SECOND, event.doubt(1)),
      }[state],
      ...{
        rejected: [],
        not_applied: [at(2 * MINUTE, event.operatorAbsent())],
        abandoned: [at(2 * MINUTE, event.operatorAbandon)],
        partial: [at(2 * MINUTE, event.partial())],
      }[state],
    ],
    when: at(3 * MINUTE, event.ok(1)),
    ends: { state, conflict: true, reason: "success_after_no_effect" },
  })),
  {
    row: "answered_error",
    given: [first],
    when: at(SECOND, event.answeredError(1)),
    ends: { state: "failed", open: 0, reason: "tool_error" },
  },
  {
    row: "answered_error",
    given: [first],
    when: at(SECOND, event.answeredError(1, false)),
    ends: { state: "uncertain", open: 1, quiesceAt: T0 + 61 * SECOND, reason: "tool_error" },
  },
  {
    row: "answered_error",
    given: [first, doubt, unresolved],
    when: at(3 * MINUTE, event.answeredError(1, false)),
    ends: { state: "unresolved", open: 1 },
  },
  {
    row: "answered_error",
    given: [first, doubt, at(2 * SECOND, event.resend(2))],
    when: at(3 * SECOND, event.answeredError(2, true, { forAll: true })),
    ends: { state: "failed", open: 0, reason: "tool_error" },
  },
  {
    row: "rejected",
    given: [first],
    when: at(SECOND, event.rejected(1)),
    ends: { state: "rejected", open: 0, reason: "error_rejecting" },
  },
  {
    row: "rejected",
    given: [first, doubt, at(2 * SECOND, event.resend(2))],
    when: at(3 * SECOND, event.rejected(2)),
    ends: { state: "uncertain", open: 1, reason: "earlier_attempt_open" },
  },
  {
    row: "rejected",
    given: [first, doubt, at(2 * SECOND, event.resend(2))],
    when: at(3 * SECOND, event.rejected(2, { authoritative: true })),
    ends: { state: "rejected", open: 0 },
  },
  {
    row: "rejected",
    given: [first, doubt, at(2 * SECOND, event.resend(2)), at(3 * SECOND, event.doubt(2)), unresolved],
    when: at(3 * MINUTE, event.rejected(2)),
    ends: { state: "unresolved", open: 1 },
  },
  {
    row: "rejected_retryable",
    given: [first],
    when: at(SECOND, event.rejected(1, { retryable: true, retryAfter: 4 * SECOND })),
    ends: { state: "ready", open: 0, permit: { basis: "rejected", until: T0 + 15 * MINUTE, from: T0 + 5 * SECOND } },
  },
  {
    row: "rejected_retryable",
    given: [at(0, event.issue({ maxAttempts: 1 }))],
    when: at(SECOND, event.rejected(1, { retryable: true })),
    ends: { state: "rejected" },
  },
  {
    row: "rejected_retryable",
    given: [first, doubt, unresolved],
    when: at(3 * MINUTE, event.rejected(1, { retryable: true })),
    ends: { state: "ready", open: 0, permit: { basis: "rejected" } },
  },
  {
    row: "rejected_retryable",
    given: [first, doubt, at(2 * SECOND, event.resend(2)), at(3 * SECOND, event.doubt(2)), unresolved],
    when: at(3 * MINUTE, event.rejected(2, { retryable: true })),
    ends: { state: "unresolved", open: 1 },
  },
  {
    row: "rejected_retryable",
    given: [first, doubt, at(2 * SECOND, event.resend(2))],
    when: at(3 * SECOND, event.rejected(2, { retryable: true })),
    ends: { state: "uncertain", open: 1, reason: "earlier_attempt_open" },
  },
  {
    row: "doubt",
    given: [first],
    when: doubt,
    ends: { state: "uncertain", open: 1, reason: "silence", quiesceAt: T0 + 61 * SECOND },
  },
  {
    row: "doubt",
    given: [first],
    when: at(SECOND, event.doubt(1, true)),
    ends: { state: "uncertain", quiesceAt: T0 + 61 * SECOND },
  },
  {
    row: "lease_over",
    given: [first],
    when: at(30 * SECOND, event.leaseOver),
    ends: { state: "uncertain", open: 1, reason: "owner_gone", quiesceAt: T0 + 90 * SECOND },
  },
  {
    row: "question_over",
    given: [first, asked],
    when: at(11 * MINUTE, event.leaseOver),
    ends: {
      state: "uncertain",
      open: 1,
      reason: "input_not_given",
      legs: ["question-1"],
      asked: undefined,
      waiting: undefined,
      quiesceAt: T0 + 11 * MINUTE + 60 * SECOND,
    },
  },
  {
    row: "store_loss",
    given: [first],
    when: at(5 * SECOND, event.storeLoss(T0 + 4 * SECOND)),
    ends: { state: "uncertain", attempts: 2, open: 2, reason: "store_loss", quiesceAt: T0 + 94 * SECOND },
  },
  {
    row: "store_loss",
    given: [first, asked],
    when: at(5 * SECOND, event.storeLoss(T0 + 4 * SECOND)),
    ends: { state: "uncertain", attempts: 2, asked: undefined, legs: ["question-1"], reason: "store_loss" },
  },
  {
    row: "store_loss",
    given: [first, doubt],
    when: at(2 * MINUTE, event.storeLoss(T0 + MINUTE)),
    ends: { state: "uncertain", attempts: 2, open: 2, reason: "store_loss", quiesceAt: T0 + 150 * SECOND },
  },
  {
    row: "store_loss",
    given: [first, doubt, at(2 * MINUTE, event.operatorResend())],
    when: at(3 * MINUTE, event.storeLoss(T0 + 3 * MINUTE)),
    ends: { state: "uncertain", attempts: 2, open: 2, permit: undefined, quiesceAt: T0 + 270 * SECOND },
  },
  {
    row: "store_loss_queued",
    given: [first, doubt, unresolved],
    when: at(3 * MINUTE, event.storeLoss(T0 + 3 * MINUTE)),
    ends: { state: "unresolved", attempts: 2, open: 2, reason: "store_loss", quiesceAt: T0 + 270 * SECOND },
  },
  {
    row: "give_up",
    given: [at(0, event.submit())],
    when: at(15 * MINUTE, event.giveUp),
    ends: { state: "not_applied", reason: "never_sent" },
  },
  {
    row: "give_up",
    given: [first, at(SECOND, event.rejected(1, { retryable: true }))],
    when: at(15 * MINUTE, event.giveUp),
    ends: { state: "not_applied", reason: "not_sent_again" },
  },
  {
    row: "withdraw",
    given: [first, at(SECOND, event.unsent(1))],
    when: at(2 * SECOND, event.withdraw),
    ends: { state: "not_applied", reason: "withdrawn" },
  },
  {
    row: "permit_over",
    given: [first, doubt, at(2 * MINUTE, event.operatorResend())],
    when: at(20 * MINUTE, event.permitOver),
    ends: { state: "uncertain", reason: "permit_lapsed" },
  },
  {
    row: "suspend",
    given: [
      at(0, event.issue({ absentReads: 1, resendWhenAbsent: true })),
      doubt,
      at(3 * MINUTE, event.absent(T0 + 3 * MINUTE)),
    ],
    when: at(3 * MINUTE + SECOND, event.suspend),
    ends: { state: "uncertain", reason: "contract_suspended" },
  },
  {
    row: "present",
    given: [first, doubt],
    when: at(2 * SECOND, event.present({ ref: "INV-1" })),
    ends: { state: "applied", ref: "INV-1", attributed: true, open: 0 },
  },
  {
    row: "present",
    given: [first, doubt, unresolved],
    when: at(3 * MINUTE, event.present({ count: 2 })),
    ends: { state: "applied", conflict: true, reason: "more_effects_than_one" },
  },
  {
    row: "partial",
    given: [first, doubt],
    when: at(2 * MINUTE, event.partial()),
    ends: { state: "partial", items: [{ item: "1", verdict: "applied" }], reason: "partly_applied" },
  },
  {
    row: "absent",
    given: [first, doubt],
    when: at(3 * MINUTE, event.absent(T0 + 3 * MINUTE)),
    ends: { state: "uncertain", absent: 1, absentAt: T0 + 3 * MINUTE, lookAt: T0 + 4 * MINUTE },
  },
  {
    row: "absent",
    given: [first, doubt, at(3 * MINUTE, event.absent(T0 + 3 * MINUTE))],
    when: at(4 * MINUTE, event.absent(T0 + 4 * MINUTE)),
    ends: { state: "not_applied", open: 0, reason: "observed_absent" },
  },
  {
    row: "absent",
    given: [at(0, event.issue({ absentReads: 1, resendWhenAbsent: true })), doubt],
    when: at(3 * MINUTE, event.absent(T0 + 3 * MINUTE)),
    ends: { state: "ready", open: 0, permit: { basis: "observed_absent", until: T0 + 4 * MINUTE } },
  },
  {
    row: "probe_fail",
    given: [first, doubt, at(3 * MINUTE, event.absent(T0 + 3 * MINUTE))],
    when: at(4 * MINUTE, event.probeFail()),
    ends: { state: "uncertain", absent: undefined, probes: 2, lookAt: T0 + 4 * MINUTE + 5 * SECOND },
  },
  {
    row: "escalate",
    given: [first, doubt],
    when: unresolved,
    ends: { state: "unresolved", open: 1, reason: "no_way_to_find_out" },
  },
  {
    row: "operator_applied",
    given: [first, doubt, unresolved],
    when: at(HOUR, event.operatorApplied),
    ends: { state: "applied", open: 0 },
  },
  {
    row: "operator_absent",
    given: [first, doubt, unresolved],
    when: at(HOUR, event.operatorAbsent()),
    ends: { state: "not_applied", open: 0, reason: "operator_verdict" },
  },
  {
    row: "operator_absent",
    given: [first, doubt],
    when: at(2 * SECOND, event.operatorAbsent(true)),
    ends: { state: "not_applied" },
  },
  {
    row: "operator_resend",
    given: [first, doubt, unresolved],
    when: at(HOUR, event.operatorResend()),
    ends: { state: "ready", open: 1, permit: { basis: "operator", until: T0 + HOUR + 15 * MINUTE } },
  },
  {
    row: "operator_abandon",
    given: [first, doubt, unresolved],
    when: at(HOUR, event.operatorAbandon),
    ends: { state: "abandoned", reason: "operator_verdict" },
  },
  {
    row: "correct",
    given: [first, doubt, at(2 * MINUTE, event.operatorAbsent())],
    when: at(HOUR, { type: "correct", to: "applied", ref: "INV-1" }),
    ends: { state: "applied", ref: "INV-1", reason: "operator_correction" },
  },
  {
    row: "correct",
    given: [first, doubt, at(2 * MINUTE, event.partial())],
    when: at(HOUR, { type: "correct", to: "partial" }),
    ends: { state: "partial", accepted: true },
  },
  {
    row: "reopen",
    given: twice,
    when: at(MINUTE, event.reopen()),
    ends: { state: "succeeded", conflict: true, reason: "more_effects_than_one" },
  },
  {
    row: "watch_over",
    given: twice,
    when: at(HOUR, event.watchOver),
    ends: { state: "succeeded", watchUntil: undefined, lookAt: undefined },
  },
  {
    row: "deliver",
    given: [first, success],
    when: at(2 * SECOND, event.deliver),
    ends: { state: "succeeded", delivered: true, fingerprint: undefined },
  },
  {
    row: "hold_over",
    given: [first, success],
    when: at(2 * DAY, event.holdOver),
    ends: { state: "succeeded", recallOver: true, delivered: undefined, fingerprint: undefined },
  },
  {
    row: "legs_over",
    given: [
      first,
      asked,
      at(2 * SECOND, event.nextLeg()),
      at(3 * SECOND, event.okOfLeg()),
      at(4 * SECOND, event.deliver),
    ],
    when: at(MINUTE, event.legsOver),
    ends: { state: "succeeded", delivered: true, legs: undefined },
  },
];
