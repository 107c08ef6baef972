/** Loops over the APIs of Anthropic and OpenAI keep what a host promises, whichever way they run the calls of a turn. */
import { describe, test } from "vitest";
import {
  type AnthropicTurn,
  type ChatTurn,
  type ResponsesTurn,
  type RunToolCallsOptions,
  runToolCalls,
} from "../../../adapters/frameworks/loops/index.ts";
import { guardClient } from "../../../adapters/mcp/index.ts";
import { memoryStore } from "../../../adapters/stores/memory/index.ts";
import { describeHost, type HostCall, type HostHarness, type HostReading } from "../../../adapters/testing/index.ts";
import { plainClientV1, plainClientV2, transportV1, transportV2 } from "../support/clients.ts";

type Tools = Parameters<typeof runToolCalls>[1];
type Loop = (calls: readonly HostCall[], tools: Tools, options: RunToolCallsOptions) => Promise<HostReading[]>;

const anthropic: Loop = async (calls, tools, options) => {
  const content = calls.map(({ id, tool, arguments: input }) => ({ type: "tool_use", id, name: tool, input }));
  const results = await runToolCalls({ role: "assistant", content } as AnthropicTurn, tools, options);
  const words = (parts: (typeof results)[number]["content"]) =>
    parts.map((part) => (part.type === "text" ? part.text : part.type)).join("\n");
  return results.map((each) => ({ id: each.tool_use_id, text: words(each.content) }));
};

const chat: Loop = async (calls, tools, options) => {
  const tool_calls = calls.map(({ id, tool, arguments: input }) => ({
    id,
    type: "function",
    function: { name: tool, arguments: JSON.stringify(input) },
  }));
  const results = await runToolCalls({ role: "assistant", tool_calls } as ChatTurn, tools, options);
  return results.map(({ tool_call_id, content }) => ({ id: tool_call_id, text: content }));
};

const responses: Loop = async (calls, tools, options) => {
  const output = calls.map(({ id, tool, arguments: input }) => ({
    type: "function_call",
    call_id: id,
    name: tool,
    arguments: JSON.stringify(input),
  }));
  const results = await runToolCalls({ output } as ResponsesTurn, tools, options);
  return results.map(({ call_id, output: text }) => ({ id: call_id, text: String(text) }));
};

const play =
  (sdk: "v1" | "v2", loop: Loop, run?: "together"): HostHarness["play"] =>
  async ({ guard, server, target, runId, turns }) => {
    const client =
      sdk === "v1" ? guardClient(guard, server, plainClientV1()) : guardClient(guard, server, plainClientV2());
    await client.connect((sdk === "v1" ? transportV1(target) : transportV2(target)) as never);
    const read: HostReading[][] = [];
    for (const [index, calls] of turns.entries()) {
      const options = { runId, turnId: String(index), ...(run && { run }) };
      read.push(await loop(calls, client as never, options));
    }
    await client.close();
    return read;
  };

const host = (transport: "http" | "stdio", playing: HostHarness["play"]): HostHarness => ({
  transport,
  store: memoryStore,
  play: playing,
});
// The cases mostly wait: for deadlines, for child processes.
const runner = { describe, test: test.concurrent };

describeHost("a loop over Anthropic Messages, SDK v1", host("http", play("v1", anthropic)), runner);
describeHost("a loop over OpenAI Chat, SDK v2", host("stdio", play("v2", chat)), runner);
describeHost(
  "a loop over OpenAI Responses, all calls together, SDK v2",
  host("http", play("v2", responses, "together")),
  runner,
);
