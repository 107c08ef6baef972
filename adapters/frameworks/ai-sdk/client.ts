/** A client of `@ai-sdk/mcp`: its transport under the guard, its tools with the ids of their calls. */

import type { GuardedCalls } from "../../../src/entries/wire.ts";
import { IndoubtError, withCallContext } from "../../../src/index.ts";
import { guardTransport, type McpTransport } from "../../mcp/index.ts";

/** What `createMCPClient` returns, described by shape. */
export interface AiSdkMcpClient {
  tools(...args: never[]): Promise<object>;
  close(): Promise<void>;
}

/** Private in its types, there at run time. */
interface Internals {
  readonly transport?: McpTransport;
  readonly maxRetries?: number;
}

/** What the AI SDK tells a tool about the call that it executes. */
interface ExecuteOptions {
  readonly toolCallId?: string;
  readonly messages?: readonly unknown[];
  readonly abortSignal?: AbortSignal;
}
type Execute = (args: unknown, options?: ExecuteOptions) => unknown;

/**
 * Puts all tool calls of an AI SDK client under the guard. The client stays the same to its users; the tools of `tools()`
 * carry the id of their call. Name the run with `withCallContext({ runId }, () => generateText(…))`, and a run that is
 * played again gets what is on record.
 *
 * Doubt comes as an `isError` result, which the AI SDK shows to the model. Nothing is thrown for it.
 *
 * @param server the name of the server in the guard's configuration
 * @param client connected, made without `maxRetries`
 * @throws IndoubtError CONFIG_INVALID for a client that sends again by itself, or whose transport cannot be reached
 * @example
 * const client = guardMcpClient(guard, "billing.acme", await createMCPClient({ transport }));
 * await generateText({ model, prompt, tools: await client.tools() });
 */
export function guardMcpClient<C extends AiSdkMcpClient>(guard: GuardedCalls, server: string, client: C): C {
  const { transport, maxRetries } = client as unknown as Internals;
  if (maxRetries)
    throw invalid(`The client sends a tool call up to ${maxRetries} times again by itself. ${WITHOUT_RETRIES}`);
  if (typeof transport?.send !== "function") throw invalid(NO_TRANSPORT);
  guardTransport(guard, server, transport);
  const own = { tools: async (...args: never[]) => withIds(await client.tools(...args)) };
  const bound = new WeakMap<object, unknown>();
  return new Proxy(client, {
    get(target, name) {
      if (name === "tools") return own.tools;
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function" || name === "constructor") return value;
      if (!bound.has(value)) bound.set(value, value.bind(target));
      return bound.get(value);
    },
  });
}

const WITHOUT_RETRIES =
  'Make it without maxRetries: reads that you declare with effect: "read" are retried by the guard, writes are not repeated.';
const NO_TRANSPORT =
  "This client shows no transport. Pass createMCPClient a transport of your own, guarded with guardTransport of indoubt/mcp.";
const invalid = (message: string): IndoubtError => new IndoubtError("CONFIG_INVALID", message);

/** Each tool as it was, with an `execute` that knows its call. */
function withIds<T extends object>(tools: T): T {
  const named = Object.entries(tools).map(([name, tool]) => [name, withId(tool as { execute?: Execute })]);
  return Object.fromEntries(named) as T;
}

function withId<T extends { execute?: Execute }>(tool: T): T {
  const { execute } = tool;
  if (!execute) return tool;
  return {
    ...tool,
    execute: (args: unknown, options: ExecuteOptions = {}) => {
      const { toolCallId, messages, abortSignal } = options;
      const context = {
        ...(toolCallId !== undefined && { toolCallId }),
        // Some providers count their calls anew in each turn; the place in the conversation tells the turns apart.
        ...(messages && { turnId: String(messages.length) }),
        ...(abortSignal && { signal: abortSignal }),
      };
      return withCallContext(context, () => execute(args, options));
    },
  };
}
