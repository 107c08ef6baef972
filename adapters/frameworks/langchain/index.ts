/** `indoubt/langchain`: MCP tools for LangChain and LangGraph, under the guard. Loads `@langchain/mcp-adapters`. */
export { type LangChainMcpClient, type LoadGuardedToolsOptions, loadGuardedTools } from "./tools.ts";
