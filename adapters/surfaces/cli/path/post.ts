/** One POST, sent once: on a connection of its own, without any repeat on this side. */
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { Readable } from "node:stream";
import { type Frame, isAnswer, isFrame, readSse } from "../../../mcp/relay/index.ts";
import { parsed } from "./echo.ts";

export interface Post {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly message: object;
  /** When waiting ends, in ms. */
  readonly patience: number;
  /** Hears what comes before the answer. */
  heard?(frame: Frame): void;
}

/** What became of it, as the client sees it. */
export type Seen =
  | { readonly kind: "answered"; readonly status: number; readonly frame?: Frame; readonly session?: string }
  | { readonly kind: "broken"; readonly how: string }
  | { readonly kind: "silent" };

export function postOnce(post: Post): Promise<Seen> {
  const { url, headers, patience } = post;
  const body = JSON.stringify(post.message);
  const send = url.protocol === "https:" ? httpsRequest : httpRequest;
  const own = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "content-length": String(Buffer.byteLength(body)),
  };
  return new Promise((resolve) => {
    const request = send(url, { method: "POST", agent: false, headers: { ...own, ...headers } });
    const end = (seen: Seen): void => {
      clearTimeout(timer);
      resolve(seen);
      request.destroy();
    };
    const timer = setTimeout(() => end({ kind: "silent" }), patience);
    request.on("error", (error) => end(broken(error)));
    request.on("response", (response) => {
      read(post, response).then(end, (error: Error) => end(broken(error)));
    });
    request.end(body);
  });
}

/** In the middle of a sentence. */
export function seenWords(seen: Seen): string {
  if (seen.kind === "broken") return `the connection broke (${seen.how})`;
  if (seen.kind === "silent") return "nothing came";
  return `HTTP ${seen.status}${seen.frame?.error === undefined ? "" : " with an error"}`;
}

const broken = ({ code, message }: NodeJS.ErrnoException): Seen => ({ kind: "broken", how: code ?? message });

async function read(post: Post, response: IncomingMessage): Promise<Seen> {
  const frame = await (/^text\/event-stream\b/i.test(response.headers["content-type"] ?? "")
    ? answerIn(response, post)
    : response.toArray().then((chunks: Buffer[]) => parsed(Buffer.concat(chunks).toString("utf8"))));
  const session = response.headers["mcp-session-id"];
  return {
    kind: "answered",
    status: response.statusCode ?? 0,
    ...(isFrame(frame) && { frame }),
    ...(typeof session === "string" && { session }),
  };
}

/** @throws when the stream ends before the answer */
function answerIn(response: IncomingMessage, { heard }: Post): Promise<Frame> {
  return new Promise((resolve, reject) => {
    void readSse(Readable.toWeb(response) as ReadableStream<Uint8Array>, {
      event: ({ data }) => {
        const frame = parsed(data);
        if (!isFrame(frame)) return;
        if (isAnswer(frame)) resolve(frame);
        else heard?.(frame);
      },
      end: (error) => reject(error ?? new Error("the stream ended without an answer")),
    });
  });
}
