/** MCP as far as a path test needs it: initialize, then requests, each of which is sent once. */
import type { JsonObject } from "../../../../src/index.ts";
import { type Frame, isObject } from "../../../mcp/relay/index.ts";
import { version } from "../version.ts";
import { postOnce, type Seen } from "./post.ts";

export interface RequestOptions {
  /** When waiting ends, in ms. */
  readonly patience: number;
  progress?(): void;
}

export interface Session {
  /** What the server said to initialize. */
  readonly opened: Seen;
  request(method: string, params: object, options?: RequestOptions): Promise<Seen>;
}

/** For one message that is not delayed, in ms. */
export const PATIENCE = 30_000;

export async function openSession(url: URL, given: Readonly<Record<string, string>>): Promise<Session> {
  let headers = given;
  let lastId = 0;

  const post = (message: object, { patience, progress }: RequestOptions = { patience: PATIENCE }): Promise<Seen> =>
    postOnce({
      url,
      headers,
      message: { jsonrpc: "2.0", ...message },
      patience,
      heard: ({ method }: Frame) => {
        if (method === "notifications/progress") progress?.();
      },
    });

  const request: Session["request"] = (method, params, options) => {
    lastId += 1;
    return post({ id: lastId, method, params }, options);
  };

  const clientInfo = { name: "indoubt-path-test", version: version() };
  const opened = await request("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  const result = resultIn(opened);
  if (opened.kind === "answered" && result) {
    const id = opened.session === undefined ? {} : { "mcp-session-id": opened.session };
    headers = { ...given, "mcp-protocol-version": String(result.protocolVersion), ...id };
    await post({ method: "notifications/initialized" });
  }
  return { opened, request };
}

export function resultIn(seen: Seen): JsonObject | undefined {
  const result: unknown = seen.kind === "answered" ? seen.frame?.result : undefined;
  return isObject(result) ? result : undefined;
}
