/**
 * Tasks: a server may take a call on and give a handle instead of a result. What it says about the handle later is read
 * here. Only the task's own end is an answer; that it was cancelled or forgotten proves nothing about its effect.
 */
import type { OperationRecord } from "./record.ts";
import type { JsonObject, JsonValue, WireEvidence } from "./terms.ts";

export type TaskSeen =
  /** Not at its end. `pollIn`: when the server wants to be asked again, in ms. */
  | { readonly kind: "working"; readonly waits?: TaskWaits; readonly pollIn?: number }
  /** Its end, as if it were the answer to the call. */
  | { readonly kind: "answer"; readonly evidence: WireEvidence }
  /** It ended; the result has to be asked for (`tasks/result`, 2025 era). */
  | { readonly kind: "ended" }
  /** No end will come: cancelled, or the server does not know it (any more). */
  | { readonly kind: "lost"; readonly reason: "task_cancelled" | "task_unknown" }
  /** The server could not be asked, or said nothing of use. */
  | { readonly kind: "nothing" };

/**
 * It waits for input, and does nothing until then. `questions`: they come with `tasks/result` and are answered like any
 * question of the server (2025 era). `update`: whoever follows the task sends `tasks/update` (2026 era).
 */
export type TaskWaits = "questions" | "update";

/** Longer handles are not kept: a record stays small. */
export const LONGEST_TASK_ID = 512;
const SHORTEST_POLL = 50;
const LONGEST_POLL = 60_000;
const USUAL_POLL = 1_000;

/** A handle is on record and its end is not known: nothing that looks at absence may count meanwhile. */
export const taskOpen = ({ task, taskOver }: Pick<OperationRecord, "task" | "taskOver">): boolean =>
  task !== undefined && taskOver !== true;

/** When to ask again, within reason whatever the server wishes. */
export const pollAfter = (wish: number | undefined): number =>
  Math.min(LONGEST_POLL, Math.max(SHORTEST_POLL, wish ?? USUAL_POLL));

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The pause that the server wished for when it made the task, or when it was asked: `pollInterval` or `pollIntervalMs`. */
export function pollWish(result: JsonObject): number | undefined {
  const task = isObject(result.task) ? result.task : result;
  const wish = task.pollIntervalMs ?? task.pollInterval;
  return typeof wish === "number" && Number.isFinite(wish) && wish >= 0 ? wish : undefined;
}

/** Codes by which a server says that there is no such task, or no such question. */
const UNKNOWN = [-32601, -32602, -32002];

/** What the answer to `tasks/get` says. */
export function readTask(task: string, evidence: WireEvidence): TaskSeen {
  if (evidence.kind === "rpc_error") {
    const knows = evidence.id !== "ours" || !UNKNOWN.includes(evidence.code);
    return knows ? { kind: "nothing" } : { kind: "lost", reason: "task_unknown" };
  }
  if (evidence.kind !== "result") return { kind: "nothing" };
  const { taskId, status, result, error, inputRequests } = evidence.result;
  if (taskId !== undefined && taskId !== task) return { kind: "nothing" };
  const pollIn = pollWish(evidence.result);
  switch (status) {
    case "working":
    case "input_required":
      return {
        kind: "working",
        ...(status === "input_required" && { waits: isObject(inputRequests) ? "update" : "questions" }),
        ...(pollIn !== undefined && { pollIn }),
      };
    case "cancelled":
      return { kind: "lost", reason: "task_cancelled" };
    case "completed":
      return isObject(result) ? endOf(result) : { kind: "ended" };
    case "failed":
      return isObject(error) ? { kind: "answer", evidence: failure(error) } : { kind: "ended" };
    default:
      return { kind: "nothing" };
  }
}

/** What the answer to `tasks/result` says. The server has said before that the task ended. */
export function readTaskResult(evidence: WireEvidence): TaskSeen {
  if (evidence.kind === "result") return endOf(evidence.result);
  if (evidence.kind !== "rpc_error" || evidence.id !== "ours") return { kind: "nothing" };
  if (UNKNOWN.includes(evidence.code)) return { kind: "lost", reason: "task_unknown" };
  const { code, message, data } = evidence;
  return { kind: "answer", evidence: failure({ code, message, ...(data !== undefined && { data }) }) };
}

/** A task that ends in another task, or asks for input as its result, has not said how it ended. */
const endOf = (result: JsonObject): TaskSeen =>
  (result.resultType ?? "complete") === "complete" &&
  (Array.isArray(result.content) || isObject(result.structuredContent))
    ? { kind: "answer", evidence: { kind: "result", result } }
    : { kind: "nothing" };

/**
 * A task that failed had begun: whatever its error's code says, it proves nothing about the effect. So it becomes what a
 * tool error is, and its code stays readable for the operator's `toolErrors`.
 */
function failure(error: JsonObject): WireEvidence {
  const text = typeof error.message === "string" && error.message !== "" ? error.message : "The task failed.";
  const { code = null, data } = error;
  const facts: JsonObject = { code, ...(data !== undefined && { data }) };
  return { kind: "result", result: { content: [{ type: "text", text }], isError: true, error: facts } };
}
