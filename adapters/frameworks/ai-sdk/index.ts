/** `indoubt/ai-sdk`: MCP tools of the Vercel AI SDK under the guard. Loads neither `ai` nor `@ai-sdk/mcp`. */
export { type AiSdkMcpClient, guardMcpClient } from "./client.ts";
