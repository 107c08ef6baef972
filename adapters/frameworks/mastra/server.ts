/** A server definition of Mastra's `MCPClient`, guarded by its `fetch`: Mastra builds client and transport itself. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { GuardedCalls } from "../../../src/entries/wire.ts";
import { IndoubtError } from "../../../src/index.ts";
import { guardFetch } from "../../mcp/index.ts";

/** The SDK's timer behind Mastra, in ms: longer than any deadline of the guard, so that the guard answers first. */
const LONG = 3_600_000;

/** An entry of `servers` of an `MCPClient`, described by shape. */
export interface MastraServerDefinition {
  readonly url?: URL;
  readonly command?: string;
  readonly timeout?: number;
  /** Mastra gives a third argument: what the request that runs the agent carries. */
  readonly fetch?: (url: string | URL, init?: RequestInit, requestContext?: never) => Promise<Response>;
}
type OwnFetch = (url: string | URL, init?: RequestInit, requestContext?: unknown) => Promise<Response>;

/**
 * Guards an HTTP server of an `MCPClient`. Mastra sends a call again when its error reads like a lost connection: behind
 * the guard there is no such error, doubt is a result.
 *
 * Mastra's `timeout` is raised, so that the guard's deadline decides; one of your own stays, and should be longer than
 * that deadline. Streamable HTTP only: calls to a server that Mastra reaches by the older SSE transport are all in doubt.
 *
 * @param server the name of the server in the guard's configuration
 * @throws IndoubtError CONFIG_INVALID for a server that is spawned: put `indoubt proxy` in front of its command
 * @example
 * const mcp = new MCPClient({ servers: { billing: guardServer(guard, "billing.acme", { url: new URL(url) }) } });
 */
export function guardServer<D extends MastraServerDefinition>(guard: GuardedCalls, server: string, definition: D): D {
  if (definition.url === undefined) throw notHttp(definition.command);
  const requests = new AsyncLocalStorage<unknown>();
  const own = definition.fetch as OwnFetch | undefined;
  const below = own && ((url: string | URL, init?: RequestInit) => own(url, init, requests.getStore() ?? null));
  const guarded = guardFetch(guard, { server, ...(below && { fetch: below as typeof globalThis.fetch }) });
  return {
    ...definition,
    timeout: definition.timeout ?? LONG,
    fetch: (url: string | URL, init?: RequestInit, requestContext?: unknown) =>
      requests.run(requestContext, () => guarded(url, init)),
  };
}

function notHttp(command: string | undefined): IndoubtError {
  const what =
    command === undefined
      ? "It has no url."
      : `It is spawned (${command}), and Mastra shows nothing of that connection.`;
  const cure =
    'Put the proxy in front of it: command "npx", args ["indoubt", "proxy", "--", …the command and its arguments].';
  return new IndoubtError("CONFIG_INVALID", `guardServer needs a server over HTTP. ${what} ${cure}`);
}
