/** The way to an HTTP server for hooks, resends and questions about tasks, where a relay has no client of its own: one POST per attempt. */

import type { Attempt, Wire, WireEvidence } from "../../../src/entries/wire.ts";
import { httpFacts } from "../../../src/entries/wire.ts";
import type { JsonObject } from "../../../src/index.ts";
import { askAttempt, askFrame } from "../ask.ts";
import { endingWith } from "../ending.ts";
import { evidenceOfAnswer, evidenceOfError, evidenceOfHttp, notSent, silence } from "../evidence.ts";
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
  /**
   * What the server says in an answer stream before the answer, e.g. a question of its own. Nothing more is read until a
   * promise that it returns resolves.
   * @param signal aborts when the answer is not waited for any more
   * @default it is left out
   */
  heard?(event: SseEvent, signal: AbortSignal): Promise<void> | void;
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
    return await evidenceIn({ options, id, signal }, await options.fetch(options.url, init));
  } catch (error) {
    if (signal.aborted) return silence("caller_aborted");
    return evidenceOfError(error, { id, authInside: false });
  } finally {
    release();
  }
}

interface Posted {
  readonly options: HttpWireOptions;
  readonly id: RequestId;
  readonly signal: AbortSignal;
}

async function evidenceIn(posted: Posted, response: Response): Promise<WireEvidence> {
  const { id } = posted;
  if (response.ok && isEventStream(response)) return evidenceInStream(posted, response);
  const text = await response.text().catch(() => undefined);
  if (!response.ok) return evidenceOfHttp(httpFacts(response), text, id);
  if (response.status === 202 || !isJson(response)) return silence("unexpected_content");
  return (text === undefined ? undefined : answerIn(text, id)) ?? silence("unreadable_answer");
}

async function evidenceInStream({ options, id, signal }: Posted, response: Response): Promise<WireEvidence> {
  let evidence: WireEvidence = silence("stream_ended");
  await readSse(response.body, {
    event: (event) => {
      const answer = answerIn(event.data, id);
      if (!answer) return options.heard?.(event, signal);
      evidence = answer;
    },
    end: () => {},
  });
  return evidence;
}

function answerIn(text: string, id: RequestId): WireEvidence | undefined {
  const frame = framesIn(text).find((each) => isAnswer(each) && idKey(each.id) === idKey(id));
  return frame && evidenceOfAnswer(frame);
}
