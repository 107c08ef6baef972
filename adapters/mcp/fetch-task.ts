/** Without a tap: questions about the task that the server made of a call, and what the server asks for it. */
import type { TaskQuestion, WireEvidence } from "../../src/entries/wire.ts";
import { silence } from "./evidence.ts";
import { type Fetch, framesIn, type HttpRequest } from "./fetch-request.ts";
import { type SseEvent, type SseStream, sseStream } from "./fetch-sse.ts";
import { envelopeOf, isModern, isRequest, type ToolCallFrame } from "./frames.ts";
import type { CallHost } from "./guarded-call.ts";
import { modernHeaders } from "./modern-headers.ts";
import { httpWire } from "./relay/wire.ts";

interface Host extends Pick<CallHost, "freshId"> {
  readonly fetch: Fetch;
  readonly closing: AbortSignal;
}

/** The client's end of its request. */
export interface WaitingClient {
  /** Settles the client's `fetch`. */
  readonly respond: (response: Response | PromiseLike<Response>) => void;
  stream?: SseStream;
}

/** Names of headers that speak of the call itself. */
const OF_THE_CALL = /^(mcp-method|mcp-name|mcp-param-.*|content-length)$/i;

/** With the session and sign-in of the call; nothing else of it is kept. */
export function askOnWayOf(
  host: Host,
  { url, init }: HttpRequest,
  call: ToolCallFrame,
  client: WaitingClient,
): (question: TaskQuestion) => Promise<WireEvidence> {
  const { headers } = init;
  const modern = isModern(call);
  const envelope = envelopeOf(call);
  return (question) => {
    const kept = [...new Headers(headers)].filter(([name]) => !OF_THE_CALL.test(name));
    const wire = httpWire({
      url,
      fetch: host.fetch,
      headers: (frame) => ({ ...Object.fromEntries(kept), ...(modern && modernHeaders(frame)) }),
      envelope,
      freshId: host.freshId,
      closing: host.closing,
      heard: (event, signal) => passQuestion(client, event, signal),
    });
    return wire.ask?.(question) ?? Promise.resolve(silence("transport_error"));
  };
}

/** Its event id belongs to another stream: the client must not go on reading there. */
const EVENT_ID = /(?<=^|[\r\n])id(?::[^\r\n]*)?(?:\r\n|\n|\r)/g;

/** To the client of the call, in the answer that the call waits for, at its pace. */
function passQuestion(client: WaitingClient, { data, text }: SseEvent, signal: AbortSignal): Promise<void> | undefined {
  if (!framesIn(data).some(isRequest)) return undefined;
  if (!client.stream) {
    client.stream = sseStream(new Response(null, { headers: { "content-type": "text/event-stream" } }));
    client.respond(client.stream.response);
  }
  client.stream.write(text.replace(EVENT_ID, ""));
  return client.stream.drained(signal);
}
