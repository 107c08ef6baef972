/** Scripted models for the frameworks: each asks as {@link nextAsk} says. */
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { type Model, type ModelRequest, type ModelResponse, Usage } from "@openai/agents";
import { MockLanguageModelV4 } from "ai/test";
import { type Asking, nextAsk, wordsIn } from "./asking.ts";

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** For the AI SDK and Mastra. */
export function aiSdkModel(state: Asking, prefix = ""): MockLanguageModelV4 {
  const doGenerate: MockLanguageModelV4["doGenerate"] = async ({ prompt }) => {
    const last = prompt.at(-1);
    if (last?.role === "tool") state.heard = wordsIn(last.content);
    const ask = nextAsk(state);
    const reason = ask ? "tool-calls" : "stop";
    const call = ask && {
      type: "tool-call" as const,
      toolCallId: ask.id,
      toolName: `${prefix}${ask.name}`,
      input: JSON.stringify(ask.arguments),
    };
    const content = call ? [call] : [{ type: "text" as const, text: "done" }];
    return { content, finishReason: { unified: reason, raw: reason }, usage, warnings: [] };
  };
  return new MockLanguageModelV4({ doGenerate });
}

export class LangChainModel extends BaseChatModel {
  private readonly state: Asking;

  constructor(state: Asking) {
    super({});
    this.state = state;
  }

  _llmType(): string {
    return "scripted";
  }

  override bindTools(): this {
    return this;
  }

  async _generate(messages: BaseMessage[]) {
    const last = messages.at(-1);
    if (ToolMessage.isInstance(last)) this.state.heard = wordsIn(last.content);
    const ask = nextAsk(this.state);
    const tool_calls = ask ? [{ id: ask.id, name: ask.name, args: ask.arguments }] : [];
    return { generations: [{ text: "", message: new AIMessage({ content: ask ? "" : "done", tool_calls }) }] };
  }
}

export function openaiModel(state: Asking): Model {
  return {
    async getResponse({ input }: ModelRequest): Promise<ModelResponse> {
      const last = Array.isArray(input) ? input.at(-1) : undefined;
      if (last?.type === "function_call_result") state.heard = wordsIn(last.output);
      const ask = nextAsk(state);
      if (!ask) return { usage: new Usage(), output: [DONE] };
      const { id, name, arguments: args } = ask;
      const call = { type: "function_call", callId: id, name, arguments: JSON.stringify(args), status: "completed" };
      return { usage: new Usage(), output: [call as ModelResponse["output"][number]] };
    },
    getStreamedResponse() {
      throw new Error("not streamed");
    },
  };
}

const DONE: ModelResponse["output"][number] = {
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: "done" }],
};
