/** Callers that follow their tasks themselves: what the server tells them of the end is the answer to the call. */
import { evidenceOfAnswer } from "./evidence.ts";
import { type Frame, isObject } from "./frames.ts";
import type { CallHost } from "./guarded-call.ts";

const MOST = 10_000;

/** A caller got the handle in this frame. */
export function handleGiven({ tasks }: CallHost, { result }: Frame, operation: string): void {
  const task = isObject(result) && isObject(result.task) ? result.task : result;
  if (!isObject(task) || typeof task.taskId !== "string") return;
  tasks.set(task.taskId, operation);
  const [oldest] = tasks.keys();
  if (tasks.size > MOST && oldest !== undefined) tasks.delete(oldest);
}

export interface AskedTask {
  readonly method: "tasks/get" | "tasks/result";
  readonly task: string;
  readonly operation: string;
}

/** The caller's own question about a task whose handle it got here. */
export function askedTask({ tasks }: CallHost, { method, params }: Frame): AskedTask | undefined {
  if (method !== "tasks/get" && method !== "tasks/result") return undefined;
  const task = params?.taskId;
  const operation = typeof task === "string" ? tasks.get(task) : undefined;
  return operation === undefined ? undefined : { method, task: task as string, operation };
}

export function taskAnswered({ guard }: CallHost, { operation, ...question }: AskedTask, answer: Frame): void {
  guard.taskHeard(operation, question, evidenceOfAnswer(answer));
}
