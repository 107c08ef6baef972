import type { IncomingMessage, Server } from "node:http";

/** Listens on the loopback interface; port 0 picks a free one. Returns the port. */
export function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      server.off("error", reject);
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : port);
    });
  });
}

/** Stops listening and drops every connection. */
export async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}

/** Closes, and lets clients notice: their next call is then refused, not cut off on an idle connection. */
export async function refuseConnections(server: Server): Promise<void> {
  await closeServer(server);
  await new Promise((resolve) => setTimeout(resolve, 20));
}

/** The whole body of a request or a response. */
export async function bodyOf(stream: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks).toString("utf8");
}

/** The headers of a request, names in lower case, one text each. */
export function headersOf(request: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
}
