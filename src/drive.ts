/** What happens to an operation once it is on record: send, classify, record, look, resend, answer. */
import { type Marks, outcomeOf, refusedOutcome } from "./answers.ts";
import { driveAttempt, keepLease } from "./attempt.ts";
import { classify } from "./core/classification.ts";
import type { Verdict } from "./core/classification-table.ts";
import { dedupKey } from "./core/identity.ts";
import { spokenBy, unsentOf, verdictOn } from "./core/legs.ts";
import type { Answer, Outcome } from "./core/outcome.ts";
import { pollAfter, type TaskSeen, taskOpen } from "./core/tasks.ts";
import { type Basis, isSettled, type WireEvidence } from "./core/terms.ts";
import type { Drive, Grant } from "./drive-api.ts";
import type { Parts } from "./guard-parts.ts";
import { observe } from "./observing.ts";
import type { Operation } from "./operation.ts";
import { openPayload } from "./payload.ts";
import { resend, startAgain } from "./permits.ts";
import { placeKey } from "./placing.ts";
import { keepTaskWire } from "./task-wires.ts";
import { askTask, followTask, recordTask } from "./tasks.ts";
import { type AttemptRef, answerOf, earlyLook, heardLate, recordVerdict, situationOf } from "./verdicts.ts";

/** Sends on the permit that was just spent, and goes on until there is an answer for the caller. */
export async function drive(parts: Parts, run: Drive, first: Grant): Promise<Outcome> {
  let grant = first;
  for (;;) {
    const sent = await sendAndRecord(parts, run, grant);
    if (sent.kind === "answer") return sent.outcome;
    if (sent.kind === "again") {
      const next = await startAgain(parts, run, sent.wait);
      if (!next) return sent.otherwise;
      grant = next;
      continue;
    }
    const { grant: next, said = sent.answer } = await recoverOnce(parts, run);
    if (!next) return answerFrom(parts, run, grant.basis, said);
    grant = next;
  }
}

/** For an operation in doubt: look first, then resend if a contract allows it; else say what is known. */
export async function recover(parts: Parts, run: Drive): Promise<Outcome> {
  const { grant, said } = await recoverOnce(parts, run);
  return grant ? drive(parts, run, grant) : answerFrom(parts, run, undefined, said);
}

/** @param said the server's own words for this caller, beside what is on record */
export function answerFrom(
  parts: Parts,
  run: Pick<Drive, "operation" | "marks">,
  basis: Basis | undefined,
  said?: Answer,
): Outcome {
  const payload = openPayload(parts.runtime.keys(), run.operation.id, run.operation.payload);
  const known = said && !payload?.answer ? { ...payload, answer: said } : payload;
  return outcomeOf(run.operation, known, { ...run.marks, ...(basis && { basis }) });
}

type Sent =
  | { readonly kind: "answer"; readonly outcome: Outcome }
  | { readonly kind: "recover"; readonly answer?: Answer }
  /** `otherwise`: what the caller is told when it does not wait. */
  | { readonly kind: "again"; readonly wait: number; readonly otherwise: Outcome };

async function sendAndRecord(parts: Parts, run: Drive, grant: Grant): Promise<Sent> {
  const before = parts.turns.next();
  if (before) await before;
  const { operation, policy } = run;
  const attempt = operation.record.attempts;
  const ref = { attempt, token: operation.record.tokens[attempt - 1] ?? "" };
  const placed = placeKey(
    policy.keyPlace,
    policy.contract,
    () => dedupKey(parts.runtime.keys(), operation.id),
    run.arguments,
    run.wire,
  );
  if (!placed) {
    await parts.journal.record(operation, unsentOf(operation.record, ref));
    const detail =
      "The contract places the key in a header. Over HTTP build the transport with fetch: guardFetch(guard, { server }); over stdio there are no headers: place it in an argument or in _meta.";
    const outcome = refusedOutcome(operation.group, "key_not_placeable", detail, { operation: operation.id });
    return { kind: "answer", outcome };
  }
  const situation = situationOf(run, attempt);
  let sentAgainBelow = 0;
  const evidence = await driveAttempt(parts.runtime, parts.ledger, {
    run,
    placed,
    grantedAt: grant.grantedAt,
    holds: grant.holds,
    keep: situation.canFindOut ? Math.min(LONGEST_KEEP, run.budget.remaining() / 5) : 0,
    sentAgain: () => {
      sentAgainBelow += 1;
    },
    late: (late) => void heardLate(parts, run, ref, late, { sentAt: grant.grantedAt }),
  });
  const after = parts.turns.next();
  if (after) await after;
  const verdict = verdictOn(operation.record, classify(spokenBy(operation.record, evidence), situation));
  const recorded = await recordVerdict(parts, run, ref, verdict, evidence, {
    sentAt: grant.grantedAt,
    sentAgainBelow,
  });
  if (verdict.kind === "task") return throughTask(parts, run, grant, { verdict, evidence, ref });
  return next(parts, run, grant.basis, verdict, recorded, answerOf(evidence));
}

interface Handle extends AttemptFacts {
  readonly verdict: Extract<Verdict, { kind: "task" }>;
}
interface AttemptFacts {
  readonly evidence: WireEvidence;
  readonly ref: AttemptRef;
}

