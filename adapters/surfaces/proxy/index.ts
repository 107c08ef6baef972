/** `indoubt/proxy`: the guard between any MCP host and any server. */
export { proxyDefaults } from "./defaults.ts";
export type { HttpTarget } from "./http-back.ts";
export { type HttpProxy, type HttpProxyOptions, startProxy } from "./http-proxy.ts";
export type { ServerCommand } from "./server-process.ts";
export { type ProxyTarget, type StdioProxy, type StdioProxyOptions, stdioProxy } from "./stdio-proxy.ts";
