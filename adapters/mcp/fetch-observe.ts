/** Below the tap: sees what HTTP hides from it, and lets one attempt be one request. */
import { httpFacts } from "../../src/entries/wire.ts";
import { type Ending, endingWith } from "./ending.ts";
import { evidenceOfAnswer, evidenceOfError, evidenceOfHttp, mayFollow, silence } from "./evidence.ts";
import type { FetchHost } from "./fetch-call.ts";
import { framesIn, type HttpRequest, isEventStream, isJson, untilAborted, withHeaders } from "./fetch-request.ts";
import { readSse, responseLike, sseStream } from "./fetch-sse.ts";
import type { Flight } from "./flight.ts";
import { idKey, isAnswer } from "./frames.ts";

/** Time for the client's own parser to hand a frame to the tap before our reading of it counts, in ms. */
const CLIENT_READS_WITHIN = 50;

export async function observe(
  flight: Flight,
  request: HttpRequest,
  { fetch, ownFetch, closing }: Pick<FetchHost, "fetch" | "ownFetch" | "closing">,
): Promise<Response> {
  const { http } = flight;
  if (!mayPost(flight)) {
    if (http.refusal) flight.settle({ kind: "http_status", ...http.refusal });
    throw new Error("This request has its answer; it is not sent again.");
  }
  http.posts += 1;
  if (http.posts > 1) flight.attempt.sentAgain();
  http.url = request.url;
  http.reading = true;
  delete http.refusal;
  const { signal } = request.init;
  // A client that closes its transport does not end our end of the request, a forwarded cancellation does.
  const over = endingWith(closing, flight.request.signal);
  const init = { ...withHeaders(request.init, flight.attempt.headers), signal: over.signal };
  const arriving = fetch(request.url, init).then(
    (response) => read(flight, response, signal, over),
    (error: unknown) => {
      over.release();
      http.reading = false;
      flight.settle(evidenceOfError(error, { id: flight.id, authInside: false, retriesInside: ownFetch }));
      throw error;
    },
  );
  arriving.catch(() => {});
  return untilAborted(arriving, signal);
}

/** The first POST, or one after a refusal that proves that the one before it was not accepted. */
const mayPost = ({ settled, http }: Flight): boolean =>
  !settled && (http.posts === 0 || (http.refusal !== undefined && mayFollow(http.refusal)));

async function read(
  flight: Flight,
  response: Response,
  client: AbortSignal | null | undefined,
  over: Ending,
): Promise<Response> {
  if (isEventStream(response) && response.ok) return readStream(flight, response, client, over);
  const { http, id } = flight;
  const facts = httpFacts(response);
  const body = response.ok && !isJson(response) ? "" : await response.text().catch(() => undefined);
  over.release();
  http.reading = false;
  if (!response.ok) refused(flight, facts, body);
  else if (response.status === 202) return response;
  else if (!isJson(response)) flight.settle(silence("unexpected_content"));
  else if (body === undefined) flight.settle(silence("connection_reset"));
  else note(flight, body, id);
  if (client?.aborted) conclude(flight);
  if (body === undefined) throw new TypeError("The answer broke off.");
  return response.ok && !isJson(response) ? response : responseLike(response, body);
}

function refused(flight: Flight, facts: ReturnType<typeof httpFacts>, body: string | undefined): void {
  flight.http.refusal = facts;
  if (!mayFollow(facts) && facts.status !== 401) flight.settle(evidenceOfHttp(facts, body, flight.id));
}

/** Keeps the answer, should the client's parser refuse it. */
function note(flight: Flight, text: string, id: Flight["id"]): void {
  const frame = framesIn(text).find((each) => isAnswer(each) && idKey(each.id) === idKey(id));
  if (frame) flight.http.answer = frame;
}

function conclude(flight: Flight): void {
  if (flight.http.answer) flight.settle(evidenceOfAnswer(flight.http.answer));
  else flight.settle(silence("connection_closed"));
}

function readStream(
  flight: Flight,
  response: Response,
  client: AbortSignal | null | undefined,
  over: Ending,
): Response {
  const { http, id } = flight;
  const stream = sseStream(response);
  let primed = false;
  const left = (): void => stream.fail(client?.reason);
  client?.addEventListener("abort", left, { once: true });
  void readSse(response.body, {
    event: ({ text, data, id: eventId }) => {
      if (eventId !== undefined) primed = true;
      if (data !== "") note(flight, data, id);
      stream.write(text);
      return stream.drained(over.signal);
    },
    end: (error) => {
      over.release();
      client?.removeEventListener("abort", left);
      if (error === undefined) stream.end();
      else stream.fail(error);
      http.reading = false;
      const ended = (): void => {
        if (http.heard) return;
        if (http.answer) flight.settle(evidenceOfAnswer(http.answer));
        else if (!primed || client?.aborted)
          flight.settle(silence(error === undefined ? "stream_ended" : "connection_reset"));
      };
      if (http.answer) setTimeout(ended, CLIENT_READS_WITHIN).unref();
      else ended();
    },
  });
  return stream.response;
}
