/** The tools of an `MCPClient`, each call under the ids that Mastra gives it. */

import { currentCallContext } from "../../../src/entries/wire.ts";
import { type CallContext, withCallContext } from "../../../src/index.ts";

/** A tool of Mastra, described by shape. */
export interface MastraTool {
  execute?: unknown;
}

interface Context {
  readonly runId?: string;
  readonly abortSignal?: AbortSignal;
  readonly agent?: { readonly toolCallId?: string; readonly threadId?: string; readonly messages?: readonly unknown[] };
}
type Execute = (input: unknown, context?: Context) => unknown;

/**
 * Carries run, thread and call ids of Mastra to the guard, so that a run that is played again is answered from the record.
 * @param tools of `listTools()`; changed in place, as Mastra knows them by identity
 * @example
 * const agent = new Agent({ id: "clerk", name: "clerk", instructions, model, tools: guardTools(await mcp.listTools()) });
 */
export function guardTools<T extends Readonly<Record<string, MastraTool>>>(tools: T): T {
  for (const tool of Object.values(tools)) {
    const execute = tool.execute as Execute | undefined;
    if (typeof execute !== "function") continue;
    tool.execute = (input: unknown, context?: Context) =>
      withCallContext(idsOf(context), () => execute.call(tool, input, context));
  }
  return tools;
}

/** A run of the host's own name comes first: it lasts longer than one that Mastra made up. */
function idsOf({ runId, abortSignal, agent }: Context = {}): CallContext {
  const run = currentCallContext().runId ?? runId;
  return {
    ...(run !== undefined && { runId: run }),
    ...(agent?.threadId !== undefined && { threadId: agent.threadId }),
    ...(agent?.toolCallId !== undefined && { toolCallId: agent.toolCallId }),
    // Some providers count their calls anew in each turn; the place in the conversation tells the turns apart.
    ...(agent?.messages && { turnId: String(agent.messages.length) }),
    ...(abortSignal && { signal: abortSignal }),
  };
}
