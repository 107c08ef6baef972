/** Tasks of the fault server, in the words of both eras. They live in memory: a server that starts anew has none. */
import { errorMessage } from "./eras.ts";
import type { JsonObject } from "./json.ts";
import { INPUT_REQUESTS } from "./questions.ts";
import { type ReplyContext, sendResult, sendRpcError } from "./replies.ts";
import type { TaskPlan } from "./script.ts";
import type { FaultTool } from "./tools.ts";

type Asked = Pick<ReplyContext, "channel" | "id" | "era" | "info">;

interface Task {
  readonly plan: TaskPlan;
  result: JsonObject;
  /** Its work is over, as far as the plan says anything about that. */
  done(): boolean;
  cancelled: boolean;
  /** It waits for input; to be called when that is there. */
  given?: (() => void) | undefined;
}

export interface Tasks {
  /** Takes a call on, answers it with the handle, and resolves when it was given its input. */
  ask(context: ReplyContext, plan: TaskPlan): Promise<void>;
  /** Takes a call on and answers it with the handle; one that asked has it. */
  create(context: ReplyContext, plan: TaskPlan, done: () => boolean): void;
  get(asked: Asked, taskId: string): void;
  result(asked: Asked, taskId: string): Promise<void>;
  update(asked: Asked, taskId: string): void;
  cancel(asked: Asked, taskId: string): void;
}

/** Asks the person on this channel. @returns whether they agreed */
type Elicit = (channel: ReplyContext["channel"], meta: JsonObject) => Promise<boolean>;

const NO_TOOL: FaultTool = { effect: "write", name: "tasks", inputSchema: { type: "object" } };
const FAILED = { code: -32603, message: "The work broke off." };

export function createTasks(closing: AbortSignal, elicit: Elicit): Tasks {
  const tasks = new Map<string, Task>();

  const say = (asked: Asked, result: JsonObject): void => sendResult({ ...asked, healthy: {}, tool: NO_TOOL }, result);
  const unknown = (asked: Asked, taskId: string): void =>
    sendRpcError(asked, { code: -32602, message: `Unknown task: ${taskId}` });

  function known(asked: Asked, taskId: string): Task | undefined {
    const task = tasks.get(taskId);
    if (task && task.plan.ends !== "forgotten") return task;
    unknown(asked, taskId);
    return undefined;
  }

  function take(context: ReplyContext, task: Task): void {
    tasks.set(task.plan.id, task);
    const handle = stateOf(context.era, task.plan, statusOf(task));
    sendResult(context, context.era === "2025-11-25" ? { task: handle } : { resultType: "task", ...handle });
  }

  function given(task: Task): void {
    const { given } = task;
    task.given = undefined;
    given?.();
  }

  return {
    ask: (context, plan) =>
      new Promise((resolve) =>
        take(context, { plan, result: {}, done: () => false, cancelled: false, given: resolve }),
      ),
    create(context, plan, done) {
      const asked = plan.asks ? tasks.get(plan.id) : undefined;
      if (asked) Object.assign(asked, { result: context.healthy, done });
      else take(context, { plan, result: context.healthy, done, cancelled: false });
    },
    get(asked, taskId) {
      const task = known(asked, taskId);
      if (!task) return;
      const status = statusOf(task);
      say(asked, {
        ...stateOf(asked.era, task.plan, status),
        ...(asked.era === "2026-07-28" && inlined(task, status)),
      });
    },
    async result(asked, taskId) {
      const task = asked.era === "2026-07-28" ? undefined : known(asked, taskId);
      if (asked.era === "2026-07-28")
        return void asked.channel.answer(
          errorMessage(asked.id, { code: -32601, message: "Method not found: tasks/result" }),
        );
      if (!task) return;
      const _meta = { "io.modelcontextprotocol/related-task": { taskId } };
      if (task.given) void elicit(asked.channel, _meta).then((yes) => yes && given(task));
      while (["working", "input_required"].includes(statusOf(task)) && !closing.aborted)
        await new Promise((resolve) => setTimeout(resolve, 10));
      if (statusOf(task) === "cancelled")
        return sendRpcError(asked, { code: -32000, message: "The task was cancelled." });
      if (task.plan.ends === "failed") return sendRpcError(asked, FAILED);
      say(asked, { ...endOf(task), _meta });
    },
    update(asked, taskId) {
      const task = known(asked, taskId);
      if (!task) return;
      given(task);
      say(asked, {});
    },
    cancel(asked, taskId) {
      const task = known(asked, taskId);
      if (!task) return;
      task.cancelled = true;
      say(asked, asked.era === "2025-11-25" ? stateOf(asked.era, task.plan, "cancelled") : {});
    },
  };
}

type Status = "working" | "input_required" | "completed" | "failed" | "cancelled";

function statusOf({ plan, done, cancelled, given }: Task): Status {
  if (cancelled || (done() && plan.ends === "cancelled")) return "cancelled";
  if (given) return "input_required";
  if (!done() || plan.ends === "never") return "working";
  return plan.ends === "failed" ? "failed" : "completed";
}

function inlined(task: Task, status: Status): JsonObject {
  if (status === "input_required") return { inputRequests: INPUT_REQUESTS };
  return status === "completed" ? { result: endOf(task) } : status === "failed" ? { error: FAILED } : {};
}

const endOf = ({ plan, result }: Task): JsonObject =>
  plan.ends === "tool_error" ? { content: [{ type: "text", text: "It did not work out." }], isError: true } : result;

function stateOf(era: Asked["era"], { id, poll = 50 }: TaskPlan, status: Status): JsonObject {
  const now = new Date().toISOString();
  const times = { taskId: id, status, createdAt: now, lastUpdatedAt: now };
  return era === "2025-11-25"
    ? { ...times, ttl: 60_000, pollInterval: poll }
    : { ...times, ttlMs: 60_000, pollIntervalMs: poll };
}
