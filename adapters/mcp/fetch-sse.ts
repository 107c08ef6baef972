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

const BOUNDARY = /\r\n\r\n|\n\n|\r\r/;

/** Reads to the end, whoever else listens: a late answer is evidence. */
export async function readSse(body: ReadableStream<Uint8Array> | null, listener: SseListener): Promise<void> {
  let rest = "";
  const decoder = new TextDecoder();
  const take = (text: string): void => {
    rest += text;
    for (let cut = BOUNDARY.exec(rest); cut; cut = BOUNDARY.exec(rest)) {
      const end = cut.index + cut[0].length;
      const event = rest.slice(0, end);
      rest = rest.slice(end);
      listener.event(parse(event));
    }
  };
  try {
    for await (const chunk of body ?? []) take(decoder.decode(chunk, { stream: true }));
    take(decoder.decode());
    if (rest !== "") listener.event({ ...parse(rest), data: "" });
  } catch (error) {
    listener.end(error);
    return;
  }
  listener.end();
}

function parse(text: string): SseEvent {
  const data: string[] = [];
  let id: string | undefined;
  for (const line of text.split(/\r\n|\n|\r/)) {
    const [, name, value = ""] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
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
