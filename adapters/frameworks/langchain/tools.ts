/** The tools of `loadMcpTools`, with guarded calls, the ids of LangGraph, and results instead of exceptions. */
import { ToolMessage } from "@langchain/core/messages/tool";
import type { DynamicStructuredTool } from "@langchain/core/tools";
import { type LoadMcpToolsOptions, loadMcpTools } from "@langchain/mcp-adapters";
import { currentCallContext, type GuardedCalls } from "../../../src/entries/wire.ts";
import { type CallContext, type Outcome, withCallContext } from "../../../src/index.ts";
import { guardClient, type McpClient } from "../../mcp/index.ts";

export type LoadGuardedToolsOptions = LoadMcpToolsOptions;
/** A `Client` of `@modelcontextprotocol/sdk`. */
export type LangChainMcpClient = Parameters<typeof loadMcpTools>[1];

/** What LangChain and LangGraph tell a tool about the call. */
interface ToolConfig {
  readonly toolCall?: { readonly id?: string };
  readonly configurable?: { readonly thread_id?: unknown };
  readonly metadata?: { readonly langgraph_checkpoint_ns?: unknown };
  readonly signal?: AbortSignal;
}
type Func = (args: Record<string, unknown>, manager: unknown, config?: ToolConfig) => Promise<unknown>;

/**
 * Loads the tools of an MCP server as LangChain tools whose calls are guarded.
 *
 * Doubt, refusals and errors of the tool come as a `ToolMessage` with status `error`, not as an exception: a retry layer
 * (`toolRetryMiddleware`, the `retryPolicy` of a node) has nothing to repeat, and the model reads what is known. A node that
 * runs again from its checkpoint makes the same calls as before: they are answered from the record.
 *
 * @param server the name of the server in the guard's configuration
 * @param client connected; that of a `MultiServerMCPClient` is `await servers.getClient(name)`
 * @param options those of `loadMcpTools`
 * @throws what `loadMcpTools` throws
 * @example
 * const tools = await loadGuardedTools(guard, "billing.acme", client);
 * const agent = createAgent({ model, tools, checkpointer });
 */
export async function loadGuardedTools(
  guard: GuardedCalls,
  server: string,
  client: LangChainMcpClient,
  options?: LoadGuardedToolsOptions,
): Promise<DynamicStructuredTool[]> {
  const guarded = guardClient(guard, server, client as LangChainMcpClient & McpClient);
  const tools = await loadMcpTools(server, guarded, options);
  for (const tool of tools) {
    const call = tool.func as Func;
    tool.func = ((args, manager, config) => run(guard, call, args, manager, config)) as Func as typeof tool.func;
  }
  return tools;
}

async function run(
  guard: GuardedCalls,
  call: Func,
  args: Record<string, unknown>,
  manager: unknown,
  config: ToolConfig = {},
): Promise<unknown> {
  const outer = currentCallContext();
  let outcome: Outcome | undefined;
  const onOutcome = (heard: Outcome): void => {
    outcome = heard;
    outer.onOutcome?.(heard);
  };
  try {
    return await withCallContext({ ...idsOf(config, outer), onOutcome }, () => call(args, manager, config));
  } catch (error) {
    // An `isError` result was made an exception. Without an outcome the guard itself failed, and that is one.
    if (outcome === undefined) throw error;
    return [messageOf(guard, outcome, config), []];
  }
}

/**
 * A task of LangGraph has one name however often it runs: it is made of the checkpoint it starts from. So the same call of
 * the same task is the same operation, and the call ids of a provider may come again in another step.
 */
function idsOf({ toolCall, configurable, metadata, signal }: ToolConfig, outer: CallContext): CallContext {
  const task = text(metadata?.langgraph_checkpoint_ns);
  const thread = outer.threadId ?? text(configurable?.thread_id) ?? task;
  return {
    ...(toolCall?.id !== undefined && { toolCallId: toolCall.id }),
    ...(thread !== undefined && { threadId: thread }),
    ...(task !== undefined && { turnId: task }),
    ...(signal && { signal }),
  };
}

const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

function messageOf(guard: GuardedCalls, outcome: Outcome, { toolCall }: ToolConfig): ToolMessage | string {
  const result = guard.toolResult(outcome);
  const blocks = Array.isArray(result.content) ? (result.content as { text?: string }[]) : [];
  const content = blocks.map((block) => block.text ?? JSON.stringify(block)).join("\n");
  if (toolCall?.id === undefined) return content;
  return new ToolMessage({ status: "error", content, tool_call_id: toolCall.id, name: outcome.tool, artifact: result });
}
