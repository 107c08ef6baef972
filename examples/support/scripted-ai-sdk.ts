/** A model for the AI SDK, and for Mastra, that says what is written here: no network, no key. */
import { MockLanguageModelV4 } from "ai/test";
import { ASKS, brief } from "./lossy-billing.ts";

type Generate = MockLanguageModelV4["doGenerate"];
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

export function scriptedModel(prefix = ""): MockLanguageModelV4 {
  const asks = ASKS[Symbol.iterator]();
  const doGenerate: Generate = async ({ prompt }) => {
    const last = prompt.at(-1);
    if (last?.role === "tool") for (const part of last.content) console.log("the model reads:", brief(wordsOf(part)));
    const ask = asks.next().value;
    if (!ask)
      return {
        content: [{ type: "text", text: "done" }],
        finishReason: { unified: "stop", raw: "stop" },
        usage,
        warnings: [],
      };
    const call = { toolCallId: ask.id, toolName: `${prefix}${ask.name}`, input: JSON.stringify(ask.arguments) };
    const finishReason = { unified: "tool-calls", raw: "tool-calls" } as const;
    return { content: [{ type: "tool-call", ...call }], finishReason, usage, warnings: [] };
  };
  return new MockLanguageModelV4({ doGenerate });
}

function wordsOf(part: unknown): string {
  const { value } = (part as { output: { value: unknown } }).output;
  if (typeof value === "string") return value;
  const content = Array.isArray(value) ? value : ((value as { content?: unknown[] }).content ?? []);
  return content.map((block) => (block as { text?: string }).text ?? "").join("\n");
}
