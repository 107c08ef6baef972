/** What each event changes. New times are {@link After} moments: the store stamps them. */
import { changed, defined, fieldNames } from "./fields.ts";
import type { Birth, EventOf, EventType } from "./lifecycle-events.ts";
import { LOST_TOKEN, seenIdle } from "./lifecycle-guards.ts";
import { DEFAULT_LIMITS, gapOf } from "./limits.ts";
import { waitsForPerson } from "./placement.ts";
import type { OperationRecord, Permit, RecordDraft } from "./record.ts";
import { pollAfter, taskOpen } from "./tasks.ts";
import type { Instant, Moment, SettledState } from "./terms.ts";

type Effect<T extends EventType> = (record: OperationRecord, event: EventOf<T>, now: Instant) => RecordDraft;

const after = (ms: number): Moment => ({ after: ms });
/** The later of an instant on record and `ms` from now. */
const later = (recorded: Instant | undefined, ms: number, now: Instant): Moment =>
  recorded !== undefined && recorded > now + ms ? recorded : after(ms);

/** A state carries only its own data: what belongs to a running or waiting attempt goes when the state is left. */
const OF_THE_STATE = fieldNames<RecordDraft>("permit", "spent", "leaseUntil", "waiting", "asked", "lookAt", "reason");
const OF_DOUBT = fieldNames<RecordDraft>("quiesceAt", "answered", "ruledOut", "absent", "absentAt", "probes", "lossAt");
/** The task of the last attempt. The history keeps its name. */
const OF_A_TASK = fieldNames<RecordDraft>("task", "taskOver");
const OF_THE_OPEN = new Set([...OF_THE_STATE, ...OF_DOUBT, ...OF_A_TASK]);

function born(event: Birth): RecordDraft {
  return defined<RecordDraft>({
    state: "ready",
    attempts: 0,
    open: 0,
    tokens: [],
    issuedAt: event.issuedAt ?? after(0),
    limits: event.limits,
    fingerprint: event.fingerprint,
    thread: event.thread,
    holdThread: event.holdThread || undefined,
    principal: event.principal,
    contract: event.contract,
    definition: event.definition,
    keyId: event.keyId,
    legs: event.leg === undefined ? undefined : [event.leg],
  });
}

const firstPermit = ({ issuedAt, limits }: Birth): Permit<Moment> => ({
  basis: "first",
  until: issuedAt === undefined ? after(limits.validFor) : issuedAt + limits.validFor,
});

const ready = (record: RecordDraft, permit: Permit<Moment>): RecordDraft =>
  changed(record, OF_THE_STATE, { state: "ready", permit });

function uncertain(record: RecordDraft, quiesceAt: Moment, reason: string, lookIn?: number): RecordDraft {
  const lookAt = lookIn === undefined ? quiesceAt : after(lookIn);
  return changed(record, OF_THE_STATE, { state: "uncertain", absent: 0, quiesceAt, lookAt, reason }, closing(record));
}

/** A question that the call does not wait for any more: what answers it later is not sent. */
const closing = ({ asked, legs = [] }: RecordDraft): Partial<RecordDraft> =>
  asked === undefined ? {} : { legs: [...legs, asked] };

const settled = (record: RecordDraft, state: SettledState, more: Partial<RecordDraft> = {}): RecordDraft =>
  changed(record, OF_THE_OPEN, { state, settledAt: after(0) }, closing(record), more);

/** After more than one send the first may still land: keep looking for a second effect. */
function watch(record: OperationRecord, verify = false): Partial<RecordDraft> {
  if (record.attempts < 2 && !verify) return {};
  const { settle, staleness } = record.limits;
  return { watchUntil: after(settle + 2 * staleness), lookAt: after(verify ? 0 : settle + staleness) };
}

const OF_THE_LAST_SEND = new Set([...OF_THE_STATE, ...OF_A_TASK, ...fieldNames<RecordDraft>("ruledOut")]);

