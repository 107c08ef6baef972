/** What happens to an operation once it is on record: send, classify, record, look, resend, answer. */

import { type Marks, outcomeOf, refusedOutcome } from "./answers.ts";
import { driveAttempt } from "./attempt.ts";
import type { Budget } from "./budget.ts";
import type { ToolPolicy } from "./config.ts";
import { classify, type Situation, type Verdict } from "./core/classification.ts";
import { type ContractObstacle, contractObstacle, contractTerms } from "./core/contract.ts";
import { dedupKey } from "./core/identity.ts";
import type { LifecycleEvent } from "./core/lifecycle-events.ts";
import type { Answer, Outcome } from "./core/outcome.ts";
import { type Basis, isSettled, type JsonObject, type WireEvidence } from "./core/terms.ts";
import type { Parts } from "./guard-parts.ts";
import { eventOf, look } from "./look.ts";
import type { MoveOptions, Operation } from "./operation.ts";
import { openPayload } from "./payload.ts";
import { placeKey } from "./placing.ts";
import type { Wire } from "./ports.ts";
import { newToken } from "./runtime.ts";

/** What one caller (or recovery) brings along to drive an operation. */
export interface Drive {
  readonly operation: Operation;
  readonly policy: ToolPolicy;
  readonly arguments: JsonObject;
  readonly wire: Wire;
  readonly budget: Budget;
  readonly signal?: AbortSignal;
  readonly grantedAt: number;
  readonly marks: Marks;
}

/** Sends on the permit that was just spent, and goes on until there is an answer for the caller. */
export async function drive(parts: Parts, start: Drive, basis: Basis): Promise<Outcome> {
  let run = start;
  let current = basis;
  for (;;) {
    const sent = await sendAndRecord(parts, run, current);
    if (sent.kind === "answer") return sent.outcome;
    const grantedAt = parts.runtime.clock.monotonic();
    const next = sent.kind === "again" ? await startAgain(parts, run, sent.wait) : await recoverOnce(parts, run);
    if (!next) return answerFrom(parts, run, current);
    run = { ...run, grantedAt };
    current = next;
  }
}

/** For an operation in doubt: look first, then resend if a contract allows it; else say what is known. */
export async function recover(parts: Parts, run: Drive): Promise<Outcome> {
  const grantedAt = parts.runtime.clock.monotonic();
  const basis = await recoverOnce(parts, run);
  return basis ? drive(parts, { ...run, grantedAt }, basis) : answerFrom(parts, run, undefined);
}

export function answerFrom(parts: Parts, run: Pick<Drive, "operation" | "marks">, basis: Basis | undefined): Outcome {
  const payload = openPayload(parts.runtime.keys(), run.operation.id, run.operation.payload);
  return outcomeOf(run.operation, payload, { ...run.marks, ...(basis && { basis }) });
}

type Sent =
  | { readonly kind: "answer"; readonly outcome: Outcome }
  | { readonly kind: "recover" }
  | { readonly kind: "again"; readonly wait: number };

async function sendAndRecord(parts: Parts, run: Drive, basis: Basis): Promise<Sent> {
  const { operation, policy } = run;
  const placed = placeKey(policy.contract, dedupKey(parts.runtime.keys(), operation.id), run.arguments, run.wire);
  const attempt = operation.record.attempts;
  const token = operation.record.tokens[attempt - 1] ?? "";
  const ref = { attempt, token };
  if (!placed) {
    await parts.journal.record(operation, { type: "unsent", ...ref });
    const detail = `The contract places the key in a header; build the transport with fetch: guardFetch(guard, { server }).`;
    return {
      kind: "answer",
      outcome: refusedOutcome(operation.group, "key_not_placeable", detail, { operation: operation.id }),
    };
  }
  const situation = situationOf(run, attempt);
  const canFindOut = situation.canFindOut;
  const evidence = await driveAttempt(parts.runtime, parts.ledger, {
    ...run,
    ...placed,
    keep: canFindOut ? Math.min(5_000, run.budget.remaining() / 5) : 0,
    late: (late) => void heardLate(parts, run, ref, late),
  });
  const verdict = classify(evidence, situation);
  const answer = answerOf(evidence);
  const recorded = await recordVerdict(parts, run, ref, verdict, evidence);
  return next(parts, run, basis, verdict, recorded, answer);
}

