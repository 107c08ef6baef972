/** What an attempt's evidence means, written down: verdict, events, kept answer, and the ear for late answers. */
import type { ToolPolicy } from "./config.ts";
import { classify } from "./core/classification.ts";
import type { Verdict } from "./core/classification-table.ts";
import type { Situation } from "./core/evidence.ts";
import { spokenBy, unsentOf } from "./core/legs.ts";
import type { LifecycleEvent } from "./core/lifecycle-events.ts";
import type { Answer } from "./core/outcome.ts";
import type { JsonObject, WireEvidence } from "./core/terms.ts";
import type { Drive } from "./drive-api.ts";
import type { Parts } from "./guard-parts.ts";
import { pauseOf } from "./legs.ts";
import type { MoveOptions } from "./operation.ts";
import { openPayload } from "./payload.ts";
import { keepTaskWire } from "./task-wires.ts";

export function situationOf(run: Drive, attempt: number): Situation {
  const { policy } = run;
  // A resend under the contract that is answered with an error too has told what it can.
  const canFindOut = policy.look !== undefined || (policy.contract !== undefined && attempt === 1);
  // Only an attempt that was never answered can be what the destination already has.
  const resend = attempt > 1 && !run.operation.record.answered;
  return { rules: policy.rules, arguments: run.arguments, canFindOut, resend };
}

/** The server's own answer, if it is one that carries our id. */
export const answerOf = (evidence: WireEvidence): Answer | undefined => {
  if (evidence.kind === "result") return { kind: "result", result: evidence.result };
  if (evidence.kind !== "rpc_error" || evidence.id !== "ours") return undefined;
  const { code, message, data } = evidence;
  return { kind: "error", code, message, ...(data !== undefined && { data }) };
};

export interface AttemptRef {
  readonly attempt: number;
  readonly token: string;
}

export interface SendFacts {
  /** When the attempt was granted, on the monotonic clock. */
  readonly sentAt: number;
  /** Sends of the same request by what lies below us. */
  readonly sentAgainBelow?: number;
}

/** True when the store has it; false when it went into the journal. */
export async function recordVerdict(
  parts: Parts,
  run: Drive,
  ref: AttemptRef,
  verdict: Verdict,
  evidence: WireEvidence,
  { sentAt, sentAgainBelow = 0 }: SendFacts,
): Promise<boolean> {
  const { operation } = run;
  const sentMs = Math.round(parts.runtime.clock.monotonic() - sentAt);
  const note = {
    evidence: evidenceFacts(evidence),
    sentMs,
    ...(sentAgainBelow > 0 && { sentAgainBelow }),
    ...(verdict.kind === "task" && { task: verdict.task }),
  };
  const events = eventsOf(parts, run, ref, verdict, evidence);
  const kept = keptAnswer(parts, run, verdict, evidence);
  let recorded = true;
  for (const event of events) recorded = (await parts.journal.record(operation, event, { note, ...kept })) && recorded;
  if (operation.record.conflict) await parts.suspend(operation, operation.record.reason ?? "conflict");
  return recorded;
}

/** A hook may find the effect, and a contract allow a resend, long before quiescence. The caller itself goes first. */
const FIRST_LOOK = 2_000;

export function earlyLook({ look, contract, limits }: ToolPolicy): { readonly lookIn?: number } {
  const early = look !== undefined || (contract !== undefined && contract.concurrent !== "serial");
  return early ? { lookIn: Math.min(FIRST_LOOK, limits.settle) } : {};
}

function eventsOf(
  parts: Parts,
  run: Drive,
  ref: AttemptRef,
  verdict: Verdict,
  evidence: WireEvidence,
): LifecycleEvent[] {
  const { policy } = run;
  const reason = verdict.row;
  const lookIn = earlyLook(policy);
  const forAll = ref.attempt > 1 && policy.contract?.replaysErrors === true && { forAll: true };
  switch (verdict.kind) {
    case "succeeded":
      return [{ type: "ok", ...ref, ...(policy.verify && { verify: true }) }];
    case "answered_error":
      return [{ type: "answered_error", ...ref, settles: verdict.settles, reason, ...lookIn, ...forAll }];
    case "rejected": {
      const { retryable, retryAfter } = verdict;
      const authoritative = policy.contract?.rejectionAuthoritative ?? false;
      return [
        { type: "rejected", ...ref, reason, retryable, authoritative, ...(retryAfter !== undefined && { retryAfter }) },
      ];
    }
    case "already_there":
      return [
        { type: "doubt", ...ref, reason, answered: true },
        { type: "present", attributed: true, count: 1 },
      ];
    case "task": {
      const { task, pollIn } = verdict;
      return [{ type: "task_created", ...ref, task, ...(pollIn !== undefined && { pollIn }) }];
    }
    case "paused":
      return [pauseOf(parts, run, ref, evidence)];
    case "unsent":
      return [unsentOf(run.operation.record, ref)];
    case "uncertain":
      return [{ type: "doubt", ...ref, reason, answered: verdict.answered, ...lookIn }];
  }
}

/** The stored answer of a settled operation. The arguments stay only where a look will need them. */
function keptAnswer(parts: Parts, run: Drive, verdict: Verdict, evidence: WireEvidence): MoveOptions {
  const { operation, policy } = run;
  if (!["succeeded", "rejected", "answered_error"].includes(verdict.kind)) return {};
  const answer = answerOf(evidence);
  if (verdict.kind === "answered_error" && !verdict.settles) return {};
  const watched = policy.look !== undefined && (policy.verify || operation.record.attempts > 1);
  // A late answer may contradict what was settled meanwhile: whoever looks into that needs to know what was asked for.
  const late = operation.record.state !== "in_flight";
  const known = watched || late ? openPayload(parts.runtime.keys(), operation.id, operation.payload) : undefined;
  const { maxResultBytes, resultFor } = parts.runtime.settings;
  if (!answer || !policy.keepResult || JSON.stringify(answer).length > maxResultBytes)
    return { payload: known ?? null };
  return { payload: { ...known, answer }, payloadExpireIn: resultFor };
}

/** Codes and statuses, never texts: those are the other side's words. */
function evidenceFacts(evidence: WireEvidence): JsonObject {
  switch (evidence.kind) {
    case "result":
      return { kind: "result", isError: evidence.result.isError === true };
    case "rpc_error":
      return { kind: "rpc_error", code: evidence.code, id: evidence.id };
    case "http_status":
      return { kind: "http_status", status: evidence.status };
    default:
      return { kind: evidence.kind, cause: evidence.cause };
  }
}

/** I12: a late answer is evidence. */
export async function heardLate(
  parts: Parts,
  run: Drive,
  ref: AttemptRef,
  evidence: WireEvidence,
  sent: SendFacts,
): Promise<void> {
  const situation = situationOf(run, ref.attempt);
  const { operation } = run;
  const verdict = classify(spokenBy(operation.record, evidence), situation);
  parts.runtime.events.emit("late", { operation: operation.id, evidence: evidence.kind, row: verdict.row });
  if (!["succeeded", "rejected", "answered_error", "unsent", "task"].includes(verdict.kind)) return;
  if (verdict.kind === "task") keepTaskWire(parts.taskWires, operation.id, run.wire);
  try {
    await recordVerdict(parts, run, ref, verdict, evidence, sent);
  } catch (error) {
    parts.runtime.events.emit("warning", { message: `A late answer could not be recorded: ${String(error)}` });
  }
}
