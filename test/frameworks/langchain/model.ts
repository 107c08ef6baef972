/** A chat model for LangChain that says what the test wrote down. */
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import type { HostCall, HostReading } from "../../../adapters/testing/index.ts";

export class ScriptedChatModel extends BaseChatModel {
  /** What it read before each of its answers but the first: one list per turn. */
  readonly read: HostReading[][] = [];
  private readonly turns: readonly (readonly HostCall[])[];

  constructor(turns: readonly (readonly HostCall[])[]) {
    super({});
    this.turns = turns;
  }

  _llmType(): string {
    return "scripted";
  }

  override bindTools(): this {
    return this;
  }

  /** Where it is in its script shows in the conversation, so that a resumed run goes on there. */
  async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const said = messages.filter((message) => AIMessage.isInstance(message)).length;
    if (said > 0) this.read[said - 1] = readings(messages);
    const calls = this.turns[said] ?? [];
    const tool_calls = calls.map(({ id, tool, arguments: args }) => ({
      id,
      name: tool,
      args,
      type: "tool_call" as const,
    }));
    const message = new AIMessage({ content: calls.length > 0 ? "" : "done", tool_calls });
    return { generations: [{ text: "", message }] };
  }
}

function readings(messages: BaseMessage[]): HostReading[] {
  const from = messages.findLastIndex((message) => AIMessage.isInstance(message));
  return messages
    .slice(from + 1)
    .filter((message) => ToolMessage.isInstance(message))
    .map((message) => ({ id: message.tool_call_id, text: message.text }));
}
