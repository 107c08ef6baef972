/** An HTTP server that asks for a token, and a request that may say any `Host`. */
import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export const CHALLENGE = 'Bearer resource_metadata="https://auth.example/.well-known/oauth-protected-resource"';
const RIGHT = ["Bearer right", "Bearer right too"];

export interface TokenServer {
  readonly url: string;
  readonly bodies: readonly string[];
  /** The `Authorization` of each request. */
  readonly seen: readonly (string | undefined)[];
  /** Whose tool calls were carried out. */
  readonly accepted: readonly string[];
}

export async function tokenServer(): Promise<TokenServer> {
  const bodies: string[] = [];
  const seen: (string | undefined)[] = [];
  const accepted: string[] = [];
  const server = createServer(async (incoming, response) => {
    let body = "";
    for await (const chunk of incoming.setEncoding("utf8")) body += chunk;
    bodies.push(body);
    const { authorization } = incoming.headers;
    seen.push(authorization);
    if (authorization === undefined || !RIGHT.includes(authorization)) {
      response.writeHead(401, { "www-authenticate": CHALLENGE }).end("who are you?");
      return;
    }
    accepted.push(authorization);
    // Both calls are under way at the same time.
    await new Promise((resolve) => setTimeout(resolve, 300));
    const { id } = JSON.parse(body) as { id: number };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(`{"jsonrpc":"2.0","id":${id},"result":{"content":[]}}`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, bodies, seen, accepted };
}

export async function statusOf(url: string, headers: Record<string, string>): Promise<number> {
  const asking = request(url, { method: "POST", headers: { "content-type": "application/json", ...headers } });
  asking.end('{"jsonrpc":"2.0","id":1,"method":"ping"}');
  const [response] = (await once(asking, "response")) as [{ statusCode: number; resume(): void }];
  response.resume();
  return response.statusCode;
}
