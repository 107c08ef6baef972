/** Without a tap: questions about the task that the server made of a call, and what the server asks for it. */
import type { TaskQuestion, WireEvidence } from "../../src/index.ts";
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

/** The request of the call, and its client that waits. */
interface Asking {
  readonly request: HttpRequest;
  readonly respond: (response: Response) => void;
  stream?: SseStream;
}

/** Names of headers that speak of the call itself. */
const OF_THE_CALL = /^(mcp-method|mcp-name|mcp-param-.*|content-length)$/i;

/** With the session and sign-in of the call. */
export function askOnWayOf(
  host: Host,
  asking: Asking,
  call: ToolCallFrame,
  question: TaskQuestion,
): Promise<WireEvidence> {
  const { url, init } = asking.request;
  const kept = [...new Headers(init.headers)].filter(([name]) => !OF_THE_CALL.test(name));
  const wire = httpWire({
    url,
    fetch: host.fetch,
    headers: (frame) => ({ ...Object.fromEntries(kept), ...(isModern(call) && modernHeaders(frame)) }),
    envelope: envelopeOf(call),
    freshId: host.freshId,
    closing: host.closing,
    heard: (event, signal) => passQuestion(asking, event, signal),
  });
  return wire.ask?.(question) ?? Promise.resolve(silence("transport_error"));
}

/** Its event id belongs to another stream: the client must not go on reading there. */
const EVENT_ID = /(?<=^|[\r\n])id(?::[^\r\n]*)?(?:\r\n|\n|\r)/g;

/** To the client of the call, in the answer that the call waits for, at its pace. */
function passQuestion(asking: Asking, { data, text }: SseEvent, signal: AbortSignal): Promise<void> | undefined {
  if (!framesIn(data).some(isRequest)) return undefined;
  if (!asking.stream) {
    asking.stream = sseStream(new Response(null, { headers: { "content-type": "text/event-stream" } }));
    asking.respond(asking.stream.response);
  }
  asking.stream.write(text.replace(EVENT_ID, ""));
  return asking.stream.drained(signal);
}