/** The server took the call on as a task: its end is the answer, if it comes while the caller waits. */
async function throughTask(parts: Parts, run: Drive, grant: Grant, { verdict, evidence, ref }: Handle): Promise<Sent> {
  const { operation, wire, marks } = run;
  const { task, pollIn } = verdict;
  let seen: TaskSeen = { kind: "nothing" };
  if (!wire.followsTasks) {
    const lease = keepLease(parts.runtime, parts.ledger, { run, grantedAt: parts.runtime.clock.monotonic() });
    seen = await followTask(parts, { ...run, waiting: lease.waiting }, task, pollAfter(pollIn)).finally(lease.stop);
  }
  if (seen.kind === "answer" || seen.kind === "lost") {
    const { verdict: end, evidence: said, recorded } = await recordTask(parts, run, seen);
    if (!end || !said) return { kind: "recover" };
    return next(parts, run, grant.basis, end, recorded, answerOf(said));
  }
  const lookIn = wire.ask ? { lookIn: pollAfter(pollIn) } : earlyLook(run.policy);
  const reason = seen.kind === "working" && seen.waits ? "task_input_required" : "task_running";
  keepTaskWire(parts.taskWires, operation.id, wire);
  await parts.journal.record(operation, { type: "doubt", ...ref, reason, answered: false, ...lookIn });
  const answer = answerOf(evidence);
  if (!wire.followsTasks || !answer) return { kind: "recover" };
  return { kind: "answer", outcome: outcomeOf(operation, { answer }, { ...marks, basis: grant.basis }) };
}

/** Time kept back from the wait for an answer, for the look or resend that may follow, in ms. */
const LONGEST_KEEP = 5_000;

function next(
  parts: Parts,
  run: Drive,
  basis: Basis,
  verdict: Verdict,
  recorded: boolean,
  answer: Answer | undefined,
): Sent {
  const { operation } = run;
  const told = (seen: Operation, more: Partial<Marks> = {}): Extract<Sent, { kind: "answer" }> => ({
    kind: "answer",
    outcome: outcomeOf(seen, answer && { answer }, { ...run.marks, ...more, basis }),
  });
  if (!recorded) return told(asRecorded(operation, verdict), { unrecorded: true });
  const { state, permit, asked } = operation.record;
  if (verdict.kind === "unsent" && asked !== undefined) {
    const detail = "The server's question is still open: bring the answer once more.";
    const outcome = refusedOutcome(operation.group, "answer_not_sent", detail, { operation: operation.id });
    return { kind: "answer", outcome };
  }
  if (isSettled(state)) return answer ? told(operation) : { kind: "answer", outcome: answerFrom(parts, run, basis) };
  if (state === "uncertain") {
    // An error of the protocol stays out: the caller of a call in doubt reads prose, never an exception.
    return { kind: "recover", ...(answer?.kind === "result" && { answer }) };
  }
  if (state === "ready" && verdict.kind === "rejected") {
    const wait = Math.max(0, (permit?.from ?? 0) - parts.runtime.storeNow());
    const { outcome } = told(asRecorded(operation, verdict));
    if (wait < run.budget.remaining()) return { kind: "again", wait, otherwise: outcome };
  }
  return told(state === "ready" ? asRecorded(operation, verdict) : operation);
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
  const reasons = { unsent: "never_sent", paused: "input_required" } as const;
  const reason = verdict.kind in reasons ? reasons[verdict.kind as keyof typeof reasons] : verdict.row;
  return { ...operation, record: { ...operation.record, state: said, reason } };
}

interface Recovered {
  readonly grant?: Grant | undefined;
  /** The server's own words, said of its task. */
  readonly said?: Answer | undefined;
}

/** The task's end where there is a task; else one look and, if that settles nothing, one resend under the contract. */
async function recoverOnce(parts: Parts, run: Drive): Promise<Recovered> {
  const { operation, budget, wire } = run;
  const { task } = operation.record;
  if (task === undefined || !wire.ask || !taskOpen(operation.record)) return { grant: await lookOrResend(parts, run) };
  // Looks and resends wait for the task's own word.
  if (budget.remaining() <= 0) return {};
  // Who wants a handle and gets none has no use for our waiting.
  const here = wire.followsTasks
    ? await askTask(parts, wire.ask, task, budget.remaining())
    : await followTask(parts, run, task, 0);
  const seen = await secondWord(parts, run, task, here);
  const { evidence } = await recordTask(parts, run, seen);
  const said = evidence && answerOf(evidence);
  if (operation.record.state === "ready") return { grant: await startAgain(parts, run), said };
  const known = here.kind === "working" || !parts.taskWires.has(operation.id);
  if (taskOpen(operation.record) && known) keepTaskWire(parts.taskWires, operation.id, wire);
  if (operation.record.state !== "uncertain" || taskOpen(operation.record)) return { said };
  return { grant: await lookOrResend(parts, run), said: said?.kind === "result" ? said : undefined };
}

/** A server may know a task only in the session, or for the sign-in, that made it: there it is asked before it is given up. */
async function secondWord(parts: Parts, { operation, wire }: Drive, task: string, here: TaskSeen): Promise<TaskSeen> {
  const own = parts.taskWires.get(operation.id);
  if (here.kind !== "lost" || !own || own === wire.ask) return here;
  const there = await askTask(parts, own, task, LONGEST_KEEP);
  return there.kind === "nothing" ? here : there;
}

async function lookOrResend(parts: Parts, run: Drive): Promise<Grant | undefined> {
  const { operation, policy, budget } = run;
  if (policy.look && budget.remaining() > 0) {
    await observe(parts, operation, policy, budget.remaining());
    if (operation.record.state === "ready") return startAgain(parts, run);
    if (operation.record.state !== "uncertain") return undefined;
  }
  if (!policy.contract || budget.remaining() <= 0 || run.signal?.aborted) return undefined;
  return resend(parts, run);
}
