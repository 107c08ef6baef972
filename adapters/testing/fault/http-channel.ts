import type { ServerResponse } from "node:http";
import type { HttpReplies, ReplyChannel } from "./channel.ts";
import type { JsonObject } from "./json.ts";

const EVENT_STREAM = { "content-type": "text/event-stream", "cache-control": "no-cache" };
const JSON_BODY = { "content-type": "application/json" };

/** What a channel needs of its server. */
export interface HttpHost {
  readonly answers: "json" | "sse";
  /** Keeps an answer for a GET with this `Last-Event-ID`; returns the event id. */
  keepForResume(message: JsonObject | undefined): string;
  /** Drops all connections and refuses new ones. */
  crash(): void;
}

/** The way back over Streamable HTTP: a JSON body, or an event stream as soon as something precedes the answer. */
export function httpChannel(
  response: ServerResponse,
  host: HttpHost,
  headers: Readonly<Record<string, string>>,
  onCallerGone: () => void,
): ReplyChannel {
  let brokenByUs = false;
  response.on("error", () => {});
  response.on("close", () => {
    if (!response.writableFinished && !brokenByUs) onCallerGone();
  });

  /** A TCP reset where the platform can do it. */
  function reset(): void {
    brokenByUs = true;
    response.socket?.resetAndDestroy();
  }

  function openStream(): void {
    if (response.headersSent || response.destroyed) return;
    response.writeHead(200, { ...EVENT_STREAM, ...headers });
    response.flushHeaders();
  }

  function status(code: number, extra: Readonly<Record<string, string>>, body: string): void {
    if (response.destroyed) return;
    response.writeHead(code, { ...headers, ...extra });
    response.end(body);
  }

  function answer(message: JsonObject, code = 200): void {
    if (host.answers === "sse" && code === 200) openStream();
    if (response.headersSent) response.end(event(message));
    else status(code, JSON_BODY, JSON.stringify(message));
  }

  function cut(message: JsonObject): void {
    const text = JSON.stringify(message);
    brokenByUs = true;
    response.writeHead(200, { ...JSON_BODY, ...headers, "content-length": String(Buffer.byteLength(text)) });
    response.write(text.slice(0, text.length / 2), () => response.destroy());
  }

  function stream(text: string, ending: "end" | "reset"): void {
    openStream();
    if (ending === "end") response.end(text);
    else response.write(text, reset);
  }

  const http: HttpReplies = {
    status,
    stream,
    resumable: (message) => stream(`id: ${host.keepForResume(message)}\nretry: 20\ndata: \n\n`, "end"),
  };
  return {
    transport: "http",
    notify: (message) => {
      openStream();
      response.write(event(message));
    },
    answer,
    raw: (text) => status(200, JSON_BODY, text),
    cut,
    end: () => stream("", "end"),
    reset,
    kill: host.crash,
    http,
  };
}

/** One server-sent event that carries a JSON-RPC message. */
export function event(message: JsonObject): string {
  return `event: message\ndata: ${JSON.stringify(message)}\n\n`;
}
