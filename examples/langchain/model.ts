/** A chat model that says what is written here: no network, no key. */
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { ASKS, brief } from "../support/lossy-billing.ts";

export class ScriptedModel extends BaseChatModel {
  _llmType(): string {
    return "scripted";
  }

  override bindTools(): this {
    return this;
  }

  async _generate(messages: BaseMessage[]) {
    const last = messages.at(-1);
    if (ToolMessage.isInstance(last)) console.log("the model reads:", brief(last.text));
    const ask = ASKS[messages.filter((message) => AIMessage.isInstance(message)).length];
    const tool_calls = ask ? [{ id: ask.id, name: ask.name, args: ask.arguments }] : [];
    return { generations: [{ text: "", message: new AIMessage({ content: ask ? "" : "done", tool_calls }) }] };
  }
}