const send = (record: OperationRecord, token: string, permit: Permit): RecordDraft =>
  changed<RecordDraft>(record, OF_THE_LAST_SEND, {
    state: "in_flight",
    attempts: record.attempts + 1,
    open: record.open + 1,
    tokens: [...record.tokens, token],
    spent: permit,
    leaseUntil: after(record.limits.lease),
  });

const start: Effect<"start"> = (record, event) => send(record, event.token, record.permit as Permit);

/** The newest attempt did nothing: what is open now are the earlier ones. */
const withoutNewest = (record: OperationRecord): OperationRecord => ({
  ...record,
  open: Math.max(0, record.open - 1),
  ruledOut: true,
});

const unsent: Effect<"unsent"> = (record, _event, now) => {
  const less = withoutNewest(record);
  if (record.state !== "in_flight")
    return less.open > 0 ? less : settled(less, "not_applied", { reason: "never_sent" });
  if (less.open > 0) return uncertain(less, later(record.quiesceAt, 0, now), "earlier_attempt_open");
  const until = record.spent?.until ?? now;
  return ready(less, { basis: "unsent", until });
};

const rejected: Effect<"rejected"> = (record, event, now) => {
  const less = withoutNewest(record);
  if (less.open > 0 && !event.authoritative) {
    if (record.state === "unresolved") return less;
    return uncertain(less, later(record.quiesceAt, 0, now), "earlier_attempt_open");
  }
  if (!event.retryable || record.attempts >= record.limits.maxAttempts) {
    return settled({ ...less, open: 0 }, "rejected", { reason: event.reason });
  }
  const until = record.issuedAt + record.limits.validFor;
  return ready(
    { ...less, open: 0 },
    { basis: "rejected", until, ...(event.retryAfter !== undefined && { from: after(event.retryAfter) }) },
  );
};

/** `answered` says it of all open attempts: one that was not answered takes it away. */
function answeredToo(record: OperationRecord, answered: boolean): OperationRecord {
  const { answered: earlier, ...rest } = record;
  return answered && (record.open <= 1 || earlier) ? { ...rest, answered: true } : rest;
}

/** What stands behind the server may still commit after its error answer: where the operator knows how late, that counts. */
const settleOfAnswered = ({ limits }: OperationRecord): number =>
  limits.settleDeclared ? limits.settle : limits.settleAfterAnswer;

const answeredError: Effect<"answered_error"> = (record, event, now) => {
  const speaksForAll = record.open <= 1 || event.forAll === true;
  if (event.settles && speaksForAll) return settled({ ...record, open: 0 }, "failed", { reason: event.reason });
  const quiesceAt = record.open <= 1 ? after(settleOfAnswered(record)) : later(record.quiesceAt, 0, now);
  const ended = taskEnded(record);
  return record.state === "unresolved"
    ? { ...ended, quiesceAt }
    : uncertain(answeredToo(ended, true), quiesceAt, event.reason, event.lookIn);
};

/** Whatever the task had to say was said. */
const taskEnded = (record: OperationRecord): OperationRecord =>
  record.task === undefined ? record : { ...record, taskOver: true };

/** Its handle is what we will ask for; with nobody to drive the attempt, at the next look. */
const taskCreated: Effect<"task_created"> = (record, event) => {
  const { taskOver: _o, ...rest } = record;
  const known = { ...rest, task: event.task };
  if (record.state === "in_flight") return { ...known, leaseUntil: after(record.limits.lease) };
  return {
    ...known,
    ...stillRuns(record, event.pollIn),
    ...(record.state === "uncertain" && { reason: "task_running" }),
  };
};

/** As long as it runs, its write can still land. */
const stillRuns = ({ limits }: OperationRecord, pollIn: number | undefined): Partial<RecordDraft> => ({
  absent: 0,
  lookAt: after(pollAfter(pollIn)),
  quiesceAt: after(limits.settle),
});

