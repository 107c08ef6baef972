/** One turn of a loop of your own: the calls of the model in, their results out, nothing lost and nothing doubled. */
import { type CallContext, isIndoubtError, withCallContext } from "../../../src/index.ts";
import { type AnthropicToolResult, type AnthropicTurn, anthropic } from "./anthropic.ts";
import { type ChatToolMessage, type ChatTurn, openaiChat } from "./openai-chat.ts";
import { type FunctionCallOutput, openaiResponses, type ResponsesTurn } from "./openai-responses.ts";
import {
  answerOf,
  type CallTool,
  type Dialect,
  said,
  type ToolAnswer,
  type ToolClient,
  type WantedCall,
} from "./turn.ts";

export interface RunToolCallsOptions
  extends Omit<CallContext, "toolCallId" | "operationId" | "expect" | "confirmRepeatOf"> {
  /**
   * Names the run of the agent. With it the ids of the calls count: a run that is resumed gets the results on record.
   * @default none: a call is known by its arguments
   * @example "run_2026-11-30_17"
   */
  readonly runId?: string;
  /**
   * Names the turn, where call ids come again in later turns.
   * @default the id of the message or response, where it has one
   * @example String(messages.length)
   */
  readonly turnId?: string;
  /**
   * `in_order`: one after the other, so that A, B, A are three effects; equal neighbours run together and share one.
   * `together`: all at once; equal calls share one effect, wherever they stand.
   * @default "in_order"
   * @example "together"
   */
  readonly run?: "in_order" | "together";
  /**
   * Hears of a call that ended with an exception: the guard failed, or the host has to act, for instance to sign in. The
   * model reads that it is not known what happened; the other calls go on.
   * @default nobody
   * @example (error, call) => log.error({ error, call })
   */
  readonly onError?: (error: unknown, call: { readonly id: string; readonly name: string }) => void;
}

/**
 * Runs the tool calls of one model turn and returns the blocks for the next request: one per call, in the order of the
 * calls, each with the id of its call. Never rejects for a call: doubt, refusals and exceptions become results.
 *
 * @param turn an assistant message of Anthropic, an assistant message of OpenAI Chat, or a response of OpenAI Responses
 * @param tools a guarded client, or a function that routes to several
 * @example
 * const results = await runToolCalls(message, billing, { runId });
 * messages.push({ role: "assistant", content: message.content }, { role: "user", content: results });
 */
export function runToolCalls(
  turn: AnthropicTurn,
  tools: ToolClient | CallTool,
  options?: RunToolCallsOptions,
): Promise<AnthropicToolResult[]>;
export function runToolCalls(
  turn: ResponsesTurn,
  tools: ToolClient | CallTool,
  options?: RunToolCallsOptions,
): Promise<FunctionCallOutput[]>;
export function runToolCalls(
  turn: ChatTurn,
  tools: ToolClient | CallTool,
  options?: RunToolCallsOptions,
): Promise<ChatToolMessage[]>;
export function runToolCalls(
  turn: AnthropicTurn | ResponsesTurn | ChatTurn,
  tools: ToolClient | CallTool,
  options: RunToolCallsOptions = {},
): Promise<unknown[]> {
  if ("output" in turn) return runAll(openaiResponses(turn), tools, options);
  if ("tool_calls" in turn || !("content" in turn)) return runAll(openaiChat(turn as ChatTurn), tools, options);
  return runAll(anthropic(turn), tools, options);
}

async function runAll<Block>(
  { calls, turnId, result }: Dialect<Block>,
  tools: ToolClient | CallTool,
  { run = "in_order", onError, ...context }: RunToolCallsOptions,
): Promise<Block[]> {
  const blocks: Block[] = [];
  const scope: CallContext = { ...(turnId !== undefined && { turnId }), ...context };
  for (const group of run === "together" ? [calls] : neighbours(calls)) {
    const answers = await Promise.all(group.map((call) => runOne(call, tools, scope, onError)));
    blocks.push(...group.map((call, index) => result(call, answers[index] as ToolAnswer)));
  }
  return blocks;
}

/** Equal calls side by side are one wish said twice; with another call between them they are two wishes. */
function neighbours(calls: readonly WantedCall[]): WantedCall[][] {
  const groups: WantedCall[][] = [];
  for (const call of calls) {
    const group = groups.at(-1);
    if (group?.[0] && isSame(group[0], call)) group.push(call);
    else groups.push([call]);
  }
  return groups;
}

const isSame = (one: WantedCall, other: WantedCall): boolean =>
  one.name === other.name && sorted(one.arguments) === sorted(other.arguments);

/** The order of fields is no difference. */
const sorted = (value: unknown): string | undefined =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );

async function runOne(
  call: WantedCall,
  tools: ToolClient | CallTool,
  context: CallContext,
  onError: RunToolCallsOptions["onError"],
): Promise<ToolAnswer> {
  const { id, name, arguments: args } = call;
  if (args === undefined) return said("[not_sent] The arguments are not a JSON object; nothing was done.");
  const ask = async (): Promise<unknown> =>
    typeof tools === "function" ? tools({ name, arguments: args, id }) : tools.callTool({ name, arguments: args });
  try {
    return answerOf(await withCallContext({ ...context, toolCallId: id }, ask));
  } catch (error) {
    tell(onError, error, call);
    return said(wordsFor(error, name));
  }
}

function wordsFor(error: unknown, name: string): string {
  if (isIndoubtError(error) && error.effect === "none") {
    return `[not_sent] "${name}" was not carried out: the safety layer in front of it does not work. Nothing was done. Tell the user.`;
  }
  return `[outcome_unknown] "${name}" ended before its outcome was known; it may or may not have taken effect. Do not repeat it; go on with other work or tell the user what is open.`;
}

/** The host's own listener cannot undo what happened. */
function tell(onError: RunToolCallsOptions["onError"], error: unknown, { id, name }: WantedCall): void {
  try {
    onError?.(error, { id, name });
  } catch (thrown) {
    process.emitWarning(`onError of runToolCalls threw: ${String(thrown)}`, "IndoubtWarning");
  }
}
