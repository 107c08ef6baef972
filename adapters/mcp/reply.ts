/** An outcome as the JSON-RPC response that the client waits for. */

import type { GuardedCalls } from "../../src/entries/wire.ts";
import type { JsonObject, JsonValue, Outcome } from "../../src/index.ts";
import { isModern, isObject, isTask, withId } from "./frames.ts";
import type { Call, Received } from "./guarded-call.ts";

/** What a task-augmented call gets instead of a tool result: a task was asked for, and there is none. */
const TASK_NOT_AVAILABLE = -32603;

export function replyFor(guard: GuardedCalls, call: Call, outcome: Outcome): Received {
  const request = call.waiter.frame;
  const { id } = request;
  if ("answer" in outcome && outcome.answer?.kind === "error") {
    const { code, message, data } = outcome.answer;
    return { frame: { jsonrpc: "2.0", id, error: { code, message, ...(data !== undefined && { data }) } } };
  }
  const result = guard.toolResult(outcome);
  const original = call.received.get(result);
  if (original) return { frame: withId(original.frame, id), passedOn: original.passedOn };
  if (isTask(request) && !isObject(result.task)) {
    const error = { code: TASK_NOT_AVAILABLE, message: proseOf(result), data: result._meta ?? {} };
    return { frame: { jsonrpc: "2.0", id, error } };
  }
  const complete = isModern(request) && result.resultType === undefined ? { resultType: "complete" } : {};
  return { frame: { jsonrpc: "2.0", id, result: { ...complete, ...result } } };
}

/** The text blocks of a tool result. */
function proseOf(result: JsonObject): string {
  const blocks: JsonValue[] = Array.isArray(result.content) ? result.content : [];
  return blocks.flatMap((block) => (isObject(block) && typeof block.text === "string" ? [block.text] : [])).join("\n");
}
