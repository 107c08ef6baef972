/** `indoubt/proxy`: the guard between any MCP host and any server. */
export { type ProxyTarget, type StdioProxy, type StdioProxyOptions, stdioProxy } from "./stdio-proxy.ts";
