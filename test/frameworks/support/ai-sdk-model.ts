/** A model for the AI SDK (and for frameworks that take its models) that says what the test wrote down. */
import { MockLanguageModelV4 } from "ai/test";
import type { HostCall, HostReading } from "../../../adapters/testing/index.ts";

type Generate = MockLanguageModelV4["doGenerate"];
type Generated = Awaited<ReturnType<Generate>>;
type Prompt = Parameters<Generate>[0]["prompt"];

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

export interface ScriptedModel {
  readonly model: MockLanguageModelV4;
  /** What it read before each of its answers but the first: one list per turn. */
  readonly read: HostReading[][];
}

export function scriptedModel(turns: readonly (readonly HostCall[])[]): ScriptedModel {
  const read: HostReading[][] = [];
  let turn = 0;
  const answer = ({ prompt }: { prompt: Prompt }): Generated => {
    if (turn > 0) read.push(readings(prompt));
    const calls = turns[turn++];
    const text: Generated["content"] = [{ type: "text", text: "done" }];
    const wanted = (calls ?? []).map(({ id, tool, arguments: input }) => ({
      type: "tool-call" as const,
      toolCallId: id,
      toolName: tool,
      input: JSON.stringify(input),
    }));
    const reason = calls ? "tool-calls" : "stop";
    return {
      content: calls ? wanted : text,
      finishReason: { unified: reason, raw: reason },
      usage: USAGE,
      warnings: [],
    };
  };
  const model = new MockLanguageModelV4({
    doGenerate: async (options) => answer(options),
    doStream: async (options) => ({ stream: streamOf(answer(options)) }),
  });
  return { model, read };
}

function streamOf({ content, finishReason, usage }: Generated) {
  const parts = content.flatMap((part): readonly object[] =>
    part.type === "text"
      ? [
          { type: "text-start", id: "t" },
          { type: "text-delta", id: "t", delta: part.text },
          { type: "text-end", id: "t" },
        ]
      : [part],
  );
  const all = [{ type: "stream-start", warnings: [] }, ...parts, { type: "finish", finishReason, usage }];
  return ReadableStream.from(all) as never;
}

function readings(prompt: Prompt): HostReading[] {
  const last = prompt.at(-1);
  if (last?.role !== "tool") return [];
  return last.content.flatMap((part) =>
    part.type === "tool-result" ? [{ id: part.toolCallId, text: words(part.output) }] : [],
  );
}

type Output = { type: string; value?: unknown };
function words(output: Output): string {
  const { value } = output;
  if (typeof value === "string") return value;
  const content = Array.isArray(value) ? value : (value as { content?: unknown })?.content;
  if (!Array.isArray(content)) return JSON.stringify(value);
  return content.map((part: { text?: string }) => part.text ?? JSON.stringify(part)).join("\n");
}
