import type { JsonObject } from "./json.ts";
import type { TransportKind } from "./script.ts";

/**
 * The way back to the caller of one request, as a transport offers it. It is the port between the behaviour, which is
 * the same everywhere, and the wire.
 */
export interface ReplyChannel {
  readonly transport: TransportKind;
  /** Sends a message ahead of the answer: progress, or a request of the server. */
  notify(message: JsonObject): void;
  /** Sends the answer and finishes. `status` is used over HTTP while nothing was sent yet. */
  answer(message: JsonObject, status?: number): void;
  /** Sends this text where the answer belongs: a body over HTTP, a line over stdio. */
  raw(text: string): void;
  /** Sends half of the answer, then the connection dies. */
  cut(message: JsonObject): void;
  /** Ends the stream in good order, without an answer. */
  end(): void;
  /** The connection breaks (HTTP), the process leaves (stdio). */
  reset(): void;
  /** The server dies as by `kill -9`: HTTP refuses connections until it is restarted. */
  kill(): void;
  /** What only HTTP can say. `checkStep` keeps such verbs away from stdio. */
  readonly http?: HttpReplies;
}

/** Replies of the HTTP layer, below JSON-RPC. */
export interface HttpReplies {
  status(code: number, headers: Readonly<Record<string, string>>, body: string): void;
  /** Opens an event stream, writes the text, then ends or breaks it. */
  stream(text: string, ending: "end" | "reset"): void;
  /** Ends a stream primed with an event id; a GET with `Last-Event-ID` gets the answer, or 405 without one. */
  resumable(message: JsonObject | undefined): void;
}
