/** Server-sent events in passing: whole events go on as they came, as soon as they are whole. */
import { untilAborted } from "./fetch-request.ts";

export interface SseEvent {
  /** Verbatim, with the empty line that ends it. */
  readonly text: string;
  readonly data: string;
  readonly id?: string;
}

export interface SseListener {
  /** Nothing more is read until a promise that it returns resolves. */
  event(event: SseEvent): Promise<void> | void;
  /** The stream is over; `error` is absent when it ended in good order. */
  end(error?: unknown): void;
}

/** The empty line that ends an event; lines end in any of three ways, also side by side. */
const BOUNDARY = /(?:\r\n|\n|\r(?!\n))(?:\r\n|\n|\r)/;
/** So much of a boundary may have come before the piece that ends it. */
const PART_OF_BOUNDARY = 3;

/** Reads to the end, whoever else listens: a late answer is evidence. */
export async function readSse(body: ReadableStream<Uint8Array> | null, listener: SseListener): Promise<void> {
  const events = eventsIn();
  try {
    for await (const chunk of body ?? []) for (const event of events.take(chunk)) await listener.event(event);
    for (const event of events.rest()) await listener.event(event);
  } catch (error) {
    listener.end(error);
    return;
  }
  listener.end();
}

/** The same stream; whoever reads it sets the pace, and each event is heard before it passes. */
export function overhearing(body: ReadableStream<Uint8Array>, hear: (event: SseEvent) => void): typeof body {
  const events = eventsIn();
  return body.pipeThrough(
    new TransformStream({
      transform(chunk, controller) {
        events.take(chunk).forEach(hear);
        controller.enqueue(chunk);
      },
    }),
  );
}

interface EventsInPieces {
  /** Events that are whole with this piece. */
  take(piece: Uint8Array): readonly SseEvent[];
  /** What is left at the end of the stream. */
  rest(): readonly SseEvent[];
}

/** Looks at each piece once: an event may be large, and come in many. */
function eventsIn(): EventsInPieces {
  const decoder = new TextDecoder();
  let parts: string[] = [];
  let rest = "";
  function whole(text: string): readonly SseEvent[] {
    const events: SseEvent[] = [];
    rest += text;
    for (let cut = BOUNDARY.exec(rest); cut; cut = BOUNDARY.exec(rest)) {
      const end = cut.index + cut[0].length;
      parts.push(rest.slice(0, end));
      rest = rest.slice(end);
      events.push(parse(parts.join("")));
      parts = [];
    }
    const looked = Math.max(0, rest.length - PART_OF_BOUNDARY);
    if (looked > 0) parts.push(rest.slice(0, looked));
    rest = rest.slice(looked);
    return events;
  }
  return {
    take: (piece) => whole(decoder.decode(piece, { stream: true })),
    rest() {
      const events = whole(decoder.decode());
      const last = parts.join("") + rest;
      return last === "" ? events : [...events, { ...parse(last), data: "" }];
    },
  };
}

function parse(text: string): SseEvent {
  const data: string[] = [];
  let id: string | undefined;
  for (const line of text.split(/\r\n|\n|\r/)) {
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (name === "data") data.push(value);
    if (name === "id") id = value;
  }
  return { text, data: data.join("\n"), ...(id !== undefined && { id }) };
}

export const sseMessage = (message: unknown): string => `event: message\ndata: ${JSON.stringify(message)}\n\n`;

/** The client's end of an event stream that we write. */
export interface SseStream {
  readonly response: Response;
  readonly open: boolean;
  write(text: string): void;
  /** Undefined, or settles when its reader has caught up or the stream is over. */
  drained(signal: AbortSignal): Promise<void> | undefined;
  end(): void;
  fail(error: unknown): void;
}

/** A stream waits for a reader who is so far behind, in bytes: an answer that comes sooner is known without one. */
const FURTHEST_BEHIND = 256 * 1024;

export function sseStream(like: Response): SseStream {
  const encoder = new TextEncoder();
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const waiting: (() => void)[] = [];
  const goOn = (): void => {
    for (const resolve of waiting.splice(0)) resolve();
  };
  const stop = (act: (open: ReadableStreamDefaultController<Uint8Array>) => void): void => {
    const open = controller;
    controller = undefined;
    if (open) act(open);
    goOn();
  };
  const body = new ReadableStream<Uint8Array>(
    {
      start: (started) => {
        controller = started;
      },
      pull: goOn,
      cancel: () => stop(() => {}),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: FURTHEST_BEHIND }),
  );
  return {
    response: responseLike(like, body),
    get open() {
      return controller !== undefined;
    },
    write: (text) => controller?.enqueue(encoder.encode(text)),
    drained(signal) {
      if ((controller?.desiredSize ?? 1) > 0) return undefined;
      return untilAborted(new Promise((resolve) => waiting.push(resolve)), signal);
    },
    end: () => stop((open) => open.close()),
    fail: (error) => stop((open) => open.error(error)),
  };
}

/** The same status and headers with a body that is decoded already. */
export function responseLike(like: Response, body: ReadableStream<Uint8Array> | string | null): Response {
  const headers = new Headers(like.headers);
  headers.delete("content-encoding");
  headers.delete("content-length");
  const { status, statusText } = like;
  return new Response([204, 205, 304].includes(status) ? null : body, { status, statusText, headers });
}
