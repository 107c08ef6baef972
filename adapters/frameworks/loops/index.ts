/** `indoubt/loops`: tool calls of a loop that you wrote yourself, over the API of Anthropic or OpenAI. Loads no SDK. */
export type { AnthropicToolResult, AnthropicTurn } from "./anthropic.ts";
export type { ChatToolMessage, ChatTurn } from "./openai-chat.ts";
export type { FunctionCallOutput, ResponsesTurn } from "./openai-responses.ts";
export { type RunToolCallsOptions, runToolCalls } from "./run-tool-calls.ts";
export type { CallTool, ToolClient } from "./turn.ts";
