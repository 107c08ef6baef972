/** `indoubt/openai-agents`: MCP servers of the OpenAI Agents SDK under the guard. Does not load it. */
export { type CallableTool, withCallIds } from "./call-ids.ts";
export { agentErrorFunction } from "./error-function.ts";
export { type AgentsMcpServer, guardMcpServer } from "./server.ts";
