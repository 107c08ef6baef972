/** One HTTP request each time: no repeat below us, no decoding, no time limit of its own. */
import { Agent, request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { request as httpsRequest, Agent as SecureAgent } from "node:https";
import { pipeline, Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { type Fetch, sendsOnce } from "../../mcp/relay/index.ts";

/** Kept shorter than servers keep theirs: a connection that dies under a write makes doubt. In ms. */
const IDLE = 3_000;
const WITHOUT_BODY = [204, 205, 304];

/** Of servers that pack their answers although nobody asks for it. */
const UNPACK: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/**
 * The platform's `fetch` cuts a silent answer after 300 s and follows redirects, so it cannot relay.
 * `body` is a text or bytes; redirects are handed on, not followed.
 */
export function rawFetch(): Fetch {
  const agents = { http: new Agent({ keepAlive: true, timeout: IDLE }), https: secure() };
  return sendsOnce((input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : String(input));
    return new Promise<Response>((resolve, reject) => {
      const { signal, body } = init;
      if (signal?.aborted) return reject(signal.reason);
      const options: RequestOptions = { method: init.method ?? "GET", headers: headersOf(init) };
      const request =
        url.protocol === "https:"
          ? httpsRequest(url, { ...options, agent: agents.https })
          : httpRequest(url, { ...options, agent: agents.http });
      const abort = (): void => void request.destroy(signal?.reason as Error);
      signal?.addEventListener("abort", abort, { once: true });
      request.once("close", () => {
        signal?.removeEventListener("abort", abort);
        // Also after an answer that is none, e.g. of another protocol.
        reject(Object.assign(new Error("The server gave no answer."), { code: "ECONNRESET" }));
      });
      request.on("error", (error) => reject(signal?.aborted ? signal.reason : error));
      request.once("response", (message) => {
        try {
          resolve(responseOf(message));
        } catch (error) {
          message.destroy();
          reject(error);
        }
      });
      request.end(body ?? undefined);
    });
  });
}

const secure = (): SecureAgent => new SecureAgent({ keepAlive: true, timeout: IDLE });

function headersOf(init: RequestInit): Record<string, string | number> {
  const headers: Record<string, string | number> = Object.fromEntries(new Headers(init.headers));
  delete headers["content-length"];
  const { body } = init;
  if (typeof body === "string") headers["content-length"] = Buffer.byteLength(body);
  else if (body instanceof Uint8Array) headers["content-length"] = body.byteLength;
  return headers;
}

function responseOf(message: IncomingMessage): Response {
  const headers = new Headers();
  const { rawHeaders, statusCode = 502, statusMessage = "" } = message;
  // There are servers with a status of their own invention; no `Response` holds it, and it means no success.
  const status = statusCode < 200 || statusCode > 599 ? 502 : statusCode;
  const statusText = statusMessage.replace(/[^\t\x20-\x7e]/g, "?");
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? "", rawHeaders[at + 1] ?? "");
  if (WITHOUT_BODY.includes(status)) {
    message.resume();
    return new Response(null, { status, statusText, headers });
  }
  return new Response(Readable.toWeb(unpacked(message, headers)) as ReadableStream<Uint8Array>, {
    status,
    statusText,
    headers,
  });
}

function unpacked(message: IncomingMessage, headers: Headers): Readable {
  const packing = (headers.get("content-encoding") ?? "").trim().toLowerCase();
  const unpack = Object.hasOwn(UNPACK, packing) ? UNPACK[packing] : undefined;
  if (!unpack) return message;
  for (const name of ["content-encoding", "content-length"]) headers.delete(name);
  // What goes wrong on either side is the error of the body that is read.
  return pipeline(message, unpack(), () => {});
}

/** Where another server is that the answer sends us to. */
export function movedTo(response: Response, url: string): URL | undefined {
  const location = response.headers.get("location");
  if (response.status < 300 || response.status > 399 || location === null || !URL.canParse(location, url))
    return undefined;
  const to = new URL(location, url);
  return to.origin === new URL(url).origin ? undefined : to;
}

/** Without the query: it may hold what is nobody's business. */
export const moved = ({ origin, pathname }: URL): string =>
  `has moved to ${origin}${pathname}, and nothing is sent there. If that is right, start the proxy with that address as --url.`;
