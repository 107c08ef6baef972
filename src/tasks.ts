/**
 * Follows tasks: asks the server how the call ended that it took on. Within the caller's time where a caller waits, later
 * by recovery, in any process that has a connection to the server. Asking never writes.
 */
import { type Budget, budget as newBudget } from "./budget.ts";
import type { ToolPolicy } from "./config.ts";
import { classify } from "./core/classification.ts";
import type { Verdict } from "./core/classification-table.ts";
import type { TaskReason } from "./core/lifecycle-events.ts";
import { probeFail } from "./core/looks.ts";
import { pollAfter, readTask, readTaskResult, type TaskSeen, taskOpen } from "./core/tasks.ts";
import { isDoubt, isSettled, type WireEvidence } from "./core/terms.ts";
import type { Drive } from "./drive-api.ts";
import type { Parts } from "./guard-parts.ts";
import type { Operation } from "./operation.ts";
import { openPayload } from "./payload.ts";
import type { AskTask } from "./task-wires.ts";
import { type AttemptRef, earlyLook, recordVerdict, situationOf } from "./verdicts.ts";
import type { TaskQuestion, Wire } from "./wire.ts";

/** A question that is not answered by then was not answered, in ms. */
const LONGEST_ASK = 10_000;

/** What one question of the caller's, or of recovery, may use. */
export interface Asker {
  readonly wire: Wire;
  readonly budget: Budget;
  readonly signal?: AbortSignal;
  /** Told whether the task waits for a person. */
  waiting?(yes: boolean): void;
}

/** One question, two where the result has to be fetched. Never rejects. @param within ms */
export async function askTask({ runtime }: Parts, way: AskTask, task: string, within: number): Promise<TaskSeen> {
  const stop = new AbortController();
  let cancel = () => {};
  const tooLong = new Promise<WireEvidence>((resolve) => {
    cancel = runtime.clock.after(within, () => {
      stop.abort();
      resolve({ kind: "silence", cause: "deadline" });
    });
  });
  const ask = async (method: TaskQuestion["method"]): Promise<WireEvidence> => {
    const silent: WireEvidence = { kind: "silence", cause: "transport_error" };
    const asked = way({ method, task, cancel: stop.signal }).catch(() => silent);
    return Promise.race([asked, tooLong]);
  };
  try {
    const seen = readTask(task, await ask("tasks/get"));
    return seen.kind === "ended" ? readTaskResult(await ask("tasks/result")) : seen;
  } finally {
    cancel();
  }
}

/** Asks until the task's end or the caller's. @param pause ms before the first question */
export async function followTask(parts: Parts, asker: Asker, task: string, pause: number): Promise<TaskSeen> {
  const { wire, budget, signal } = asker;
  let seen: TaskSeen = { kind: "nothing" };
  const { ask } = wire;
  if (!ask) return seen;
  const input = bringQuestions(asker, task);
  let wait = pause;
  for (let silent = 0; ; ) {
    if (wait > 0 && !(await budget.sleep(wait, signal))) return seen;
    if (budget.remaining() <= 0 || signal?.aborted) return seen;
    const raced = await budget.race(askTask(parts, ask, task, Math.min(LONGEST_ASK, budget.remaining())), signal);
    if (raced.kind !== "value") return seen;
    seen = raced.value;
    input(seen);
    if (seen.kind === "answer" || seen.kind === "lost") return seen;
    silent = seen.kind === "nothing" ? silent + 1 : 0;
    wait = pollAfter(seen.kind === "working" ? seen.pollIn : 500 * 2 ** silent);
  }
}

/**
 * A task that waits for input gets to its person: the questions come with `tasks/result`, and the caller's clock stands
 * still. Where the caller would have to answer by `tasks/update`, nobody here can, and the clock goes on.
 */
function bringQuestions({ wire, budget, waiting }: Asker, task: string): (seen: TaskSeen) => void {
  let asking = false;
  return (seen) => {
    const waits = seen.kind === "working" && seen.waits === "questions";
    budget.waiting(waits);
    waiting?.(waits);
    if (!waits || asking) return;
    asking = true;
    // Never cancelled: the person may answer when our caller has left.
    const asked = wire.ask?.({ method: "tasks/result", task, cancel: new AbortController().signal });
    const over = () => {
      asking = false;
    };
    asked?.then(over, over);
  };
}

export interface TaskWord {
  /** What the task's end means, where it ended. */
  readonly verdict?: Verdict;
  readonly evidence?: WireEvidence;
  /** False: the store was gone; it went into the journal. */
  readonly recorded: boolean;
}

/** Writes down what was seen. A task that still runs changes nothing while its attempt is driven. */
export async function recordTask(parts: Parts, run: Drive, seen: TaskSeen): Promise<TaskWord> {
  const word = await record(parts, run, seen);
  const { id, record: now } = run.operation;
  if (!taskOpen(now)) parts.taskWires.delete(id);
  return word;
}

