/** The state machine as a story: events at times, each saved the way a store would save it. */
import { evolve } from "../../../src/core/lifecycle.ts";
import type { Birth, ContractTerms, LifecycleEvent } from "../../../src/core/lifecycle-events.ts";
import { DEFAULT_LIMITS, type Limits } from "../../../src/core/limits.ts";
import type { OperationRecord, RecordDraft } from "../../../src/core/record.ts";
import { decodeRecord, encodeRecord } from "../../../src/core/record-text.ts";
import type { Instant } from "../../../src/core/terms.ts";

export const T0: Instant = 1_800_000_000_000;
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** What a tool with a hook, a declared settle window and a contract is born with. */
export const limits = (over: Partial<Limits> = {}): Limits => ({ ...DEFAULT_LIMITS, settleDeclared: true, ...over });
export const birth = (over: Partial<Limits> = {}): Birth => ({
  limits: limits(over),
  fingerprint: "fingerprint-of-22-chars",
  thread: "thread-8",
  contract: "contract-12c",
  keyId: "key-id",
});

export const terms = (over: Partial<ContractTerms> = {}): ContractTerms => ({
  fingerprint: "contract-12c",
  window: DAY,
  margin: MINUTE,
  serial: false,
  ...over,
});

export const token = (attempt: number): string => `token-${attempt}`;
const by = (attempt: number) => ({ attempt, token: token(attempt) });

/** Whoever sent the last leg speaks for the attempt. */
export const LEG_TOKEN = "token-leg";

/** Events in the order of their attempts; whatever a test does not care about has a plain value. */
export const event = {
  issue: (over: Partial<Limits> = {}): LifecycleEvent => ({ type: "issue", token: token(1), ...birth(over) }),
  issueWithoutContract: (): LifecycleEvent => {
    const { contract: _c, ...plain } = birth();
    return { type: "issue", token: token(1), ...plain };
  },
  submit: (over: Partial<Limits> = {}): LifecycleEvent => ({ type: "submit", ...birth(over) }),
  adopt: (over: Partial<Limits> = {}): LifecycleEvent => ({ type: "adopt", reason: "store_loss", ...birth(over) }),
  start: (attempt: number): LifecycleEvent => ({ type: "start", token: token(attempt) }),
  resend: (attempt: number, over: Partial<ContractTerms> = {}): LifecycleEvent => ({
    type: "resend",
    token: token(attempt),
    contract: terms(over),
  }),
  renew: (attempt: number, waiting = false): LifecycleEvent => ({ type: "renew", ...by(attempt), waiting }),
  leg: (attempt: number, asked = "question-1"): LifecycleEvent => ({ type: "leg", ...by(attempt), asked }),
  nextLeg: (question = "question-1"): LifecycleEvent => ({ type: "next_leg", question, token: LEG_TOKEN }),
  okOfLeg: (): LifecycleEvent => ({ type: "ok", attempt: 1, token: LEG_TOKEN }),
  unsentLeg: (): LifecycleEvent => ({ type: "unsent_leg", attempt: 1, token: LEG_TOKEN }),
  legsOver: { type: "legs_over" },
  taskCreated: (attempt: number): LifecycleEvent => ({ type: "task_created", ...by(attempt), task: "task-1" }),
  taskWorking: (attempt: number, waiting = false): LifecycleEvent => ({
    type: "task_working",
    ...by(attempt),
    pollIn: 5 * SECOND,
    waiting,
  }),
  taskOverdue: (attempt: number): LifecycleEvent => ({
    type: "task_overdue",
    ...by(attempt),
    pollIn: 5 * SECOND,
    reason: "task_overdue",
  }),
  taskLost: (attempt: number, answered = false): LifecycleEvent => ({
    type: "task_lost",
    ...by(attempt),
    reason: "task_unknown",
    answered,
  }),
  unsent: (attempt: number): LifecycleEvent => ({ type: "unsent", ...by(attempt) }),
  ok: (attempt: number, more: { ref?: string; verify?: boolean } = {}): LifecycleEvent => ({
    type: "ok",
    ...by(attempt),
    ...more,
  }),
  answeredError: (attempt: number, settles = true, more: { forAll?: boolean } = {}): LifecycleEvent => ({
    type: "answered_error",
    ...by(attempt),
    settles,
    reason: "tool_error",
    ...more,
  }),
  rejected: (
    attempt: number,
    more: { retryable?: boolean; retryAfter?: number; authoritative?: boolean } = {},
  ): LifecycleEvent => ({ type: "rejected", ...by(attempt), reason: "error_rejecting", retryable: false, ...more }),
  doubt: (attempt: number, answered = false): LifecycleEvent => ({
    type: "doubt",
    ...by(attempt),
    reason: "silence",
    answered,
  }),
  present: (more: { ref?: string; attributed?: boolean; count?: number } = {}): LifecycleEvent => ({
    type: "present",
    attributed: true,
    count: 1,
    ...more,
  }),
  partial: (): LifecycleEvent => ({ type: "partial", items: [{ item: "1", verdict: "applied" }] }),
  absent: (readAt: Instant): LifecycleEvent => ({ type: "absent", readAt }),
  probeFail: (): LifecycleEvent => ({ type: "probe_fail", reason: "probe_unclear", retryIn: 5 * SECOND }),
  escalate: (): LifecycleEvent => ({ type: "escalate", reason: "no_way_to_find_out" }),
  operatorAbsent: (override = false): LifecycleEvent => ({ type: "operator_absent", override }),
  operatorResend: (override = false): LifecycleEvent => ({ type: "operator_resend", override }),
  reopen: (): LifecycleEvent => ({ type: "reopen", reason: "more_effects_than_one" }),
  storeLoss: (lossAt: Instant): LifecycleEvent => ({ type: "store_loss", lossAt }),
  leaseOver: { type: "lease_over" },
  giveUp: { type: "give_up" },
  withdraw: { type: "withdraw" },
  permitOver: { type: "permit_over" },
  suspend: { type: "suspend" },
  operatorApplied: { type: "operator_applied" },
  operatorAbandon: { type: "operator_abandon" },
  watchOver: { type: "watch_over" },
  deliver: { type: "deliver" },
  holdOver: { type: "hold_over" },
} as const satisfies Record<string, LifecycleEvent | ((...args: never[]) => LifecycleEvent)>;

/** As a store keeps it and gives it back. */
export const saved = (draft: RecordDraft, at: Instant): OperationRecord => decodeRecord(encodeRecord(draft), at);

export interface Step {
  readonly after: number;
  readonly event: LifecycleEvent;
}
/** `after`: ms since T0. */
export const at = (after: number, what: LifecycleEvent): Step => ({ after, event: what });

/** The record after these steps. A step that the machine refuses is a mistake in the story. */
export function given(...steps: readonly Step[]): OperationRecord {
  let record: OperationRecord | undefined;
  for (const { after, event: what } of steps) {
    const moved = evolve(record, what, T0 + after);
    if (moved.kind === "refused") throw new Error(`the story does not hold: ${moved.why}`);
    record = saved(moved.record, T0 + after);
  }
  if (!record) throw new Error("a story needs a step");
  return record;
}

/** The row that was taken and the record as saved; or why not. */
export function when(record: OperationRecord | undefined, { after, event: what }: Step) {
  const moved = evolve(record, what, T0 + after);
  return moved.kind === "moved"
    ? { row: moved.row.id, record: saved(moved.record, T0 + after) }
    : { refused: moved.why, record: undefined };
}

export function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const item of Object.values(value)) deepFreeze(item);
  }
  return value;
}
