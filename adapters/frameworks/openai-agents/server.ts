/** An `MCPServer` of the SDK whose tool calls go through the guard. Works for stdio, HTTP and servers of your own. */

import {
  type Attempt,
  currentCallContext,
  type GuardedCalls,
  type ToolDefinition,
  type Wire,
  type WireEvidence,
} from "../../../src/entries/wire.ts";
import type { CallContext, JsonObject } from "../../../src/index.ts";
import { agentErrorFunction } from "./error-function.ts";

type Meta = Record<string, unknown> | null | undefined;
interface CallOptions {
  readonly signal?: AbortSignal;
}
type Call = (
  tool: string,
  args: Record<string, unknown> | null,
  meta?: Meta,
  options?: CallOptions,
) => Promise<unknown>;

/** The SDK's `MCPServer`, described by shape. */
export interface AgentsMcpServer {
  readonly name: string;
  connect(): Promise<void>;
  close(): Promise<void>;
  listTools(): Promise<readonly { readonly name: string }[]>;
  callTool(tool: string, args: Record<string, unknown> | null, ...rest: never[]): Promise<unknown>;
  errorFunction?: unknown;
}

/**
 * Puts the tool calls of an `MCPServer` under the guard. Doubt, refusals and errors of the tool are results that the model
 * reads; an exception of the guard itself gets words that do not invite a repeat, unless the server has an `errorFunction`.
 *
 * The SDK's own timer of a call (`timeout`, 60 000 ms by default) must be longer than the guard's deadline: what it cuts off
 * cannot be heard later. Over HTTP `guardFetch` sees more of what happened: see docs/frameworks/openai-agents.md.
 *
 * @param server the name of the server in the guard's configuration
 * @example
 * const billing = guardMcpServer(guard, "billing.acme", new MCPServerStdio({ command: "billing-mcp" }));
 * await billing.connect();
 * const agent = new Agent({ name: "clerk", model, mcpServers: [billing] });
 */
export function guardMcpServer<S extends AgentsMcpServer>(guard: GuardedCalls, server: string, mcpServer: S): S {
  const send = callOf(mcpServer);
  let disconnect = (): void => {};
  const own = {
    errorFunction: mcpServer.errorFunction === undefined ? agentErrorFunction : mcpServer.errorFunction,
    callToolResult: (tool, args, meta, options) => call(guard, server, send, { tool, args, meta, options }),
    callTool: async (tool, args, meta, options) => {
      const { content = [] } = await call(guard, server, send, { tool, args, meta, options });
      return content;
    },
    async listTools() {
      const tools = await mcpServer.listTools();
      guard.toolsSeen(server, tools as readonly ToolDefinition[]);
      return tools;
    },
    async connect() {
      await mcpServer.connect();
      disconnect();
      disconnect = guard.connected(server, wireOf(send, undefined));
    },
    async close() {
      disconnect();
      await mcpServer.close();
    },
  } satisfies Record<string, unknown> & { callTool: Call; callToolResult: Call };
  return new Proxy(mcpServer, {
    get(target, name) {
      if (Object.hasOwn(own, name)) return Reflect.get(own, name);
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

interface Asked {
  readonly tool: string;
  readonly args: Record<string, unknown> | null;
  readonly meta: Meta;
  readonly options: CallOptions | undefined;
}

async function call(guard: GuardedCalls, server: string, send: Call, asked: Asked): Promise<JsonObject> {
  const { tool, args, meta, options } = asked;
  const context: CallContext = { ...currentCallContext(), ...(options?.signal && { signal: options.signal }) };
  const outcome = await guard.perform({ ...context, server, tool, arguments: args ?? {} }, wireOf(send, meta));
  guard.delivered(outcome);
  return guard.toolResult(outcome);
}

/** A whole result says more than its content; older servers of one's own have only that. */
function callOf(server: AgentsMcpServer): Call {
  const { callToolResult } = server as { callToolResult?: Call };
  if (callToolResult) return callToolResult.bind(server);
  const callTool = server.callTool.bind(server) as Call;
  return async (...args) => ({ content: await callTool(...args) });
}

/** An exception of the SDK proves nothing: the same class and code come before the send and after the effect. */
function wireOf(send: Call, meta: Meta): Wire {
  return {
    headers: false,
    async send(attempt: Attempt): Promise<WireEvidence> {
      if (!attempt.mayStart()) return { kind: "not_sent", cause: "permit_lost" };
      const all = meta || attempt.meta ? { ...meta, ...attempt.meta } : undefined;
      try {
        const result = await send(attempt.tool, attempt.arguments, all, { signal: attempt.cancel });
        return { kind: "result", result: result as JsonObject };
      } catch {
        return { kind: "silence", cause: "transport_error" };
      }
    },
  };
}
