/** The HTTP side that hosts talk to: on loopback unless told otherwise, and deaf to pages of other sites. */
import { createHash, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { IndoubtError } from "../../../src/index.ts";

export interface ListenOptions {
  /** 0 takes a free one. */
  readonly port: number;
  /**
   * The address to listen on.
   * @default "127.0.0.1"
   * @example "0.0.0.0"
   */
  readonly host?: string | undefined;
  /**
   * Names under which hosts reach the proxy, beside those of loopback.
   * @default []
   * @example ["tools.acme.example"]
   */
  readonly allowedHosts?: readonly string[] | undefined;
  /**
   * Hosts must send it as `Authorization: Bearer …`. That header is then the proxy's own and goes no further.
   * @default none
   * @example process.env.INDOUBT_PROXY_TOKEN
   */
  readonly token?: string | undefined;
}

export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export interface Listener {
  readonly port: number;
  readonly origin: string;
  close(): Promise<void>;
}

/** Kept longer than hosts keep theirs: a connection that closes under a request is an error for the host. In ms. */
const IDLE = 75_000;
const LOOPBACK = ["localhost", "127.0.0.1", "[::1]", "::1"];

/** @throws IndoubtError CONFIG_INVALID when the port is taken or the address is not ours */
export async function listen(options: ListenOptions, handle: Handler): Promise<Listener> {
  const { port, host = "127.0.0.1" } = options;
  const server = createServer((request, response) => {
    const complaint = complaintOf(request, options);
    if (complaint) {
      const headers = complaint.status === 401 ? { "www-authenticate": "Bearer" } : {};
      sendJson(response, complaint.status, rpcError(complaint.text), headers);
      return;
    }
    handle(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else
        sendJson(
          response,
          502,
          rpcError(`The proxy failed: ${error instanceof Error ? error.message : String(error)}`),
        );
    });
  });
  // Tool calls may take as long as their host waits.
  server.requestTimeout = 0;
  server.headersTimeout = 60_000;
  server.keepAliveTimeout = IDLE;
  await listening(server, port, host);
  const address = server.address() as AddressInfo;
  return {
    port: address.port,
    origin: `http://${host.includes(":") ? `[${host}]` : host}:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listening(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause: Error) => {
      const text = `The proxy cannot listen on ${host}:${port}: ${cause.message}. Choose another --http port, or 0 for a free one.`;
      reject(new IndoubtError("CONFIG_INVALID", text, { cause }));
    });
    server.listen(port, host, resolve);
  });
}

interface Complaint {
  readonly status: 401 | 403;
  readonly text: string;
}

/** A page in a browser must not reach us under a name of its own (DNS rebinding) or from its own site. */
function complaintOf({ headers }: IncomingMessage, { allowedHosts = [], token }: ListenOptions): Complaint | undefined {
  const known = [...LOOPBACK, ...allowedHosts];
  if (!known.includes(hostName(headers.host ?? ""))) {
    return {
      status: 403,
      text: `The proxy does not answer to the name ${JSON.stringify(headers.host ?? "")}. Add it with --allow-host.`,
    };
  }
  const origin = headers.origin;
  if (origin !== undefined && !known.includes(originName(origin))) {
    return {
      status: 403,
      text: `Pages of ${JSON.stringify(origin)} may not use this proxy. Add the site with --allow-host.`,
    };
  }
  if (token === undefined || isToken(headers.authorization ?? "", token)) return undefined;
  return { status: 401, text: "The proxy needs its own token: send it as Authorization: Bearer." };
}

const hostName = (host: string): string => host.toLowerCase().replace(/:\d+$/, "");

function originName(origin: string): string {
  try {
    return new URL(origin).hostname;
  } catch {
    return "";
  }
}

function isToken(header: string, token: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(header), digest(`Bearer ${token}`));
}

export const rpcError = (message: string, code = -32000, id: string | number | null = null): object => ({
  jsonrpc: "2.0",
  id,
  error: { code, message },
});

export function sendJson(
  response: ServerResponse,
  status: number,
  body: object | Uint8Array,
  headers: Record<string, string> = {},
): void {
  const bytes = body instanceof Uint8Array ? body : Buffer.from(JSON.stringify(body));
  response.writeHead(status, { ...headers, "content-type": "application/json", "content-length": bytes.byteLength });
  response.end(bytes);
}

export const PACKED = "A packed body cannot be looked into, so it is not sent. Send it without Content-Encoding.";

export const isPacked = ({ headers }: IncomingMessage): boolean =>
  !/^(identity)?$/i.test((headers["content-encoding"] ?? "").trim());

/** Larger messages are refused, in bytes. */
const LARGEST = 64 * 1024 * 1024;

/** Undefined: too large. */
export async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length;
    if (length <= LARGEST) parts.push(part);
  }
  return length > LARGEST ? undefined : Buffer.concat(parts);
}

/** Resolves to whether the whole response was written before the host left. */
export function writtenWhole(response: ServerResponse): Promise<boolean> {
  return new Promise((resolve) => {
    if (response.writableFinished) return resolve(true);
    if (response.destroyed) return resolve(false);
    response.once("finish", () => resolve(true));
    response.once("close", () => resolve(response.writableFinished));
  });
}

export const drained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      response.off("drain", done);
      response.off("close", done);
      resolve();
    };
    response.on("drain", done);
    response.on("close", done);
  });
