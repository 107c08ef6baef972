/** Anthropic Messages: `tool_use` blocks in, `tool_result` blocks out. */
import type { JsonObject } from "../../../src/index.ts";
import { type Dialect, isObject, text, type WantedCall, wordsOf } from "./turn.ts";

/** An assistant message: the answer of `messages.create`, or one that you kept. */
export interface AnthropicTurn {
  readonly id?: string;
  readonly role: "assistant";
  readonly content: string | readonly { readonly type: string }[];
}

type ImageType = "image/jpeg" | "image/png" | "image/gif" | "image/webp";
type AnthropicContent =
  | { type: "text"; text: string }
  | { type: "image"; source: { type: "base64"; media_type: ImageType; data: string } };

export interface AnthropicToolResult {
  type: "tool_result";
  tool_use_id: string;
  content: AnthropicContent[];
  is_error?: true;
}

const IMAGES: readonly unknown[] = ["image/jpeg", "image/png", "image/gif", "image/webp"] satisfies ImageType[];

export function anthropic({ id, content }: AnthropicTurn): Dialect<AnthropicToolResult> {
  const blocks = typeof content === "string" ? [] : (content as readonly JsonObject[]);
  return {
    turnId: id,
    calls: blocks.filter(({ type }) => type === "tool_use").map(callOf),
    result: (call, answer) => ({
      type: "tool_result",
      tool_use_id: call.id,
      content: answer.content.map(contentOf),
      ...(answer.isError && { is_error: true as const }),
    }),
  };
}

const callOf = ({ id, name, input }: JsonObject): WantedCall => ({
  id: String(id),
  name: String(name),
  arguments: isObject(input) ? input : undefined,
});

function contentOf(block: JsonObject): AnthropicContent {
  const { type, mimeType, data } = block;
  if (type === "image" && IMAGES.includes(mimeType)) {
    return { type: "image", source: { type: "base64", media_type: mimeType as ImageType, data: String(data) } };
  }
  return text(wordsOf(block)) as { type: "text"; text: string };
}
