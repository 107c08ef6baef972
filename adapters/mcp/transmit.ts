/** The hand-over to the transport, and the ways in which a send ends without an answer. */

import type { Attempt, NotSentCause, TaskQuestion, Wire, WireEvidence } from "../../src/entries/wire.ts";
import type { JsonObject } from "../../src/index.ts";
import { askAttempt, askFrame } from "./ask.ts";
import { evidenceOfAnswer, evidenceOfError, notSent, silence } from "./evidence.ts";
import { createFlight, type Flight } from "./flight.ts";
import { idKey, type ToolCallFrame } from "./frames.ts";
import type { Call } from "./guarded-call.ts";
import { wireScope } from "./scope.ts";
import { depart, hasPerRequestStream, isConnected, type SendOptions, type Tap } from "./tap.ts";

/** What the tap has to know of the client's request beside the flight; absent for requests of our own. */
export interface Origin {
  readonly call: Call;
  readonly options: SendOptions | undefined;
  /** Hears what the transport threw. */
  failed(error: unknown): void;
}

export function transmit(tap: Tap, flight: Flight, origin?: Origin): void {
  const { attempt } = flight;
  const { call, options, failed } = origin ?? {};
  const refusal = whyNot(tap, flight);
  if (refusal) {
    flight.settle(notSent(refusal));
    return;
  }
  depart(tap, { flight, ...(call && { call }) });
  attempt.cancel.addEventListener("abort", () => cancelOnWire(tap, flight, options), { once: true });
  const sent = wireScope.run({ tap: tap.facts, flight }, () => handOver(tap, flight, options));
  sent.catch((error: unknown) => {
    failed?.(error);
    if (!flight.http.reading) flight.settle(evidenceOfRejection(tap, flight, error));
  });
}

function whyNot(tap: Tap, flight: Flight): NotSentCause | undefined {
  if (!isConnected(tap)) return "not_connected";
  return flight.attempt.mayStart() ? undefined : "permit_lost";
}

/** A transport may throw at once; the guard must hear of it like of any other rejection. */
async function handOver(tap: Tap, flight: Flight, options: SendOptions | undefined): Promise<void> {
  await tap.send(flight.frame, sendOptions(tap, flight, options));
}

/** The client's options with our own abort in the place of its own: its timers must not end what may still answer. */
function sendOptions(tap: Tap, flight: Flight, options: SendOptions | undefined): SendOptions | undefined {
  const { headers } = flight.attempt;
  const { id } = flight;
  const streamEnded = (): void => {
    if (tap.flights.get(idKey(id) ?? "")?.flight === flight) flight.settle(silence("stream_ended"));
    options?.onRequestStreamEnd?.();
  };
  const ours: SendOptions = {
    ...options,
    ...(headers && { headers: { ...options?.headers, ...headers } }),
    ...(options?.requestSignal && { requestSignal: flight.request.signal }),
    ...(options?.signal && { signal: flight.request.signal }),
    ...(hasPerRequestStream(tap.transport) && { onRequestStreamEnd: streamEnded }),
  };
  return options === undefined && Object.keys(ours).length === 0 ? undefined : ours;
}

function evidenceOfRejection(tap: Tap, flight: Flight, error: unknown): WireEvidence {
  const { http, request, id } = flight;
  if (http.answer && !http.heard) return evidenceOfAnswer(http.answer);
  if (http.refusal) return { kind: "http_status", ...http.refusal };
  if (tap.facts.fetchSeen && http.posts === 0) return notSent("not_connected");
  if (request.signal.aborted) return silence("caller_aborted");
  if (tap.facts.closed) return silence("connection_closed");
  return evidenceOfError(error, { id, authInside: !tap.facts.fetchSeen && authInside(tap.transport) });
}

/** An OAuth provider inside the transport may talk to other servers during one `send`. */
const authInside = (transport: object): boolean =>
  ["_authProvider", "authProvider", "_oauthProvider"].some((name) => {
    const provider: unknown = Reflect.get(transport, name);
    return provider !== undefined && provider !== null;
  });

/** Tells the server that the caller gave up. Only for a request that is out, and at most once. */
export function cancelOnWire(tap: Tap, flight: Flight, options: SendOptions | undefined): void {
  if (flight.settled || flight.request.signal.aborted || !tap.flights.has(idKey(flight.id) ?? "")) return;
  flight.request.abort();
  if (options?.requestSignal || options?.signal) {
    flight.settle(silence("caller_aborted"));
    return;
  }
  const params = {
    requestId: flight.id,
    reason: "The caller took the call back.",
    ...(tap.envelope && { _meta: tap.envelope }),
  };
  const sent = wireScope.run({ tap: tap.facts }, async () =>
    tap.send({ jsonrpc: "2.0", method: "notifications/cancelled", params }),
  );
  sent.catch(() => {});
}

/** The way to the server for reads by hooks and for resends: no client waits, so every id is our own. */
export function wireOf(tap: Tap): Wire {
  return {
    get headers() {
      return tap.canSetHeaders();
    },
    send: (attempt) => {
      const flight = createFlight(attempt, ownFrame(tap, attempt));
      transmit(tap, flight);
      return flight.evidence;
    },
    ask: askOn(tap),
  };
}

/** Asks the server about a task of its own. */
export const askOn =
  (tap: Tap) =>
  (question: TaskQuestion): Promise<WireEvidence> => {
    const flight = createFlight(askAttempt(question), askFrame(question, tap.freshId(), tap.envelope));
    transmit(tap, flight);
    return flight.evidence;
  };

function ownFrame(tap: Tap, attempt: Attempt): ToolCallFrame {
  const meta: JsonObject = { ...tap.envelope, ...attempt.meta };
  const params = {
    name: attempt.tool,
    arguments: attempt.arguments,
    ...(Object.keys(meta).length > 0 && { _meta: meta }),
  };
  return { jsonrpc: "2.0", id: tap.freshId(), method: "tools/call", params };
}
