/**
 * The operation state machine: a table as data, guards and effects as pure functions.
 *
 * Input is a record and an event, output is the next record or the reason why not. The order is fixed by the caller:
 * the next record is saved BEFORE anything is sent, and saved by compare-and-set on the version that was read.
 * docs/states.md is printed from TRANSITIONS.
 */
import { EFFECTS } from "./lifecycle-effects.ts";
import type { EventOf, EventType, LifecycleEvent } from "./lifecycle-events.ts";
import { GUARDS, type GuardId } from "./lifecycle-guards.ts";
import type { OperationRecord, RecordDraft } from "./record.ts";
import type { Instant, Mover, State } from "./terms.ts";

export interface Transition {
  readonly id: string;
  readonly event: EventType;
  /** `none`: no record yet. */
  readonly from: readonly (State | "none")[];
  /** Where it may lead; `same` keeps the state. */
  readonly to: readonly (State | "same")[];
  readonly by: readonly Mover[];
  readonly guards: readonly GuardId[];
  readonly why: string;
}

const DOUBT = ["uncertain", "unresolved"] as const;
const EFFECTFUL = ["succeeded", "applied"] as const;
const ALL_SETTLED = ["succeeded", "failed", "rejected", "applied", "not_applied", "partial", "abandoned"] as const;

/** One row per move, in docs order; for one state and event the first row whose guards hold is taken. */
export const TRANSITIONS: readonly Transition[] = [
  {
    id: "adopt",
    event: "adopt",
    from: ["none"],
    to: ["uncertain"],
    by: ["caller"],
    guards: [],
    why: "no record is no proof of no attempt: after store loss or for an old intent",
  },
  {
    id: "submit",
    event: "submit",
    from: ["none"],
    to: ["ready"],
    by: ["caller"],
    guards: [],
    why: "the intent is recorded with the permit for its first send",
  },
  {
    id: "issue",
    event: "issue",
    from: ["none"],
    to: ["in_flight"],
    by: ["caller"],
    guards: [],
    why: "submit and start in one write: the clean path",
  },
  {
    id: "start",
    event: "start",
    from: ["ready"],
    to: ["in_flight"],
    by: ["worker"],
    guards: ["permit_valid", "attempts_left"],
    why: "the permit is spent on one attempt",
  },
  {
    id: "resend",
    event: "resend",
    from: ["uncertain"],
    to: ["in_flight"],
    by: ["worker"],
    guards: ["contract_open", "basis_fresh", "attempts_left"],
    why: "the contract says that the destination collapses repeats of the key",
  },
  {
    id: "renew",
    event: "renew",
    from: ["in_flight"],
    to: ["same"],
    by: ["worker"],
    guards: ["my_attempt", "lease_running"],
    why: "the attempt is still driven",
  },
  {
    id: "leg",
    event: "leg",
    from: ["in_flight"],
    to: ["same"],
    by: ["worker"],
    guards: ["my_attempt"],
    why: "the server asked for input; the call goes on in another round",
  },
  {
    id: "task_created",
    event: "task_created",
    from: ["in_flight"],
    to: ["same"],
    by: ["worker"],
    guards: ["my_attempt"],
    why: "the destination works on it under a handle",
  },
  {
    id: "unsent",
    event: "unsent",
    from: ["in_flight"],
    to: ["ready", "uncertain"],
    by: ["worker"],
    guards: ["my_attempt"],
    why: "provably nothing was handed over: the permit is given back",
  },
  {
    id: "unsent_late",
    event: "unsent",
    from: [...DOUBT],
    to: ["not_applied", "same"],
    by: ["worker"],
    guards: ["my_attempt"],
    why: "the proof that nothing was handed over came after the lease had ended",
  },
  {
    id: "ok",
    event: "ok",
    from: ["in_flight", ...DOUBT, "ready"],
    to: ["succeeded"],
    by: ["worker"],
    guards: ["some_attempt"],
    why: "a result of any attempt is the best evidence, also when it is late",
  },
  {
    id: "ok_enrich",
    event: "ok",
    from: ["applied"],
    to: ["same"],
    by: ["worker"],
    guards: ["some_attempt"],
    why: "the late result agrees with what was observed",
  },
  {
    id: "ok_conflict",
    event: "ok",
    from: ["rejected", "not_applied", "abandoned", "partial"],
    to: ["same"],
    by: ["worker"],
    guards: ["some_attempt"],
    why: "a success where no effect was claimed: an assumption is broken",
  },
  {
    id: "answered_error",
    event: "answered_error",
    from: ["in_flight", ...DOUBT],
    to: ["failed", "uncertain", "same"],
    by: ["worker"],
    guards: ["my_attempt"],
    why: "a tool error proves nothing about the effect",
  },
  {
    id: "rejected",
    event: "rejected",
    from: ["in_flight", ...DOUBT],
    to: ["rejected", "uncertain", "same"],
    by: ["worker"],
    guards: ["my_attempt", "not_retryable"],
    why: "a rejection speaks for its own attempt only",
  },
  {
    id: "rejected_retryable",
    event: "rejected",
    from: ["in_flight", ...DOUBT],
    to: ["ready", "rejected", "uncertain", "same"],
    by: ["worker"],
    guards: ["my_attempt", "retryable"],
    why: "rejected before any work: it may be sent again",
  },
  {
    id: "doubt",
    event: "doubt",
    from: ["in_flight"],
    to: ["uncertain"],
    by: ["worker"],
    guards: ["my_attempt"],
    why: "silence, a time-out, a cancel or a broken answer prove nothing",
  },
  {
    id: "lease_over",
    event: "lease_over",
    from: ["in_flight"],
    to: ["uncertain"],
    by: ["sweeper"],
    guards: ["lease_over"],
    why: "the owner is gone; what it did is unknown",
  },
  {
    id: "give_up",
    event: "give_up",
    from: ["ready"],
    to: ["not_applied"],
    by: ["sweeper"],
    guards: ["nothing_open", "permit_of_clean_slate", "permit_used_up"],
    why: "nobody came for the permit, and no attempt of unknown effect is behind it",
  },
  {
    id: "withdraw",
    event: "withdraw",
    from: ["ready"],
    to: ["not_applied"],
    by: ["caller"],
    guards: ["nothing_open", "permit_started"],
    why: "a newer call of the same identity takes its place; nothing was sent",
  },
  {
    id: "permit_over",
    event: "permit_over",
    from: ["ready"],
    to: ["uncertain"],
    by: ["sweeper"],
    guards: ["permit_lapsed"],
    why: "the evidence behind the permit is too old: look again",
  },
  {
    id: "suspend",
    event: "suspend",
    from: ["ready"],
    to: ["uncertain"],
    by: ["sweeper", "operator"],
    guards: ["permit_by_evidence"],
    why: "what the permit rests on was suspended",
  },
  {
    id: "present",
    event: "present",
    from: [...DOUBT],
    to: ["applied"],
    by: ["reconciler"],
    guards: [],
    why: "seen at the destination",
  },
  {
    id: "partial",
    event: "partial",
    from: [...DOUBT],
    to: ["partial"],
    by: ["reconciler", "operator"],
    guards: [],
    why: "some items landed; repair is a new operation",
  },
  {
    id: "absent",
    event: "absent",
    from: ["uncertain"],
    to: ["same", "ready", "not_applied"],
    by: ["reconciler"],
    guards: ["absence_counts"],
    why: "absent in a read that began after quiescence and staleness",
  },
  {
    id: "probe_fail",
    event: "probe_fail",
    from: ["uncertain"],
    to: ["same"],
    by: ["reconciler"],
    guards: [],
    why: "unclear, failed, hung or early: no observation",
  },
  {
    id: "escalate",
    event: "escalate",
    from: ["uncertain"],
    to: ["unresolved"],
    by: ["sweeper"],
    guards: ["quiesced"],
    why: "automation gave up: a person decides",
  },
  {
    id: "operator_applied",
    event: "operator_applied",
    from: [...DOUBT],
    to: ["applied"],
    by: ["operator"],
    guards: [],
    why: "the operator found it",
  },
  {
    id: "operator_absent",
    event: "operator_absent",
    from: [...DOUBT],
    to: ["not_applied"],
    by: ["operator"],
    guards: ["quiesced_or_override"],
    why: "the operator looked after quiescence and it was not there",
  },
  {
    id: "operator_resend",
    event: "operator_resend",
    from: [...DOUBT],
    to: ["ready"],
    by: ["operator"],
    guards: ["quiesced_or_override", "attempts_left_or_override"],
    why: "the operator orders one more send",
  },
  {
    id: "operator_abandon",
    event: "operator_abandon",
    from: [...DOUBT],
    to: ["abandoned"],
    by: ["operator"],
    guards: [],
    why: "closed without knowing",
  },
  {
    id: "correct",
    event: "correct",
    from: [...ALL_SETTLED],
    to: [...ALL_SETTLED],
    by: ["operator"],
    guards: [],
    why: "the operator corrects a settled outcome; the old one stays in the history",
  },
  {
    id: "reopen",
    event: "reopen",
    from: [...ALL_SETTLED],
    to: ["same"],
    by: ["reconciler"],
    guards: [],
    why: "the destination contradicts the record: conflict, to the queue",
  },
  {
    id: "watch_over",
    event: "watch_over",
    from: [...EFFECTFUL],
    to: ["same"],
    by: ["reconciler", "sweeper"],
    guards: ["watching"],
    why: "no second effect landed in the watch",
  },
  {
    id: "deliver",
    event: "deliver",
    from: [...ALL_SETTLED],
    to: ["same"],
    by: ["caller"],
    guards: ["not_delivered"],
    why: "the caller has the outcome; the hold ends",
  },
  {
    id: "hold_over",
    event: "hold_over",
    from: [...ALL_SETTLED],
    to: ["same"],
    by: ["sweeper"],
    guards: ["no_person_needed", "hold_over"],
    why: "the time to recall it has passed",
  },
];