async function record(parts: Parts, run: Drive, seen: TaskSeen): Promise<TaskWord> {
  const { operation, policy } = run;
  const ref = newestOf(operation);
  switch (seen.kind) {
    case "working":
      if (isDoubt(operation.record.state)) await stillWorking(parts, operation, seen);
      return { recorded: true };
    case "lost": {
      const event = { type: "task_lost", ...ref, reason: seen.reason, answered: false, ...earlyLook(policy) } as const;
      return { recorded: await parts.journal.record(operation, event) };
    }
    case "answer": {
      const { evidence } = seen;
      const verdict = classify(evidence, situationOf(run, ref.attempt));
      if (isEnd(verdict)) {
        const sentAt = parts.runtime.clock.monotonic() - (parts.runtime.storeNow() - operation.record.issuedAt);
        return { verdict, evidence, recorded: await recordVerdict(parts, run, ref, verdict, evidence, { sentAt }) };
      }
      const event = { type: "task_lost", ...ref, reason: verdict.row, answered: true, ...earlyLook(policy) } as const;
      return { verdict, evidence, recorded: await parts.journal.record(operation, event) };
    }
    default:
      return { recorded: true };
  }
}

const isEnd = ({ kind }: Verdict): boolean =>
  ["succeeded", "answered_error", "rejected", "already_there"].includes(kind);

/** The task is of the attempt that was made last: a later send drops it. */
const newestOf = ({ record }: Operation): AttemptRef => ({
  attempt: record.attempts,
  token: record.tokens[record.attempts - 1] ?? "",
});

type Working = Extract<TaskSeen, { kind: "working" }>;

async function stillWorking(parts: Parts, operation: Operation, { waits, pollIn }: Working): Promise<void> {
  const next = pollAfter(pollIn);
  if (await overdue(parts, operation, waits ? "task_input_required" : "task_overdue", next)) return;
  const waiting = waits !== undefined && { waiting: true };
  await parts.ledger.move(operation, { type: "task_working", ...newestOf(operation), pollIn: next, ...waiting });
}

/** It runs longer than the operator allows: a person should know. */
async function overdue(parts: Parts, operation: Operation, reason: TaskReason, pollIn: number): Promise<boolean> {
  const event = { type: "task_overdue", ...newestOf(operation), reason, pollIn } as const;
  return (await parts.ledger.move(operation, event)).kind === "moved";
}

/**
 * Recovery's step for an operation whose task may still run.
 * @returns `elsewhere`: this process cannot ask, or got no word, and may look by other means; `not_here`: it needs a connection
 */
export async function stepTask(
  parts: Parts,
  operation: Operation,
  policy: ToolPolicy,
): Promise<"done" | "not_here" | "elsewhere"> {
  const { links, ledger, taskWires } = parts;
  const { id, group } = operation;
  const { task, principal } = operation.record;
  const link = links.any(group.server, principal);
  const ways = [taskWires.get(id), link?.ask].filter((way) => way !== undefined);
  for (const way of ways) {
    const seen = task === undefined ? undefined : await askTask(parts, way, task, policy.lookWithin);
    if (!seen || seen.kind === "nothing") continue;
    await recordTask(parts, await runFromRecord(parts, operation, policy), seen);
    return "done";
  }
  if (await overdue(parts, operation, "task_not_asked", pollAfter(Number.POSITIVE_INFINITY))) return "done";
  if (policy.look || (link && ways.length === 0)) return "elsewhere";
  if (ways.length === 0 || operation.record.state !== "uncertain") return "not_here";
  const { probes = 0, limits } = operation.record;
  if (probes >= limits.maxProbes) await ledger.move(operation, { type: "escalate", reason: "task_not_asked" });
  if (operation.record.state === "uncertain")
    await ledger.move(operation, probeFail(operation.record, "probe_unclear"));
  return "done";
}

/** The caller that follows its task was told its end: that is the answer, and it was handed over. */
export async function heardTask(
  parts: Parts,
  id: string,
  { method, task }: Pick<TaskQuestion, "method" | "task">,
  answer: WireEvidence,
): Promise<void> {
  const seen = method === "tasks/get" ? readTask(task, answer) : readTaskResult(answer);
  // A server of the 2026 era knows no `tasks/result`: that says nothing of the task.
  if (seen.kind !== "answer" && (seen.kind !== "lost" || method !== "tasks/get")) return;
  const { operation } = await parts.ledger.load(id);
  if (!operation) return;
  const { server, tool } = operation.group;
  if (operation.record.task === task) {
    const stored = openPayload(parts.runtime.keys(), id, operation.payload);
    const policy = parts.runtime.settings.policy(server, tool, stored?.arguments);
    await recordTask(parts, await runFromRecord(parts, operation, policy), seen);
  }
  if (isSettled(operation.record.state)) parts.ledger.deliver(operation);
}

const NO_WAY: Wire = { headers: false, send: async () => ({ kind: "not_sent", cause: "not_connected" }) };

/** The answer is read in the light of the arguments that were sent: as far as they are kept. */
async function runFromRecord(parts: Parts, operation: Operation, policy: ToolPolicy): Promise<Drive> {
  const { operation: fresh } = await parts.ledger.load(operation.id);
  if (fresh) Object.assign(operation, { ...fresh, queue: operation.queue });
  const stored = openPayload(parts.runtime.keys(), operation.id, operation.payload);
  return {
    operation,
    policy,
    arguments: stored?.arguments ?? {},
    wire: NO_WAY,
    budget: newBudget(parts.runtime.clock, 0, 0),
    marks: {},
  };
}
