import type { HttpReplies, ReplyChannel } from "./channel.ts";
import type { Committed } from "./commit.ts";
import { type Era, errorMessage, resultMessage, type ServerInfo, stampResult, statusFor } from "./eras.ts";
import type { JsonObject, RequestId, RpcError } from "./json.ts";
import type { PlainReply, Reply, TaskPlan } from "./script.ts";
import type { FaultTool } from "./tools.ts";

/** All that a reply can be made of. */
export interface ReplyContext {
  readonly channel: ReplyChannel;
  readonly id: RequestId;
  readonly era: Era;
  readonly info: ServerInfo;
  readonly tool: FaultTool;
  /** The result of a healthy call. */
  readonly healthy: JsonObject;
}

type Send = (context: ReplyContext) => void;

/** Above the 10 MB at which the SDKs give up on a line. */
const HUGE = 11 * 1024 * 1024;

/** What each plain reply does on the wire. */
export const PLAIN_REPLIES = {
  ok: (context) => sendResult(context, context.healthy),
  success_without_effect: (context) => sendResult(context, context.healthy),
  never: () => {},
  close_stream: ({ channel }) => channel.end(),
  reset: ({ channel }) => channel.reset(),
  kill_process: ({ channel }) => channel.kill(),
  schema_invalid: (context) => sendResult(context, { ...context.healthy, structuredContent: { unexpected: [true] } }),
  no_structured_content: (context) => sendResult(context, { content: context.healthy.content ?? [] }),
  shape_invalid: (context) => sendResult(context, { content: "not a list" }),
  huge: (context) => sendHuge(context, HUGE),
  wrong_id: (context) => context.channel.answer({ ...okMessage(context), id: 999_999 }),
  string_id: (context) => context.channel.answer({ ...okMessage(context), id: String(context.id) }),
  null_id_error: ({ channel }) => channel.answer(errorMessage(null, { code: -32700, message: "Parse error" })),
  extra_top_level_key: (context) => context.channel.answer({ ...okMessage(context), debug: true }),
  stdout_noise: (context) => {
    context.channel.raw("debug: about to answer");
    context.channel.answer(okMessage(context));
  },
  not_json: ({ channel, id }) => channel.raw(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result": oops}`),
  truncated: (context) => context.channel.cut(okMessage(context)),
  empty_200: ({ channel }) => httpOf(channel).status(200, { "content-type": "application/json" }, ""),
  "202": ({ channel }) => httpOf(channel).status(202, {}, ""),
  sse_end: ({ channel }) => httpOf(channel).resumable(undefined),
  sse_resume: (context) => httpOf(context.channel).resumable(okMessage(context)),
  sse_reset: ({ channel }) => httpOf(channel).stream(": working\n\n", "reset"),
  malformed_sse: ({ channel }) => httpOf(channel).stream("event: message\ndata: {oops\n\n", "end"),
} satisfies Record<PlainReply, Send>;

/** Replies that need the call itself, not only the wire; the engine plays them. */
export type PlayedReply = Extract<
  Reply,
  | { late: number }
  | { task: string | TaskPlan }
  | { input_required: string }
  | { elicitation: number }
  | { progress: object }
>;

/** Sends a reply that needs nothing but the wire. */
export function sendReply(context: ReplyContext, reply: Exclude<Reply, PlayedReply>): void {
  const { channel, tool } = context;
  if (typeof reply === "string") PLAIN_REPLIES[reply](context);
  else if ("isError" in reply) sendError(context, reply.isError);
  else if ("rpcError" in reply) sendRpcError(context, reply.rpcError);
  else if ("already_exists" in reply) sendError(context, `Already exists: ${reply.already_exists}`);
  else if ("result" in reply) sendResult(context, reply.result);
  else if ("huge" in reply) sendHuge(context, reply.huge);
  else if ("success_false" in reply) {
    sendResult(context, structured(tool, { id: "", success: false, message: reply.success_false }));
  } else if ("pending" in reply) {
    sendResult(context, structured(tool, { id: reply.pending, status: "pending" }));
  } else if ("html" in reply) {
    const page = `<html><body><h1>${reply.html}</h1></body></html>`;
    httpOf(channel).status(reply.html, { "content-type": "text/html" }, page);
  } else httpOf(channel).status(reply.status, reply.headers ?? {}, reply.body ?? "");
}

export function sendResult({ channel, id, era, info }: ReplyContext, result: JsonObject): void {
  channel.answer(resultMessage(id, stampResult(era, info, result)));
}

export function sendError(context: ReplyContext, text: string): void {
  sendResult(context, { content: [{ type: "text", text }], isError: true });
}

export function sendRpcError(
  { channel, id, era }: Pick<ReplyContext, "channel" | "id" | "era">,
  error: RpcError,
): void {
  channel.answer(errorMessage(id, error), statusFor(era, error.code));
}

/** The result of a write that went well. */
export function writeResult(tool: FaultTool, committed: Committed): JsonObject {
  return structured(tool, { id: committed.kind === "refused" ? "" : committed.reference });
}

/** A result that says the same as text and, where the tool declares an output schema, as data. */
export function structured(tool: FaultTool, data: JsonObject): JsonObject {
  const content = [{ type: "text", text: JSON.stringify(data) }];
  return tool.outputSchema === undefined ? { content } : { content, structuredContent: data };
}

function okMessage({ id, era, info, healthy }: ReplyContext): JsonObject {
  return resultMessage(id, stampResult(era, info, healthy));
}

function sendHuge(context: ReplyContext, bytes: number): void {
  sendResult(context, { ...context.healthy, content: [{ type: "text", text: "x".repeat(bytes) }] });
}

function httpOf({ http }: ReplyChannel): HttpReplies {
  if (http === undefined) throw new Error("This reply exists only over HTTP.");
  return http;
}
