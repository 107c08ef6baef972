/** What a server says about its task, read: only the task's own end is an answer. */
import { expect, it } from "vitest";
import { readTask, readTaskResult } from "../../src/core/tasks.ts";
import type { JsonObject, WireEvidence } from "../../src/core/terms.ts";

const says = (result: JsonObject): WireEvidence => ({ kind: "result", result: { taskId: "t-1", ...result } });
const error = (code: number, id: "ours" | "other" = "ours"): WireEvidence => ({
  kind: "rpc_error",
  code,
  message: "no",
  id,
});
const content = [{ type: "text", text: "done" }];

it.each([
  ["working", says({ status: "working" }), { kind: "working" }],
  ["working, with a pause", says({ status: "working", pollInterval: 70 }), { kind: "working", pollIn: 70 }],
  ["waiting, 2025 era", says({ status: "input_required" }), { kind: "working", waits: "questions" }],
  ["waiting, 2026 era", says({ status: "input_required", inputRequests: {} }), { kind: "working", waits: "update" }],
  ["completed, 2026 era", says({ status: "completed", result: { content } }), { kind: "answer" }],
  ["completed, 2025 era", says({ status: "completed" }), { kind: "ended" }],
  ["completed, but it asks", says({ status: "completed", result: { resultType: "task" } }), { kind: "nothing" }],
  ["failed, 2025 era", says({ status: "failed" }), { kind: "ended" }],
  ["cancelled", says({ status: "cancelled" }), { kind: "lost", reason: "task_cancelled" }],
  ["unknown or expired", error(-32602), { kind: "lost", reason: "task_unknown" }],
  ["an error that is not about this question", error(-32602, "other"), { kind: "nothing" }],
  ["an internal error", error(-32603), { kind: "nothing" }],
  ["another task", says({ taskId: "t-2", status: "completed", result: { content } }), { kind: "nothing" }],
  ["a status of tomorrow", says({ status: "paused" }), { kind: "nothing" }],
  ["silence", { kind: "silence", cause: "deadline" } satisfies WireEvidence, { kind: "nothing" }],
] as const)("tasks/get: %s", (_what, evidence, seen) => {
  const read = readTask("t-1", evidence);
  expect(read.kind === "answer" ? { kind: read.kind } : read).toEqual(seen);
});

it("a task that failed is a tool error whatever its code says: it had begun", () => {
  const seen = readTask("t-1", says({ status: "failed", error: { code: -32601, message: "no such thing" } }));
  expect(seen).toMatchObject({ kind: "answer", evidence: { kind: "result", result: { isError: true } } });
  expect(readTaskResult(error(-32603))).toMatchObject({ kind: "answer", evidence: { result: { isError: true } } });
});

it("tasks/result: a result is the answer, an unknown task is lost", () => {
  expect(readTaskResult(says({ content }))).toMatchObject({ kind: "answer" });
  expect(readTaskResult(error(-32602))).toEqual({ kind: "lost", reason: "task_unknown" });
});
