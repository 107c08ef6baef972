/** What is known of a tool list beside the tools: which page it is, whose, and of which server. */

import type { Release, ServerIdentity } from "../../src/entries/review.ts";
import type { GuardedCalls, ListPage } from "../../src/entries/wire.ts";
import { currentCallContext } from "../../src/entries/wire.ts";
import { type Frame, isObject } from "./frames.ts";

/** What a `tools/list` request asked, for whom, and after how many changes of the list. */
export type AskedPage = Pick<ListPage, "cursor" | "principal" | "asked">;

export function askedPage({ guard, server }: Host, request: Frame): AskedPage {
  const cursor = request.params?.cursor;
  const principal = currentCallContext()?.principal;
  return {
    asked: guard.toolsAsked(server),
    ...(typeof cursor === "string" && { cursor }),
    ...(principal !== undefined && { principal }),
  };
}

/** Does the server say that its list has changed? */
export function heardChange({ guard, server }: Host, { method }: Frame): void {
  if (method === "notifications/tools/list_changed") guard.toolsChanged(server);
}

interface Host {
  readonly guard: Pick<GuardedCalls, "toolsAsked" | "toolsChanged">;
  readonly server: string;
}

/** @param about what the connection knows of the server */
export function pageOf(asked: AskedPage, result: object, about: Pick<ListPage, "release" | "identity">): ListPage {
  const { nextCursor } = result as { nextCursor?: unknown };
  const release = releaseIn(result) ?? about.release;
  return {
    ...asked,
    ...(typeof nextCursor === "string" && { nextCursor }),
    ...(release && { release }),
    ...(about.identity && { identity: about.identity }),
  };
}

/** What the server says of itself: in the answer to `initialize`, or on any result of the 2026 era. */
export function releaseIn(result: unknown): Release | undefined {
  if (!isObject(result)) return undefined;
  const { _meta } = result;
  const said = isObject(_meta) ? _meta["io.modelcontextprotocol/serverInfo"] : undefined;
  const info = said ?? result.serverInfo;
  if (!isObject(info) || typeof info.name !== "string") return undefined;
  return { name: info.name, version: typeof info.version === "string" ? info.version : "" };
}

/**
 * Where the transports of both SDKs go. They keep that to themselves, so it may be missing: then it is not known, which
 * is never taken for a match.
 */
export function placeOf(transport: object): ServerIdentity | undefined {
  const url: unknown = Reflect.get(transport, "_url") ?? Reflect.get(transport, "url");
  if (url instanceof URL) return { url: url.href };
  const server: unknown = Reflect.get(transport, "_serverParams");
  if (!isObject(server) || typeof server.command !== "string") return undefined;
  const args = Array.isArray(server.args) ? server.args.map(String) : [];
  return { command: server.command, args };
}