const OF_OVERDUE: readonly (string | undefined)[] = ["task_overdue", "task_not_asked", "task_input_required"];

/** What it waits for now. With a person, only in the place of what was said of the task itself. */
function runningReason({ state, reason }: OperationRecord, waits = false): Partial<RecordDraft> {
  if (state !== "uncertain" && !OF_OVERDUE.includes(reason)) return {};
  if (waits) return { reason: "task_input_required" };
  return { reason: state === "uncertain" ? "task_running" : "task_overdue" };
}

const taskLost: Effect<"task_lost"> = (record, event, now) => {
  const ended = answeredToo(taskEnded(record), event.answered);
  const settle = event.answered ? settleOfAnswered(record) : record.limits.settle;
  const quiesceAt = later(record.quiesceAt, settle, now);
  if (record.state !== "unresolved") return uncertain(ended, quiesceAt, event.reason, event.lookIn);
  const { lookAt: _k, ...rest } = ended;
  return { ...rest, quiesceAt, reason: event.reason };
};

const absent: Effect<"absent"> = (record, event, now) => {
  const seen = (record.absent ?? 0) + 1;
  const probes = (record.probes ?? 0) + 1;
  const { limits } = record;
  if (seen < limits.absentReads) {
    return { ...record, absent: seen, absentAt: event.readAt, probes, lookAt: after(gapOf(limits)) };
  }
  const closed = { ...record, open: 0, probes };
  const mayResend =
    limits.resendWhenAbsent &&
    record.lossAt === undefined &&
    record.attempts < limits.maxAttempts &&
    now < record.issuedAt + limits.validFor;
  return mayResend
    ? ready(closed, { basis: "observed_absent", until: after(limits.staleness) })
    : settled(closed, "not_applied", { reason: "observed_absent" });
};

const NOTHING: ReadonlySet<string> = new Set();

/** Said of all attempts that were known, and not of one that was lost. */
const OF_THE_KNOWN = fieldNames<RecordDraft>("answered", "ruledOut", "absent", "absentAt", "task");

/** The version that is left may have been followed by one more send: it counts, and can land as late as any before the loss. */
const storeLoss: Effect<"store_loss"> = (record, { lossAt }) => {
  const { lease, settle } = record.limits;
  const quiesceAt = Math.max((record.leaseUntil ?? 0) + settle, lossAt + lease + settle, record.quiesceAt ?? 0);
  const counted = changed<RecordDraft>(record, OF_THE_KNOWN, {
    attempts: record.attempts + 1,
    open: record.open + 1,
    tokens: [...record.tokens, LOST_TOKEN],
    lossAt,
  });
  if (record.state === "unresolved") return { ...counted, quiesceAt, reason: "store_loss" };
  return uncertain(counted, quiesceAt, "store_loss");
};

const OF_THE_QUESTION = fieldNames<RecordDraft>("waiting", "asked", "reason");
const OF_THE_LEGS = fieldNames<RecordDraft>("legs");

/** Nothing is in flight: a person has the time that a driver has otherwise. */
const asking = (record: RecordDraft, asked: string): RecordDraft =>
  changed<RecordDraft>(record, NOTHING, {
    waiting: true,
    asked,
    leaseUntil: after(record.limits.inputFor),
    reason: "input_required",
  });

/** What repeats, a person or the watch still need is kept. */
function delivered(record: OperationRecord): RecordDraft {
  const needed = record.limits.repeatWindow > 0 || waitsForPerson(record) || record.watchUntil !== undefined;
  return needed ? changed(record, NOTHING, { delivered: true }) : forgetDetails(record, { delivered: true });
}

const DETAILS = fieldNames<RecordDraft>("fingerprint", "thread", "holdThread", "principal", "contract", "definition");
const NO_TOKENS: readonly string[] = [];
/** Gone once the second success was told. */
const SUCCESS_OF = fieldNames<RecordDraft>("successOf");

