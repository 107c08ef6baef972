/** The tool calls of one model turn, whatever API it came from. */
import type { JsonObject } from "../../../src/index.ts";

/** A tool call as the model asked for it. */
export interface WantedCall {
  readonly id: string;
  readonly name: string;
  /** Undefined: what the model wrote is no JSON object. */
  readonly arguments: JsonObject | undefined;
}

/** A tool's answer, as far as a model reads it. */
export interface ToolAnswer {
  readonly content: readonly JsonObject[];
  readonly isError: boolean;
}

/** A guarded client: what `guardClient` returns. */
export interface ToolClient {
  callTool(params: { name: string; arguments: JsonObject }): Promise<unknown>;
}

/** Routes a call to the client or guarded function that has the tool. Returns a `CallToolResult`. */
export type CallTool = (call: { name: string; arguments: JsonObject; id: string }) => Promise<unknown>;

/** One API: how it writes calls, and how it wants their results. */
export interface Dialect<Block> {
  readonly turnId: string | undefined;
  readonly calls: readonly WantedCall[];
  result(call: WantedCall, answer: ToolAnswer): Block;
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Arguments that an API hands on as text. No text at all means none. */
export function parsedArguments(text: string): JsonObject | undefined {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function answerOf(result: unknown): ToolAnswer {
  const { content, structuredContent, isError } = isObject(result) ? result : {};
  const blocks = Array.isArray(content) ? content.filter(isObject) : [];
  const only = blocks.length === 0 && structuredContent !== undefined ? [text(JSON.stringify(structuredContent))] : [];
  return { content: [...blocks, ...only], isError: isError === true };
}

export const text = (words: string): JsonObject => ({ type: "text", text: words });
export const said = (words: string): ToolAnswer => ({ content: [text(words)], isError: true });

/** A block as words, for APIs that take nothing else. Bytes are named, not shown. */
export function wordsOf(block: JsonObject): string {
  if (block.type === "text") return String(block.text);
  const { data, ...rest } = block;
  return typeof data === "string"
    ? `${JSON.stringify(rest)} (${data.length} characters of data not shown)`
    : JSON.stringify(rest);
}