function next(
  parts: Parts,
  run: Drive,
  basis: Basis,
  verdict: Verdict,
  recorded: boolean,
  answer: Answer | undefined,
): Sent {
  const { operation } = run;
  const say = (more: Partial<Marks> = {}): Sent => {
    const marks = { ...run.marks, ...more, basis };
    const payload = answer ? { answer } : openPayload(parts.runtime.keys(), operation.id, operation.payload);
    return {
      kind: "answer",
      outcome: outcomeOf(recorded ? operation : asRecorded(operation, verdict), payload, marks),
    };
  };
  if (!recorded) return say({ unrecorded: true });
  const { state, permit } = operation.record;
  if (isSettled(state)) return say();
  if (state === "uncertain") return { kind: "recover" };
  if (state === "ready" && verdict.kind === "rejected") {
    const wait = Math.max(0, (permit?.from ?? 0) - parts.runtime.storeNow());
    if (wait < run.budget.remaining()) return { kind: "again", wait };
    return {
      kind: "answer",
      outcome: { ...outcomeOf(asRecorded(operation, verdict), answer && { answer }, { ...run.marks, basis }) },
    };
  }
  if (state === "ready")
    return { kind: "answer", outcome: outcomeOf(asRecorded(operation, verdict), undefined, run.marks) };
  return say();
}

/** The caller's view where the record itself could not be moved, or waits for a permit that this call will not use. */
function asRecorded(operation: Operation, verdict: Verdict): Operation {
  const state = {
    succeeded: "succeeded",
    rejected: "rejected",
    unsent: "not_applied",
    answered_error: "failed",
  } as const;
  const said = verdict.kind in state ? state[verdict.kind as keyof typeof state] : "uncertain";
  const reason = verdict.kind === "unsent" ? "never_sent" : verdict.row;
  return { ...operation, record: { ...operation.record, state: said, reason } };
}

/** Spends the permit on record, after `wait` ms. */
export async function startAgain(parts: Parts, run: Drive, wait = 0): Promise<Basis | undefined> {
  if (wait > 0 && !(await run.budget.sleep(wait, run.signal))) return undefined;
  const permit = run.operation.record.permit;
  if (!permit) return undefined;
  const moved = await parts.ledger.move(
    run.operation,
    { type: "start", token: newToken() },
    { notAfter: permit.until },
  );
  return moved.kind === "moved" ? permit.basis : undefined;
}

/** One look and, if that settles nothing, one resend under the contract. The basis of the new send, if there is one. */
async function recoverOnce(parts: Parts, run: Drive): Promise<Basis | undefined> {
  const { operation, policy, budget } = run;
  if (policy.look && budget.remaining() > 0) {
    await observe(parts, operation, policy, budget.remaining());
    if (operation.record.state !== "uncertain") return startIfReady(parts, run);
  }
  if (!policy.contract || budget.remaining() <= 0 || run.signal?.aborted) return undefined;
  return resend(parts, run);
}

async function startIfReady(parts: Parts, run: Drive): Promise<Basis | undefined> {
  return run.operation.record.state === "ready" ? startAgain(parts, run) : undefined;
}

/** Looks and records what it means. @returns whether a look took place here */
export async function observe(
  parts: Parts,
  operation: Operation,
  policy: ToolPolicy,
  within: number,
): Promise<boolean> {
  const looked = await look(parts.runtime, parts.ledger, parts.links, operation, policy, within);
  if (looked.impossibleHere) return false;
  const event = await eventOf(parts.runtime, operation, looked);
  if (!event) return true;
  const { observation } = looked;
  const answer =
    observation.kind === "applied" && observation.result ? observedAnswer(parts, operation, observation.result) : {};
  await parts.ledger.move(operation, event, { ...answer, note: { observation: observation.kind } });
  if (operation.record.conflict) await parts.suspend(operation, operation.record.reason ?? "conflict");
  return true;
}

function observedAnswer(parts: Parts, operation: Operation, result: JsonObject): MoveOptions {
  const known = openPayload(parts.runtime.keys(), operation.id, operation.payload);
  return {
    payload: { ...known, answer: { kind: "result", result } },
    payloadExpireIn: parts.runtime.settings.resultFor,
  };
}

/** One resend under the contract, if everything about it holds now. */
export async function resend(parts: Parts, run: Drive): Promise<Basis | undefined> {
  const { operation, policy } = run;
  const { contract } = policy;
  if (!contract || operation.record.state !== "uncertain") return undefined;
  const { generation } = await parts.ledger.load(operation.id);
  const obstacle = await obstacleOf(parts, operation, policy);
  if (obstacle) {
    parts.runtime.events.emit("warning", { message: `No resend of ${operation.id}: ${obstacle}.` });
    return undefined;
  }
  const terms = contractTerms(contract);
  const { issuedAt, limits } = operation.record;
  const notAfter = Math.min(issuedAt + terms.window - terms.margin, issuedAt + limits.validFor);
  if (operation.record.attempts > 1 && !(await run.budget.sleep(200 * 2 ** operation.record.attempts, run.signal)))
    return undefined;
  const event: LifecycleEvent = { type: "resend", token: newToken(), contract: terms };
  const moved = await parts.ledger.move(operation, event, { notAfter, ifGeneration: generation });
  return moved.kind === "moved" ? "contract" : undefined;
}

