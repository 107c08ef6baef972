/** What `runToolCalls` makes of a turn: blocks, order, ids, and calls that end badly. */
import type { Message, MessageParam, ToolResultBlockParam } from "@anthropic-ai/sdk/resources/messages";
import type { ChatCompletionMessage, ChatCompletionToolMessageParam } from "openai/resources/chat/completions";
import type { Response, ResponseInputItem } from "openai/resources/responses/responses";
import { expect, onTestFinished, test } from "vitest";
import { type AnthropicTurn, runToolCalls } from "../../../adapters/frameworks/loops/index.ts";
import { memoryStore } from "../../../adapters/stores/memory/index.ts";
import { currentCallContext } from "../../../src/entries/wire.ts";
import { createGuard, guardFunction, IndoubtError } from "../../../src/index.ts";

const use = (id: string, name: string, input: unknown) => ({ type: "tool_use", id, name, input });
const turn = (...content: { type: string }[]): AnthropicTurn => ({ id: "msg_1", role: "assistant", content });
const plain = (text: string) => ({ content: [{ type: "text", text }] });

/** A guarded function as a tool, and what it did. */
function tool() {
  const guard = createGuard({ store: memoryStore(), secret: "0123456789abcdef" });
  onTestFinished(() => guard.close({ within: 0 }));
  const effects: unknown[] = [];
  const write = guardFunction(guard, { server: "files", tool: "write" }, async (args: object) => {
    effects.push(args);
    return plain(`wrote ${JSON.stringify(args)}`);
  });
  return { effects, run: async ({ arguments: args }: { arguments: object }) => guard.toolResult(await write(args)) };
}

test("A, B, A in one turn are three effects, equal neighbours are one, whatever the order of their fields (T8-05)", async () => {
  const { effects, run } = tool();
  const results = await runToolCalls(
    turn(
      use("1", "write", { p: "A", q: 1 }),
      use("2", "write", { q: 1, p: "A" }),
      use("3", "write", { p: "B" }),
      use("4", "write", { p: "A", q: 1 }),
    ),
    run,
  );
  expect(effects).toEqual([{ p: "A", q: 1 }, { p: "B" }, { p: "A", q: 1 }]);
  expect(results.map(({ tool_use_id }) => tool_use_id)).toEqual(["1", "2", "3", "4"]);
  expect(results.map(({ is_error }) => is_error)).toEqual([undefined, undefined, undefined, undefined]);
});

test("run together, equal calls of a turn share one effect wherever they stand (T8-05)", async () => {
  const { effects, run } = tool();
  const calls = turn(use("1", "write", { p: "A" }), use("2", "write", { p: "B" }), use("3", "write", { p: "A" }));
  expect(await runToolCalls(calls, run, { run: "together" })).toHaveLength(3);
  expect(effects).toEqual([{ p: "A" }, { p: "B" }]);
});

test("a call that throws becomes a result, is told to the host, and the others go on", async () => {
  const heard: unknown[] = [];
  const results = await runToolCalls(
    turn(use("1", "a", {}), use("2", "b", {}), use("3", "c", {})),
    async ({ name }) => {
      if (name === "a") throw new IndoubtError("STORE_UNAVAILABLE", "ECONNREFUSED 127.0.0.1:6379");
      if (name === "b") throw new Error("fetch failed");
      return plain("done");
    },
    {
      onError: (_, call) => {
        heard.push(call);
        throw new Error("the listener is broken, too");
      },
    },
  );
  expect(results.map(({ content }) => content[0])).toEqual([
    { type: "text", text: expect.stringMatching(/^\[not_sent\] "a" was not carried out/) },
    { type: "text", text: expect.stringMatching(/^\[outcome_unknown\] "b".*Do not repeat it/) },
    { type: "text", text: "done" },
  ]);
  expect(results.map(({ is_error }) => is_error)).toEqual([true, true, undefined]);
  // Neither texts on which frameworks send again nor those of the machine room.
  expect(JSON.stringify(results)).not.toMatch(/fetch failed|ECONN|try again/i);
  expect(heard).toEqual([
    { id: "1", name: "a" },
    { id: "2", name: "b" },
  ]);
});

