/**
 * One `tools/call` of a client on its way through the guard: the request that waits for its reply, and the attempts made
 * for it. The same for the tap and for guardFetch: what differs is the {@link Waiter}, which knows how to send and how to
 * reply.
 */

import { type Attempt, currentCallContext, type Wire, type WireEvidence } from "../../src/entries/wire.ts";
import type { CallContext, Outcome } from "../../src/index.ts";
import { evidenceOfAnswer, notSent } from "./evidence.ts";
import { createFlight, type Flight } from "./flight.ts";
import { followsTasks, isTask, metaOf, type RequestId, type ToolCallFrame, withId } from "./frames.ts";
import type { Call, CallHost, Received, Waiter } from "./guarded-call.ts";
import { isQuestion, legOf, questionFor, startLeg, startWaiting } from "./legs.ts";
import { replyFor } from "./reply.ts";
import { clientScope } from "./scope.ts";
import { handleGiven } from "./task-watch.ts";

export function startCall(host: CallHost, waiter: Waiter): Call {
  const context = currentCallContext();
  const scope = clientScope.getStore();
  const call: Call = {
    first: waiter.frame,
    signal: context.signal,
    scope,
    flights: [],
    received: new Map(),
    done: Promise.resolve(),
    waiter,
    listening: true,
    abandoned: false,
  };
  const running = perform(host, context, call);
  if (scope) startLeg(scope, running);
  call.done = running.then((outcome) => conclude(host, call, outcome)).catch((error: unknown) => fail(call, error));
  return call;
}

function perform(host: CallHost, context: CallContext, call: Call): Promise<Outcome> {
  const { name, arguments: args } = call.first.params;
  const leg = legOf(call.first);
  const deadline = context.deadline ?? host.deadline;
  const wire: Wire = {
    get headers() {
      return host.canSetHeaders();
    },
    send: (attempt) => send(host, call, attempt),
    followsTasks: handleExpected(call),
    ask: call.waiter.ask,
  };
  return host.guard.perform(
    {
      ...context,
      server: host.server,
      tool: name,
      arguments: args,
      ...(leg && { leg }),
      ...(deadline !== undefined && { deadline }),
    },
    wire,
  );
}

/** The clients behind a guarded client cannot drive a task that they did not ask for in so many words. */
export const handleExpected = ({ first, scope }: Call): boolean => (scope ? isTask(first) : followsTasks(first));

/** Re-checks the abort after admission: a caller that left while we waited for the store must not cause a write. */
function send(host: CallHost, call: Call, attempt: Attempt): Promise<WireEvidence> {
  if (call.abandoned || call.signal?.aborted || attempt.cancel.aborted) {
    return Promise.resolve(notSent("aborted_before_send"));
  }
  const id = call.flights.length === 0 ? call.first.id : host.freshId();
  const flight = createFlight(attempt, frameOfAttempt(call.first, attempt, id));
  call.flights.push(flight);
  call.waiter.transmit(flight, call);
  return flight.evidence;
}

/**
 * The client's frame with what the attempt says; everything else in it is the client's own. The very same object where
 * the attempt adds nothing: who has its bytes sends those.
 */
function frameOfAttempt(frame: ToolCallFrame, attempt: Attempt, id: RequestId): ToolCallFrame {
  if (id === frame.id && addsNothing(frame, attempt)) return frame;
  const meta = { ...metaOf(frame), ...attempt.meta };
  const named = frame.params.arguments !== undefined || Object.keys(attempt.arguments).length > 0;
  const params = {
    ...frame.params,
    ...(named && { arguments: attempt.arguments }),
    ...(Object.keys(meta).length > 0 && { _meta: meta }),
  };
  return { ...frame, id, params };
}

const addsNothing = (frame: ToolCallFrame, { meta = {}, arguments: args }: Attempt): boolean =>
  Object.keys(meta).length === 0 && JSON.stringify(args) === JSON.stringify(frame.params.arguments ?? {});

export function answered(call: Call, flight: Flight, received: Received): void {
  const { frame } = received;
  flight.http.heard = true;
  if (frame.result !== undefined) call.received.set(frame.result, received);
  if (isQuestion(frame)) call.question = received;
  flight.settle(evidenceOfAnswer(frame));
}

/** Its client comes for the outcome once more, on another way. */
export function tellAgain(host: CallHost, call: Call, outcome: Outcome): void {
  call.listening = true;
  handOver(host, call, outcome);
}

function conclude(host: CallHost, call: Call, outcome: Outcome): void {
  call.outcome = outcome;
  if (call.scope) call.scope.outcome = outcome;
  if (call.listening) handOver(host, call, outcome);
  else {
    call.scope?.aside(outcome);
    if (call.abandoned) call.waiter.late?.(replyFor(host.guard, call, outcome));
  }
}

function handOver(host: CallHost, call: Call, outcome: Outcome): void {
  call.listening = false;
  if (outcome.kind === "rejected" && outcome.answer === undefined && call.waiter.refused()) {
    if (call.scope) call.scope.refused = true;
    return;
  }
  const question = questionFor(call, outcome);
  if (question) {
    startWaiting(host, call, outcome);
    void call.waiter.reply({ ...question, frame: withId(question.frame, call.waiter.frame.id) });
    return;
  }
  const reply = handleOf(host, call, outcome) ?? replyFor(host.guard, call, outcome);
  if (call.scope) call.scope.reply = reply.frame;
  const told = (taken: boolean): void => {
    if (taken) {
      if (call.scope) call.scope.handedOver = true;
      host.guard.delivered(outcome);
    } else call.scope?.aside(outcome);
  };
  const taken = call.waiter.reply(reply);
  if (typeof taken === "boolean") told(taken);
  else void taken.then(told, () => told(false));
}

/** The handle of a running task, in the frame that it came in: for a caller who follows it. */
function handleOf(host: CallHost, call: Call, outcome: Outcome): Received | undefined {
  if (outcome.kind !== "uncertain" || outcome.reason !== "task_running" || !handleExpected(call)) return undefined;
  const { answer } = outcome;
  const original = answer?.kind === "result" ? call.received.get(answer.result) : undefined;
  if (!original) return undefined;
  handleGiven(host, original.frame, outcome.operation);
  return { ...original, frame: withId(original.frame, call.waiter.frame.id) };
}

function fail(call: Call, error: unknown): void {
  call.listening = false;
  if (call.scope) call.scope.refused = true;
  call.waiter.fail(error);
}

/** The client took back the request that waits. */
export function abandon(call: Call): void {
  call.abandoned = true;
  call.listening = false;
  call.waiter.leave();
}