/** The suspension list is read anew before every resend. */
async function obstacleOf(
  parts: Parts,
  operation: Operation,
  policy: ToolPolicy,
): Promise<ContractObstacle | undefined> {
  if (!policy.contract) return undefined;
  const { server, tool } = operation.group;
  const suspensions = await parts.runtime.store.suspensions();
  return contractObstacle(policy.contract, {
    today: new Date(parts.runtime.clock.wall()).toISOString().slice(0, 10),
    live: parts.catalog.live(server, tool),
    suspended: suspensions.some((entry) => entry.server === server && entry.tool === tool),
  });
}

function situationOf(run: Drive, attempt: number): Situation {
  const { policy } = run;
  const canFindOut = policy.look !== undefined || policy.contract !== undefined;
  return { rules: policy.rules, arguments: run.arguments, canFindOut, resend: attempt > 1 };
}

const answerOf = (evidence: WireEvidence): Answer | undefined => {
  if (evidence.kind === "result") return { kind: "result", result: evidence.result };
  if (evidence.kind !== "rpc_error" || evidence.id !== "ours") return undefined;
  const { code, message, data } = evidence;
  return { kind: "error", code, message, ...(data !== undefined && { data }) };
};

interface AttemptRef {
  readonly attempt: number;
  readonly token: string;
}

/** True when the store has it; false when it went into the journal. */
async function recordVerdict(
  parts: Parts,
  run: Drive,
  ref: AttemptRef,
  verdict: Verdict,
  evidence: WireEvidence,
): Promise<boolean> {
  const { operation } = run;
  const note = { evidence: evidenceFacts(evidence) };
  const events = eventsOf(verdict, ref, run.policy);
  const kept = keptAnswer(parts, run.policy, verdict, evidence);
  let recorded = true;
  for (const event of events) recorded = (await parts.journal.record(operation, event, { note, ...kept })) && recorded;
  if (operation.record.conflict) await parts.suspend(operation, operation.record.reason ?? "conflict");
  return recorded;
}

function eventsOf(verdict: Verdict, ref: AttemptRef, policy: ToolPolicy): LifecycleEvent[] {
  const reason = verdict.row;
  switch (verdict.kind) {
    case "succeeded":
      return [{ type: "ok", ...ref, ...(policy.verify && { verify: true }) }];
    case "answered_error":
      return [{ type: "answered_error", ...ref, settles: verdict.settles, reason }];
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
    case "paused":
      return [{ type: "leg", ...ref }];
    case "task":
      return [{ type: "task_created", ...ref, task: verdict.task }];
    case "unsent":
      return [{ type: "unsent", ...ref }];
    case "uncertain":
      return [{ type: "doubt", ...ref, reason, answered: verdict.answered }];
  }
}

/** The stored answer of a settled operation; doubt keeps the arguments instead. */
function keptAnswer(parts: Parts, policy: ToolPolicy, verdict: Verdict, evidence: WireEvidence): MoveOptions {
  if (!["succeeded", "rejected", "answered_error"].includes(verdict.kind)) return {};
  const answer = answerOf(evidence);
  if (verdict.kind === "answered_error" && !verdict.settles) return {};
  if (!answer || !policy.keepResult) return { payload: null };
  const { maxResultBytes, resultFor } = parts.runtime.settings;
  return JSON.stringify(answer).length > maxResultBytes
    ? { payload: null }
    : { payload: { answer }, payloadExpireIn: resultFor };
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
async function heardLate(parts: Parts, run: Drive, ref: AttemptRef, evidence: WireEvidence): Promise<void> {
  const situation = situationOf(run, ref.attempt);
  const verdict = classify(evidence, situation);
  const { operation } = run;
  parts.runtime.events.emit("late", { operation: operation.id, evidence: evidence.kind, row: verdict.row });
  if (!["succeeded", "rejected", "answered_error", "unsent"].includes(verdict.kind)) return;
  try {
    await recordVerdict(parts, run, ref, verdict, evidence);
  } catch (error) {
    parts.runtime.events.emit("warning", { message: `A late answer could not be recorded: ${String(error)}` });
  }
}