export type Evolved =
  | { readonly kind: "moved"; readonly row: Transition; readonly record: RecordDraft }
  | { readonly kind: "refused"; readonly why: string };

/** The rows of each event, in table order. */
const ROWS = new Map(
  TRANSITIONS.map(({ event }) => [event, TRANSITIONS.filter((row) => row.event === event)] as const),
);

/**
 * Applies one event. @param now the store's clock: a lower bound for guards that let something happen only later, taken
 * before the decision; every new time in the result is counted from the write itself.
 */
export function evolve(record: OperationRecord | undefined, event: LifecycleEvent, now: Instant): Evolved {
  const state = record?.state ?? "none";
  let why = `${event.type} does not apply in state ${state}`;
  for (const row of ROWS.get(event.type) ?? []) {
    if (!row.from.includes(state)) continue;
    const failed = row.guards.find((guard) => !record || !GUARDS[guard](record, event, now));
    if (failed) {
      why = `${row.id}: ${failed}`;
      continue;
    }
    return { kind: "moved", row, record: applyEffect(record, event, now) };
  }
  return { kind: "refused", why };
}

function applyEffect(record: OperationRecord | undefined, event: LifecycleEvent, now: Instant): RecordDraft {
  const effect = EFFECTS[event.type] as (
    record: OperationRecord | undefined,
    event: EventOf<EventType>,
    now: Instant,
  ) => RecordDraft;
  return effect(record, event, now);
}
