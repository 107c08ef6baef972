/** `indoubt/mcp`: the guard in MCP clients. Loads neither SDK. */
export { type GuardedClient, guardClient, type McpClient, type PerformOptions } from "./client.ts";
export { type GuardFetchOptions, guardFetch } from "./fetch.ts";
export type { McpTransport } from "./tap.ts";
export { type GuardTransportOptions, guardTransport } from "./transport.ts";
