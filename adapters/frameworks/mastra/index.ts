/** `indoubt/mastra`: MCP servers and tools of Mastra under the guard. Does not load Mastra. */
export { guardServer, type MastraServerDefinition } from "./server.ts";
export { guardTools, type MastraTool } from "./tools.ts";