/** A closed record keeps what a recall by the same id and a late answer need, nothing else. */
function forgetDetails(record: OperationRecord, more: Partial<RecordDraft> = {}): RecordDraft {
  const { retention } = record.limits;
  const claimsNoEffect = record.state !== "succeeded" && record.state !== "applied";
  return changed(record, DETAILS, more, {
    tokens: claimsNoEffect || record.successOf !== undefined ? record.tokens : NO_TOKENS,
    limits: retention === DEFAULT_LIMITS.retention ? DEFAULT_LIMITS : { ...DEFAULT_LIMITS, retention },
  });
}

export const EFFECTS: { readonly [T in EventType]: Effect<T> } = {
  adopt: (_none, event) => {
    const quiesceAt = after(event.limits.lease + event.limits.settle);
    // The attempt that may have been made counts, so that the next one is a resend; nobody holds its token.
    const lost = { attempts: 1, open: 1, tokens: [LOST_TOKEN] };
    // Nor does anybody know what the tool's definition was then.
    const { definition: _d, ...known } = born(event);
    return { ...known, ...lost, state: "uncertain", quiesceAt, lookAt: quiesceAt, reason: event.reason };
  },
  submit: (_none, event) => changed(born(event), NOTHING, { permit: firstPermit(event) }),
  issue: (_none, event) =>
    changed(born(event), NOTHING, {
      state: "in_flight",
      attempts: 1,
      open: 1,
      tokens: [event.token],
      spent: firstPermit(event),
      leaseUntil: after(event.limits.lease),
    }),
  start,
  resend: (record, event) =>
    send(record, event.token, { basis: "contract", until: record.issuedAt + event.contract.window }),
  renew: (record, event) => {
    const { waiting: _w, ...rest } = record;
    return { ...rest, leaseUntil: after(record.limits.lease), ...(event.waiting && { waiting: true }) };
  },
  leg: (record, event) => asking(record, event.asked),
  unsent_leg: (record) => {
    const [asked, ...earlier] = (record.legs ?? []).toReversed();
    const before = changed<RecordDraft>(record, OF_THE_LEGS, earlier.length > 0 ? { legs: earlier.toReversed() } : {});
    return asked === undefined ? before : asking(before, asked);
  },
  next_leg: (record, event) =>
    changed<RecordDraft>(record, OF_THE_QUESTION, closing(record), {
      tokens: [...record.tokens.slice(0, -1), event.token],
      leaseUntil: after(record.limits.lease),
    }),
  legs_over: (record) => changed(record, OF_THE_LEGS),
  task_created: taskCreated,
  task_working: (record, event) => ({
    ...record,
    ...stillRuns(record, event.pollIn),
    ...runningReason(record, event.waiting),
  }),
  task_overdue: (record, event) => ({
    ...record,
    ...stillRuns(record, event.pollIn),
    state: "unresolved",
    reason: event.reason,
  }),
  task_lost: taskLost,
  unsent,
  ok: (record, event) => {
    if (record.state === "applied") return { ...record, ...(event.ref !== undefined && { ref: event.ref }) };
    if (record.state === "succeeded") return changed(record, SUCCESS_OF, { conflict: true, reason: "second_success" });
    if (record.settledAt !== undefined) return { ...record, conflict: true, reason: "success_after_no_effect" };
    return settled(record, "succeeded", {
      open: 0,
      ...watch(record, event.verify),
      ...(event.ref !== undefined && { ref: event.ref }),
      ...(record.attempts > 1 && record.contract === undefined && { successOf: event.attempt }),
      // With an attempt still open its success was possible all the time, also while an order to send again waits.
      ...(record.state === "ready" && record.open === 0 && { conflict: true, reason: "success_after_no_effect" }),
    });
  },
  answered_error: answeredError,
  rejected,
  doubt: (record, event, now) => {
    const settle = event.answered ? settleOfAnswered(record) : record.limits.settle;
    const quiesceAt = later(record.quiesceAt, settle, now);
    return uncertain(answeredToo(record, event.answered), quiesceAt, event.reason, event.lookIn);
  },
  lease_over: (record, event, now) => {
    // Nothing was in flight: each leg so far was answered, by a question.
    if (record.asked !== undefined)
      return uncertain(
        answeredToo(record, true),
        later(record.quiesceAt, settleOfAnswered(record), now),
        "input_not_given",
      );
    const gone = answeredToo(record, false);
    // A task goes on without its owner, and can be asked for at once.
    const lookIn = taskOpen(record) ? 0 : undefined;
    if (seenIdle(record, event))
      return uncertain(gone, later(record.quiesceAt, record.limits.settle, now), "owner_gone", lookIn);
    const end = (record.leaseUntil ?? 0) + record.limits.settle;
    return uncertain(gone, Math.max(end, record.quiesceAt ?? 0), "owner_gone", lookIn);
  },
  store_loss: storeLoss,
  give_up: (record) =>
    settled(record, "not_applied", { reason: record.permit?.basis === "rejected" ? "not_sent_again" : "never_sent" }),
  withdraw: (record) => settled(record, "not_applied", { reason: "withdrawn" }),
  permit_over: (record, _event, now) => uncertain(record, later(record.quiesceAt, 0, now), "permit_lapsed"),
  suspend: (record, _event, now) => uncertain(record, later(record.quiesceAt, 0, now), "contract_suspended"),
  present: (record, event) =>
    settled(record, "applied", {
      open: 0,
      ...watch(record),
      ...(event.ref !== undefined && { ref: event.ref }),
      attributed: event.attributed,
      ...(event.count > 1 && { conflict: true, reason: "more_effects_than_one" }),
    }),
  partial: (record, event) => settled(record, "partial", { items: event.items, reason: "partly_applied" }),
  absent,
  probe_fail: (record, event) => ({
    ...record,
    absent: 0,
    probes: (record.probes ?? 0) + (event.early ? 0 : 1),
    lookAt: after(event.retryIn),
  }),
  escalate: (record, event) => {
    const { lookAt: _k, ...rest } = record;
    // A person decides; a task that is still asked for may spare them the work.
    const asked = taskOpen(record) ? { lookAt: after(pollAfter(Number.POSITIVE_INFINITY)) } : {};
    return { ...rest, state: "unresolved", reason: event.reason, ...asked };
  },
  operator_applied: (record, event) =>
    settled(record, "applied", { open: 0, attributed: true, ...(event.ref !== undefined && { ref: event.ref }) }),
  operator_absent: (record) => settled({ ...record, open: 0 }, "not_applied", { reason: "operator_verdict" }),
  operator_resend: (record) => ({
    // An order to send again is no word on the earlier attempts: they stay open (I6).
    ...ready(record, { basis: "operator", until: after(record.limits.validFor) }),
    limits: { ...record.limits, maxAttempts: Math.max(record.limits.maxAttempts, record.attempts + 1) },
  }),
  operator_abandon: (record) => settled(record, "abandoned", { reason: "operator_verdict" }),
  correct: (record, event) => {
    const { conflict: _c, ref: _f, watchUntil: _u, lookAt: _k, ...rest } = record;
    return {
      ...rest,
      state: event.to,
      reason: "operator_correction",
      ...(event.to === "partial" && { accepted: true }),
      ...(event.ref !== undefined && { ref: event.ref }),
    };
  },
  reopen: (record, event) => ({ ...record, conflict: true, reason: event.reason }),
  watch_over: (record) => {
    const { watchUntil: _u, lookAt: _k, ...rest } = record;
    return rest.delivered ? delivered(rest) : rest;
  },
  deliver: delivered,
  hold_over: (record) => forgetDetails(record, record.delivered ? {} : { recallOver: true }),
};
