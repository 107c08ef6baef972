/** OpenAI Chat Completions, and the many APIs made like it: `tool_calls` in, `tool` messages out. */
import { type Dialect, parsedArguments, type WantedCall, wordsOf } from "./turn.ts";

/** The assistant message of a choice. */
export interface ChatTurn {
  readonly role: "assistant";
  readonly tool_calls?: readonly ChatToolCall[] | null;
}

interface ChatToolCall {
  readonly id: string;
  readonly type?: string;
  readonly function?: { readonly name: string; readonly arguments: string };
  /** A custom tool takes free text. */
  readonly custom?: { readonly name: string; readonly input: string };
}

export interface ChatToolMessage {
  role: "tool";
  tool_call_id: string;
  content: string;
}

/** The message has no id of its own: name the turn in the options. */
export function openaiChat({ tool_calls }: ChatTurn): Dialect<ChatToolMessage> {
  return {
    turnId: undefined,
    calls: (tool_calls ?? []).map(callOf),
    result: (call, answer) => ({
      role: "tool",
      tool_call_id: call.id,
      content: answer.content.map(wordsOf).join("\n"),
    }),
  };
}

const callOf = ({ id, function: asked, custom }: ChatToolCall): WantedCall => ({
  id,
  name: asked?.name ?? custom?.name ?? "",
  arguments: asked ? parsedArguments(asked.arguments) : { input: custom?.input ?? "" },
});
