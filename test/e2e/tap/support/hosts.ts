/** Hosts that sign in and that answer questions. */
import { type Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema, type ElicitResult } from "@modelcontextprotocol/sdk/types.js";
import { guardTransport } from "../../../../adapters/mcp/index.ts";
import type { StatusReply } from "../../../../adapters/testing/index.ts";
import type { GuardedCalls } from "../../../../src/entries/wire.ts";
import type { JsonObject } from "../../../../src/index.ts";
import { clientV1, clientV2, SERVER } from "./clients.ts";
import { later } from "./world.ts";

/** What a server says to an expired token. */
export const unauthorized: StatusReply = {
  status: 401,
  when: "before",
  headers: { "www-authenticate": 'Bearer error="invalid_token"' },
};

interface ToolClient {
  callTool(params: { name: string; arguments: JsonObject }): Promise<JsonObject>;
}

/** A client with a sign-in that always works. */
export async function signedIn(
  name: "v1" | "v2-2025",
  url: string,
  guard: GuardedCalls,
  fetch: typeof globalThis.fetch,
): Promise<ToolClient> {
  const client = name === "v1" ? clientV1() : clientV2(name);
  const target = new URL(url);
  const transport =
    name === "v1"
      ? new HttpV1(target, { fetch: withTokens(fetch, target) as never, authProvider: provider() as never })
      : new HttpV2(target, {
          fetch: fetch as never,
          authProvider: { token: async () => "t", onUnauthorized: async () => {} },
        });
  await client.connect(guardTransport(guard, SERVER, transport) as never);
  later(() => client.close());
  return client as unknown as ToolClient;
}

/** Answers the OAuth requests of v1 itself; everything else goes on. */
function withTokens(fetch: typeof globalThis.fetch, target: URL): typeof globalThis.fetch {
  return async (input, init) => {
    const url = new URL(String(input));
    if (url.pathname === target.pathname) return fetch(input, init);
    if (url.pathname === "/token") return Response.json({ access_token: "fresh", token_type: "Bearer" });
    if (!url.pathname.startsWith("/.well-known/oauth-authorization-server")) return new Response(null, { status: 404 });
    const { origin } = target;
    return Response.json({
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      response_types_supported: ["code"],
    });
  };
}

export const provider = () => ({
  redirectUrl: "http://localhost/callback",
  clientMetadata: { redirect_uris: ["http://localhost/callback"] },
  clientInformation: () => ({ client_id: "test" }),
  tokens: () => ({ access_token: "stale", token_type: "Bearer", refresh_token: "r" }),
  saveTokens: () => {},
  redirectToAuthorization: () => {},
  saveCodeVerifier: () => {},
  codeVerifier: () => "v",
});

export function onElicitation(client: ClientV1 | ClientV2, answer: () => Promise<ElicitResult>): void {
  if (client instanceof ClientV1) client.setRequestHandler(ElicitRequestSchema, answer);
  else client.setRequestHandler("elicitation/create", answer as never);
}
