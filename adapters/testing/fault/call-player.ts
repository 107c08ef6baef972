import { randomUUID } from "node:crypto";
import type { ReplyChannel } from "./channel.ts";
import { type Committed, createCommitter, elapsed } from "./commit.ts";
import { lookUp } from "./destination.ts";
import type { Arrival, EffectLog } from "./effect-log.ts";
import { type JsonObject, objectAt, type RequestId } from "./json.ts";
import { CONFIRMATION, INPUT_REQUESTS } from "./questions.ts";
import {
  type ReplyContext,
  sendError,
  sendReply,
  sendResult,
  sendRpcError,
  structured,
  writeResult,
} from "./replies.ts";
import type { Settings } from "./run-directory.ts";
import { eraOfReply, type ResolvedStep, type TaskPlan } from "./script.ts";
import { createTasks, type Tasks } from "./tasks.ts";
import { type FaultTool, missingArgument, type ReadTool } from "./tools.ts";

/** One accepted `tools/call` and the step that it takes. */
export interface PlayedCall {
  readonly arrival: Arrival;
  readonly number: number;
  readonly tool: FaultTool;
  readonly step: ResolvedStep;
  readonly settings: Settings;
  readonly channel: ReplyChannel;
}

/** Plays steps: commits, waits, and sends the reply. */
export interface CallPlayer {
  play(call: PlayedCall): Promise<void>;
  cancel(requestId: RequestId, session: string | undefined): void;
  /** The client's answer to a request of the server. */
  answered(askId: string, message: JsonObject): void;
  readonly tasks: Tasks;
  idle(): Promise<void>;
  close(): void;
}

export function createCallPlayer(log: EffectLog): CallPlayer {
  const committer = createCommitter(log);
  const closing = new AbortController();
  const stops = new Map<string, AbortController>();
  const asks = new Map<string, (answer: JsonObject) => void>();
  const tasks = createTasks(closing.signal, (channel, meta) => consent(channel, meta));

  async function play(call: PlayedCall): Promise<void> {
    const { tool, step, arrival, settings } = call;
    const missing = step.reply === "ok" ? missingArgument(tool, arrival.arguments) : undefined;
    const context = contextOf(call, {});
    if (missing !== undefined) return sendRpcError(context, { code: -32602, message: `Missing argument: ${missing}` });
    const onlyIn = eraOfReply(step.reply);
    if (onlyIn !== undefined && onlyIn !== arrival.era) {
      return sendRpcError(context, { code: -32603, message: `This scripted reply exists only in the ${onlyIn} era.` });
    }
    if (tool.effect === "read") return await read(call, tool, settings);
    if (typeof step.reply === "object" && "input_required" in step.reply && arrival.requestState === undefined) {
      return askForInput(call, step.reply.input_required);
    }
    if (
      typeof step.reply === "object" &&
      "elicitation" in step.reply &&
      !(await Promise.race([consent(call.channel), elapsed(step.reply.elicitation, closing.signal).then(() => false)]))
    ) {
      return sendError(context, "Not confirmed; nothing was done.");
    }
    const plan = taskPlanOf(step);
    if (plan?.asks) await tasks.ask(context, plan);
    await write(call);
  }

  async function write(call: PlayedCall): Promise<void> {
    const { tool, step, arrival, number, settings } = call;
    if (tool.effect !== "write") return;
    const pending = typeof step.reply === "object" && "pending" in step.reply;
    const committed = await committer.commit(
      { tool, arrival, number, signal: stopOf(call), ...(pending ? { status: "pending" } : {}) },
      step.commit,
      settings.destination,
    );
    if (committed.kind === "refused") return sendError(contextOf(call, {}), committed.reason);
    await reply(call, writeResult(tool, committed), committed);
  }

  async function read(call: PlayedCall, tool: ReadTool, settings: Settings): Promise<void> {
    const { arrival, number } = call;
    const found = lookUp(log, settings.destination, tool, arrival.arguments);
    log.append({
      kind: "read",
      at: Date.now(),
      tool: tool.name,
      arguments: arrival.arguments,
      arrival: number,
      found: found?.length ?? 0,
      failed: found === undefined,
    });
    if (found === undefined) return sendError(contextOf(call, {}), "The lookup failed.");
    const healthy = { ...structured(tool, { [tool.as]: found }), structuredContent: { [tool.as]: found } };
    await reply(call, healthy, { kind: "nothing", reference: "" });
  }

  async function reply(call: PlayedCall, healthy: JsonObject, committed: Committed): Promise<void> {
    const context = contextOf(call, healthy);
    const { reply: verb } = call.step;
    if (typeof verb !== "object") sendReply(context, verb);
    else if ("late" in verb) {
      if (await elapsed(verb.late, closing.signal)) sendResult(context, healthy);
    } else if ("progress" in verb) {
      if (await reportProgress(call, verb.progress)) sendResult(context, healthy);
    } else if ("task" in verb) {
      const done = (): boolean =>
        committed.kind !== "applied" || log.effects().some(({ arrival }) => arrival === call.number);
      tasks.create(context, taskPlanOf(call.step) as TaskPlan, done);
    } else if ("input_required" in verb || "elicitation" in verb) {
      sendResult(context, healthy);
    } else {
      sendReply(context, verb);
    }
  }

  function askForInput(call: PlayedCall, requestState: string): void {
    sendResult(contextOf(call, {}), { resultType: "input_required", inputRequests: INPUT_REQUESTS, requestState });
  }

  async function consent(channel: ReplyChannel, meta?: JsonObject): Promise<boolean> {
    const id = `ask-${randomUUID()}`;
    const answer = new Promise<JsonObject>((resolve) => asks.set(id, resolve));
    const params = { ...CONFIRMATION, ...(meta && { _meta: meta }) };
    channel.notify({ jsonrpc: "2.0", id, method: "elicitation/create", params });
    const said = await answer;
    asks.delete(id);
    return objectAt(said, "result").action === "accept";
  }

  async function reportProgress(call: PlayedCall, progress: { every: number; for: number }): Promise<boolean> {
    const progressToken = call.arrival.meta.progressToken;
    for (let passed = progress.every; passed < progress.for; passed += progress.every) {
      if (!(await elapsed(progress.every, closing.signal))) return false;
      if (progressToken === undefined) continue;
      const params = { progressToken, progress: passed, total: progress.for };
      call.channel.notify({ jsonrpc: "2.0", method: "notifications/progress", params });
    }
    return await elapsed(progress.every, closing.signal);
  }

  function stopOf(call: PlayedCall): AbortSignal {
    if (call.step.cancel === "ignore") return closing.signal;
    const stop = new AbortController();
    stops.set(callSlot(call.arrival.requestId, call.arrival.session), stop);
    return AbortSignal.any([closing.signal, stop.signal]);
  }

  return {
    play,
    cancel: (requestId, session) => stops.get(callSlot(requestId, session))?.abort(),
    answered: (askId, message) => asks.get(askId)?.(message),
    tasks,
    idle: committer.idle,
    close: () => closing.abort(),
  };
}

function taskPlanOf({ reply }: ResolvedStep): TaskPlan | undefined {
  if (typeof reply !== "object" || !("task" in reply)) return undefined;
  return typeof reply.task === "string" ? { id: reply.task } : reply.task;
}

function contextOf({ channel, arrival, settings, tool }: PlayedCall, healthy: JsonObject): ReplyContext {
  return { channel, id: arrival.requestId, era: arrival.era, info: settings.serverInfo, tool, healthy };
}

function callSlot(requestId: RequestId, session: string | undefined): string {
  return `${session ?? ""} ${JSON.stringify(requestId)}`;
}
