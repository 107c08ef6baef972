/** The OpenAI Agents SDK keeps what a host promises: over stdio and HTTP, guarded by its servers or by `fetch`. */
import {
  Agent,
  type AgentInputItem,
  getAllMcpTools,
  type MCPServer,
  MCPServerStdio,
  MCPServerStreamableHttp,
  type Model,
  type ModelRequest,
  type ModelResponse,
  Runner,
  setTracingDisabled,
  Usage,
} from "@openai/agents";
import { describe, expect, onTestFinished, test } from "vitest";
import { agentErrorFunction, guardMcpServer, withCallIds } from "../../../adapters/frameworks/openai-agents/index.ts";
import { guardFetch } from "../../../adapters/mcp/index.ts";
import { memoryStore } from "../../../adapters/stores/memory/index.ts";
import {
  describeHost,
  type HostCall,
  type HostHarness,
  type HostReading,
  type HostRun,
} from "../../../adapters/testing/index.ts";
import { createGuard, IndoubtError, withCallContext } from "../../../src/index.ts";

setTracingDisabled(true);

class ScriptedModel implements Model {
  readonly read: HostReading[][] = [];
  private turn = 0;
  private readonly turns: HostRun["turns"];

  constructor(turns: HostRun["turns"]) {
    this.turns = turns;
  }

  async getResponse({ input }: ModelRequest): Promise<ModelResponse> {
    if (this.turn > 0) this.read.push(readings(input as AgentInputItem[]));
    const calls = this.turns[this.turn++];
    return { usage: new Usage(), output: calls ? calls.map(asked) : [DONE] };
  }

  getStreamedResponse(): never {
    throw new Error("not streamed");
  }
}

const asked = ({ id, tool, arguments: args }: HostCall) => ({
  type: "function_call" as const,
  callId: id,
  name: tool,
  arguments: JSON.stringify(args),
  status: "completed" as const,
});
const DONE = {
  type: "message" as const,
  role: "assistant" as const,
  status: "completed" as const,
  content: [{ type: "output_text" as const, text: "done" }],
};

function readings(input: AgentInputItem[]): HostReading[] {
  const from = input.findLastIndex((item) => item.type === "function_call");
  return input
    .slice(from + 1)
    .flatMap((item) => (item.type === "function_call_result" ? [{ id: item.callId, text: words(item.output) }] : []));
}

function words(output: unknown): string {
  if (typeof output === "string") return output;
  const parts = Array.isArray(output) ? output : [output];
  return parts.map((part: { text?: string }) => part.text ?? JSON.stringify(part)).join("\n");
}

type Connect = (run: HostRun) => MCPServer;
const byServer: Connect = ({ guard, server, target }) => guardMcpServer(guard, server, plain(target));
const byFetch: Connect = ({ guard, server, target }) =>
  plain(target, { fetch: guardFetch(guard, { server }), errorFunction: agentErrorFunction });

function plain(target: HostRun["target"], more: object = {}): MCPServer {
  return target.kind === "http"
    ? new MCPServerStreamableHttp({ url: target.url, name: "billing", ...more })
    : // Without the kept list the SDK asks a dead server for its tools in the next turn, and the run ends there.
      new MCPServerStdio({
        command: target.command,
        args: target.args,
        env: target.env,
        name: "billing",
        cacheToolsList: true,
        ...more,
      });
}

const play =
  (connect: Connect, how: "servers" | "tools" = "servers"): HostHarness["play"] =>
  async (run) => {
    const server = connect(run);
    await server.connect();
    const model = new ScriptedModel(run.turns);
    const given =
      how === "servers"
        ? { mcpServers: [server] }
        : { tools: withCallIds(await getAllMcpTools({ mcpServers: [server] })) };
    const agent = new Agent({ name: "clerk", model, ...given });
    await withCallContext({ runId: run.runId }, () => new Runner().run(agent, "go"));
    await server.close();
    return model.read;
  };

const host = (transport: "http" | "stdio", playing: HostHarness["play"], carriesIds = false): HostHarness => ({
  transport,
  store: memoryStore,
  play: playing,
  carriesIds,
});
// The cases mostly wait: for deadlines, for child processes.
const runner = { describe, test: test.concurrent };
describeHost("the OpenAI Agents SDK with a guarded server", host("stdio", play(byServer)), runner);
describeHost("the OpenAI Agents SDK with a guarded server", host("http", play(byServer)), runner);
describeHost("the OpenAI Agents SDK with guardFetch and call ids", host("http", play(byFetch, "tools"), true), runner);
describeHost(
  "the OpenAI Agents SDK with a guarded server and call ids",
  host("stdio", play(byServer, "tools"), true),
  runner,
);

describe("words for the model", () => {
  test("an exception is told without an invitation to try again", async () => {
    const guard = createGuard({ store: memoryStore(), secret: "0123456789abcdef" });
    onTestFinished(() => guard.close({ within: 0 }));
    const broken = { ...guard, perform: () => Promise.reject(new IndoubtError("CONFIG_INVALID", "wrong pointer")) };
    const server: MCPServer = {
      cacheToolsList: false,
      name: "own",
      connect: async () => {},
      close: async () => {},
      listTools: async () => [
        { name: "pay", inputSchema: { type: "object", properties: {}, required: [], additionalProperties: false } },
      ],
      callTool: async () => [],
      invalidateToolsCache: async () => {},
    };
    const model = new ScriptedModel([[{ id: "call_1", tool: "pay", arguments: {} }]]);
    const agent = new Agent({ name: "clerk", model, mcpServers: [guardMcpServer(broken, "own", server)] });
    await new Runner().run(agent, "go");
    expect(model.read[0]?.[0]?.text).toMatch(/^\[not_sent\] The tool was not called/);
    expect(agentErrorFunction({ error: new Error("fetch failed") })).toMatch(/^\[outcome_unknown\].*Do not repeat it/);
  });

  test("an errorFunction of one's own stays", () => {
    const guard = createGuard({ store: memoryStore(), secret: "0123456789abcdef" });
    onTestFinished(() => guard.close({ within: 0 }));
    const mine = () => "mine";
    const server = new MCPServerStdio({ command: "true", errorFunction: mine });
    expect(guardMcpServer(guard, "own", server).errorFunction).toBe(mine);
    expect(guardMcpServer(guard, "own", new MCPServerStdio({ command: "true" })).errorFunction).toBe(
      agentErrorFunction,
    );
  });
});
