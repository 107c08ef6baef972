/** The way to an HTTP server for hooks, resends and questions about tasks, where a relay has no client of its own: one POST per attempt. */
import type { Attempt, JsonObject, Wire, WireEvidence } from "../../../src/index.ts";
import { askAttempt, askFrame } from "../ask.ts";
import { endingWith } from "../ending.ts";
import { evidenceOfAnswer, evidenceOfError, evidenceOfHttp, httpFacts, notSent, silence } from "../evidence.ts";
import { type Fetch, framesIn, isEventStream, isJson } from "../fetch-request.ts";
import { readSse, type SseEvent } from "../fetch-sse.ts";
import { idKey, isAnswer, type RequestFrame, type RequestId } from "../frames.ts";

export interface HttpWireOptions {
  readonly url: string;
  readonly fetch: Fetch;
  /** Session, sign-in and protocol headers of the connection, as they are now. */
  headers(frame: RequestFrame): Record<string, string>;
  /** What each request of the 2026 era carries in `_meta`. */
  readonly envelope?: JsonObject | undefined;
  freshId(): RequestId;
  readonly closing: AbortSignal;
  /** What the server says in an answer stream before the answer, e.g. a question of its own. @default it is left out */
  heard?(event: SseEvent): void;
}

export function httpWire(options: HttpWireOptions): Wire {
  return {
    headers: true,
    send(attempt) {
      const id = options.freshId();
      const meta = { ...options.envelope, ...attempt.meta };
      const named = { name: attempt.tool, arguments: attempt.arguments };
      const params = Object.keys(meta).length > 0 ? { ...named, _meta: meta } : named;
      return post(options, attempt, { jsonrpc: "2.0", id, method: "tools/call", params });
    },
    ask: (question) => post(options, askAttempt(question), askFrame(question, options.freshId(), options.envelope)),
  };
}

async function post(options: HttpWireOptions, attempt: Attempt, frame: RequestFrame): Promise<WireEvidence> {
  const { id } = frame;
  const headers = new Headers({ ...options.headers(frame), ...attempt.headers });
  headers.set("content-type", "application/json");
  headers.set("accept", "application/json, text/event-stream");
  const { signal, release } = endingWith(options.closing, attempt.cancel);
  try {
    if (!attempt.mayStart()) return notSent("permit_lost");
    const init = { method: "POST", headers, body: JSON.stringify(frame), signal };
    return await evidenceIn(options, await options.fetch(options.url, init), id);
  } catch (error) {
    if (signal.aborted) return silence("caller_aborted");
    return evidenceOfError(error, { id, authInside: false });
  } finally {
    release();
  }
}

async function evidenceIn(options: HttpWireOptions, response: Response, id: RequestId): Promise<WireEvidence> {
  if (response.ok && isEventStream(response)) return evidenceInStream(options, response, id);
  const text = await response.text().catch(() => undefined);
  if (!response.ok) return evidenceOfHttp(httpFacts(response), text, id);
  if (response.status === 202 || !isJson(response)) return silence("unexpected_content");
  return (text === undefined ? undefined : answerIn(text, id)) ?? silence("unreadable_answer");
}

async function evidenceInStream(options: HttpWireOptions, response: Response, id: RequestId): Promise<WireEvidence> {
  let evidence: WireEvidence = silence("stream_ended");
  await readSse(response.body, {
    event: (event) => {
      const answer = answerIn(event.data, id);
      if (!answer) options.heard?.(event);
      evidence = answer ?? evidence;
    },
    end: () => {},
  });
  return evidence;
}

function answerIn(text: string, id: RequestId): WireEvidence | undefined {
  const frame = framesIn(text).find((each) => isAnswer(each) && idKey(each.id) === idKey(id));
  return frame && evidenceOfAnswer(frame);
}
