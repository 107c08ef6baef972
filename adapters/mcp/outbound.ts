/** What the client sends: tool calls go to the guard, cancellations to the policy, everything else passes. */
import { AsyncLocalStorage } from "node:async_hooks";
import { IndoubtError } from "../../src/index.ts";
import { abandon, startCall } from "./call.ts";
import { isAuthError } from "./evidence.ts";
import type { Flight } from "./flight.ts";
import {
  envelopeOf,
  type Frame,
  idKey,
  isAnswer,
  isFrame,
  isRequest,
  isToolCall,
  type ToolCallFrame,
} from "./frames.ts";
import type { Call, Waiter } from "./guarded-call.ts";
import { askedPage } from "./lists.ts";
import { goOn } from "./questions.ts";
import { wireScope } from "./scope.ts";
import { deliver, type SendOptions, type Tap } from "./tap.ts";
import { askedTask } from "./task-watch.ts";
import { askOn, cancelOnWire, transmit, wireOf } from "./transmit.ts";

type Options = SendOptions | undefined;

export function outbound(tap: Tap, message: unknown, options: Options): Promise<void> {
  if (Array.isArray(message) && message.some(isToolCall)) return refuseBatch();
  if (!isFrame(message)) return pass(tap, message, options);
  if (isToolCall(message)) return toolCall(tap, message, options);
  const cancelled = message.method === "notifications/cancelled" ? idKey(message.params?.requestId) : undefined;
  const call = cancelled === undefined ? undefined : tap.waiting.get(cancelled);
  if (call) {
    takeBack(tap, call, options);
    return Promise.resolve();
  }
  notice(tap, message);
  return pass(tap, message, options);
}

/** Everything that is no tool call goes on untouched; a `fetch` below learns whose transport it serves. */
const pass = (tap: Tap, message: unknown, options: Options): Promise<void> =>
  wireScope.run({ tap: tap.facts, sending: message }, () => tap.send(message, options));

function refuseBatch(): Promise<void> {
  const text = "A batch that contains tools/call is not sent. Send each call as a message of its own.";
  return Promise.reject(new IndoubtError("CALL_REFUSED", text, { details: { because: "batch" } }));
}

function notice(tap: Tap, message: Frame): void {
  const envelope = envelopeOf(message);
  if (envelope) tap.envelope = envelope;
  const key = idKey(message.id);
  if (message.method === "initialize" || message.method === "server/discover") reopen(tap);
  if (message.method === "notifications/initialized" || message.method?.startsWith("tools/")) register(tap);
  if (key === undefined) return;
  if (isAnswer(message)) {
    goOn(tap.asked, key);
  } else if (isRequest(message)) {
    tap.answeredIds.delete(key);
    if (message.method === "tools/list") tap.lists.set(key, askedPage(tap, message));
    const task = askedTask(tap, message);
    if (task) tap.askedTasks.set(key, task);
  }
}

/** A transport that starts again, with a client that counts its ids from the beginning. */
function reopen(tap: Tap): void {
  tap.facts.closed = false;
  tap.facts.gone = false;
}

/** From here on the server can be asked: by hooks, and for resends. */
function register(tap: Tap): void {
  tap.disconnect ??= tap.guard.connected(tap.server, wireOf(tap));
}

function toolCall(tap: Tap, message: ToolCallFrame, options: Options): Promise<void> {
  const scope = wireScope.getStore();
  if (scope?.flight?.frame === message) return rePost(tap, scope.flight, message, options);
  notice(tap, message);
  return new Promise((resolve, reject) => {
    const call = startCall(tap, waiterFor(tap, message, options, resolve, reject));
    tap.calls.add(call);
    void call.done.then(() => tap.calls.delete(call));
    listen(tap, call, message, options);
  });
}

/** v1 sends the same frame again from inside its own `send`, after 401 and 403. */
function rePost(tap: Tap, flight: Flight, message: ToolCallFrame, options: Options): Promise<void> {
  if (flight.settled) return Promise.reject(new Error("This request has its answer; it is not sent again."));
  return tap.send(message, options);
}

/** From now on the client may take this request back. */
function listen(tap: Tap, call: Call, request: ToolCallFrame, options: Options): void {
  const key = idKey(request.id);
  if (key !== undefined) tap.waiting.set(key, call);
  const signal = options?.requestSignal ?? options?.signal;
  const taken = (): void => {
    takeBack(tap, call, options);
  };
  if (signal?.aborted) taken();
  else signal?.addEventListener("abort", taken, { once: true });
}

/**
 * The client stopped listening. The server is told only if the policy says so and the caller itself left: a timer of
 * the client looks the same on the wire. A call that was joined or not sent has no request of its own to cancel.
 */
function takeBack(tap: Tap, call: Call, options: Options): void {
  if (!call.listening) return;
  abandon(call);
  const flight = call.flights.at(-1);
  const forward = tap.guard.wirePolicy(tap.server, call.first.params.name).cancel === "forward";
  if (flight && forward && call.signal?.aborted) cancelOnWire(tap, flight, options);
}

function waiterFor(
  tap: Tap,
  frame: ToolCallFrame,
  options: Options,
  resolve: () => void,
  reject: (error: unknown) => void,
): Waiter {
  const inCall = AsyncLocalStorage.snapshot();
  const end = (): void => {
    tap.waiting.delete(idKey(frame.id) ?? "");
    resolve();
  };
  let last: unknown;
  const failed = (error: unknown): void => {
    last = error;
  };
  return {
    frame,
    transmit: (flight, call) => transmit(tap, flight, { call, options, failed }),
    ask: askOn(tap),
    reply: ({ frame: reply, passedOn }) => {
      end();
      return inCall(() => wireScope.run({ tap: tap.facts }, () => deliver(tap, reply, passedOn)));
    },
    refused: () => {
      if (!isAuthError(last)) return false;
      reject(last);
      end();
      return true;
    },
    fail: (error) => {
      reject(error);
      end();
    },
    leave: end,
  };
}