test("arguments that are no JSON object are told to the model, nothing is called", async () => {
  const calls = ['{"a":', "[1]", "null", '"x"'].map((text, index) => ({
    id: String(index),
    function: { name: "t", arguments: text },
  }));
  const results = await runToolCalls({ role: "assistant", tool_calls: calls }, async () => expect.unreachable());
  expect(results.map(({ content }) => content)).toEqual(
    Array(4).fill(expect.stringMatching(/^\[not_sent\] The arguments/)),
  );
});

test("run, turn and call ids reach the guard; the turn is the message unless it is named", async () => {
  const seen: unknown[] = [];
  const look = async () => {
    const { runId, turnId, toolCallId, principal } = currentCallContext();
    seen.push([runId, turnId, toolCallId, principal]);
    return plain("");
  };
  await runToolCalls(turn(use("c1", "t", {})), look, { runId: "r", principal: "ann" });
  await runToolCalls(turn(use("c2", "t", {})), look, { runId: "r", turnId: "7" });
  await runToolCalls(
    { id: "resp_1", output: [{ type: "function_call", call_id: "c3", name: "t", arguments: "" } as never] },
    look,
    { runId: "r" },
  );
  expect(seen).toEqual([
    ["r", "msg_1", "c1", "ann"],
    ["r", "7", "c2", undefined],
    ["r", "resp_1", "c3", undefined],
  ]);
});

test("a turn without tool calls has no results; what the provider runs itself is not run again", async () => {
  const never = async () => expect.unreachable();
  expect(await runToolCalls({ role: "assistant", content: "done" }, never)).toEqual([]);
  expect(await runToolCalls(turn({ type: "text" }, { type: "server_tool_use" }), never)).toEqual([]);
  expect(await runToolCalls({ role: "assistant", tool_calls: null }, never)).toEqual([]);
  expect(await runToolCalls({ output: [{ type: "mcp_call" }, { type: "web_search_call" }] }, never)).toEqual([]);
});

test("pictures, structured results and foreign blocks come through in the words of each API", async () => {
  const picture = {
    content: [
      { type: "image", mimeType: "image/png", data: "AAAA" },
      { type: "audio", mimeType: "audio/wav", data: "BB" },
    ],
  };
  const answers: Record<string, object> = {
    picture,
    figures: { content: [], structuredContent: { id: 7 } },
    nothing: {},
  };
  const names = Object.keys(answers);
  const run = async ({ name }: { name: string }) => answers[name];
  const given = (name: string) => ({ name, arguments: "{}" });

  const claude = await runToolCalls(turn(...names.map((name) => use(name, name, {}))), run);
  expect(claude.map(({ content }) => content)).toEqual([
    [
      { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
      { type: "text", text: '{"type":"audio","mimeType":"audio/wav"} (2 characters of data not shown)' },
    ],
    [{ type: "text", text: '{"id":7}' }],
    [],
  ]);
  const chat = await runToolCalls(
    { role: "assistant", tool_calls: names.map((id) => ({ id, function: given(id) })) },
    run,
  );
  expect(chat[0]?.content).toMatch(/4 characters of data not shown/);
  expect(chat[1]?.content).toBe('{"id":7}');
  const items = names.map((name) => ({ type: "function_call", call_id: name, ...given(name) }));
  const responses = await runToolCalls({ output: items }, run);
  expect(responses[0]?.output).toMatchObject([
    { type: "input_image", image_url: "data:image/png;base64,AAAA" },
    { type: "input_text" },
  ]);
  expect(responses[2]?.output).toBe("");
});

test("the types of the SDKs fit on both sides", () => {
  const run = async () => plain("");
  // Compiled, not run: what an SDK answers goes in, and what comes out goes into its next request.
  const compiled = async (message: Message, chat: ChatCompletionMessage, response: Response) => {
    const results: ToolResultBlockParam[] = await runToolCalls(message, run);
    const next: MessageParam = { role: "user", content: results };
    const told: ChatCompletionToolMessageParam[] = await runToolCalls(chat, run);
    const items: ResponseInputItem[] = await runToolCalls(response, run);
    return { next, told, items };
  };
  expect(compiled).toBeTypeOf("function");
});
