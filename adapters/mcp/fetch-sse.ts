/** Server-sent events in passing: whole events go on as they came, as soon as they are whole. */

export interface SseEvent {
  /** Verbatim, with the empty line that ends it. */
  readonly text: string;
  readonly data: string;
  readonly id?: string;
}

export interface SseListener {
  event(event: SseEvent): void;
  /** The stream is over; `error` is absent when it ended in good order. */
  end(error?: unknown): void;
}

/** The empty line that ends an event; lines end in any of three ways, also side by side. */
const BOUNDARY = /(?:\r\n|\n|\r(?!\n))(?:\r\n|\n|\r)/;
/** So much of a boundary may have come before the piece that ends it. */
const PART_OF_BOUNDARY = 3;

/** Reads to the end, whoever else listens: a late answer is evidence. */
export async function readSse(body: ReadableStream<Uint8Array> | null, listener: SseListener): Promise<void> {
  const events = eventsOf(listener);
  const decoder = new TextDecoder();
  try {
    for await (const chunk of body ?? []) events.take(decoder.decode(chunk, { stream: true }));
    events.take(decoder.decode());
    events.end();
  } catch (error) {
    listener.end(error);
    return;
  }
  listener.end();
}

/** Looks at each piece once: an event may be large, and come in many. */
function eventsOf(listener: SseListener): { take(text: string): void; end(): void } {
  let parts: string[] = [];
  let rest = "";
  return {
    take(text) {
      rest += text;
      for (let cut = BOUNDARY.exec(rest); cut; cut = BOUNDARY.exec(rest)) {
        const end = cut.index + cut[0].length;
        parts.push(rest.slice(0, end));
        rest = rest.slice(end);
        const event = parts.join("");
        parts = [];
        listener.event(parse(event));
      }
      const looked = Math.max(0, rest.length - PART_OF_BOUNDARY);
      if (looked > 0) parts.push(rest.slice(0, looked));
      rest = rest.slice(looked);
    },
    end() {
      const last = parts.join("") + rest;
      if (last !== "") listener.event({ ...parse(last), data: "" });
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
  end(): void;
  fail(error: unknown): void;
}

export function sseStream(like: Response): SseStream {
  const encoder = new TextEncoder();
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const stop = (act: (open: ReadableStreamDefaultController<Uint8Array>) => void): void => {
    const open = controller;
    controller = undefined;
    if (open) act(open);
  };
  const body = new ReadableStream<Uint8Array>({
    start: (started) => {
      controller = started;
    },
    cancel: () => {
      controller = undefined;
    },
  });
  return {
    response: responseLike(like, body),
    get open() {
      return controller !== undefined;
    },
    write: (text) => controller?.enqueue(encoder.encode(text)),
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
