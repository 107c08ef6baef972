/** A path to a server: passes requests on, and does what gateways do when the server behind them fails. */
import { createServer, type IncomingMessage, request as openRequest, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";

export interface PathBehaviour {
  /** A request whose answer breaks off before it begins, or is one of these statuses, is sent again so often. */
  readonly repeats?: number;
  /** The connection to the server is given up after so long without a byte, in ms. */
  readonly idle?: number;
  /** Requests with this in their body are answered 502 and not passed on. */
  readonly refuses?: string;
  /** Passes requests on to these in turn. */
  readonly targets: readonly string[];
}

export interface GatewayPath {
  readonly url: string;
  /** The bodies that came from the client. */
  readonly posted: readonly string[];
}

const REPEATED = [502, 503, 504];

/** As nginx does with `proxy_next_upstream error timeout http_502 http_503 http_504 non_idempotent`. */
export async function startPath({ repeats = 0, idle, refuses, targets }: PathBehaviour): Promise<GatewayPath> {
  const posted: string[] = [];
  let turn = 0;
  const server = createServer((request, response) => void serve(request, response));

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    posted.push(body);
    if (refuses !== undefined && body.includes(refuses)) return fail(response, 502);
    for (let sent = 0; ; sent += 1) {
      const reply = await forward(request, body);
      const isLast = sent === repeats;
      if (typeof reply === "number" && isLast) return fail(response, reply);
      if (typeof reply === "number" || (REPEATED.includes(reply.statusCode ?? 0) && !isLast)) continue;
      return pass(reply, response);
    }
  }

  /** The answer, or the status for the client when there is none. */
  function forward(request: IncomingMessage, body: string): Promise<IncomingMessage | number> {
    const target = targets[turn % targets.length] ?? "";
    turn += 1;
    return new Promise((resolve) => {
      const headers = { ...request.headers, host: new URL(target).host };
      const upstream = openRequest(target, { method: "POST", headers, agent: false }, resolve);
      if (idle !== undefined) upstream.setTimeout(idle, () => void upstream.destroy(new Error("idle")));
      upstream.on("error", ({ message }) => resolve(message === "idle" ? 504 : 502));
      upstream.end(body);
    });
  }

  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, posted };
}

function fail(response: ServerResponse, status: number): void {
  response.writeHead(status).end("from the gateway");
}

function pass(reply: IncomingMessage, response: ServerResponse): void {
  response.writeHead(reply.statusCode ?? 502, reply.headers);
  reply.on("error", () => response.destroy());
  reply.pipe(response);
}
