/** Call ids stop at the function tools that the SDK makes of MCP tools: here they are carried on. */
import { type CallContext, withCallContext } from "../../../src/index.ts";

/** A tool of the SDK; only function tools can be invoked. */
export interface CallableTool {
  readonly type: string;
}
type Invoke = (
  context: unknown,
  input: string,
  details?: { readonly toolCall?: { readonly callId?: string } },
) => Promise<unknown>;

/**
 * The same tools, each call under its id. With a run named by `withCallContext({ runId }, …)`, a run that is resumed from
 * its state gets what is on record.
 * @param tools of `getAllMcpTools`
 * @example
 * const tools = withCallIds(await getAllMcpTools({ mcpServers: [billing] }));
 * const agent = new Agent({ name: "clerk", model, tools });
 */
export function withCallIds<T extends CallableTool>(tools: readonly T[]): T[] {
  return tools.map((tool) => {
    const { invoke } = tool as { invoke?: Invoke };
    if (tool.type !== "function" || !invoke) return tool;
    const carrying: Invoke = (context, input, details) => {
      const toolCallId = details?.toolCall?.callId;
      const ids: CallContext = toolCallId === undefined ? {} : { toolCallId };
      return withCallContext(ids, () => invoke(context, input, details));
    };
    return Object.assign(Object.create(Object.getPrototypeOf(tool)) as T, tool, { invoke: carrying });
  });
}
