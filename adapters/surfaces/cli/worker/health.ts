/** GET /health on loopback, for the one who watches the worker. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Setup } from "../../setup/index.ts";
import type { Links } from "./links.ts";

export interface Health {
  readonly port: number;
  close(): Promise<void>;
}

/** @param port 0 takes a free one */
export async function serveHealth(port: number, setup: Setup, links: Links): Promise<Health> {
  const started = performance.now();
  const server = createServer((request, response) => {
    const known = request.method === "GET" && request.url === "/health";
    const answer = known
      ? look(setup, links, started)
      : Promise.resolve({ code: 404, body: { status: "unknown_path" } });
    answer.then(({ code, body }) => {
      response.writeHead(code, { "content-type": "application/json", "cache-control": "no-store" });
      response.end(`${JSON.stringify(body)}\n`);
    });
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function look({ store }: Setup, links: Links, started: number) {
  const ok = await store.health().then(
    (health) => health.ok,
    () => false,
  );
  return {
    code: ok ? 200 : 503,
    body: {
      status: ok ? "ok" : "store_unavailable",
      store: { kind: store.kind, ok },
      servers: Object.fromEntries(links.states),
      uptime_ms: Math.round(performance.now() - started),
    },
  };
}
