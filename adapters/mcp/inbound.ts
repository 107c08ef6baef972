/** What the server sends: answers to guarded calls are held for the guard, everything else passes. */

import type { ToolDefinition } from "../../src/entries/wire.ts";
import { answered } from "./call.ts";
import { evidenceOfAnswer } from "./evidence.ts";
import { type Frame, idKey, isAnswer, isFrame, isObject, isRequest } from "./frames.ts";
import { heardChange, pageOf, placeOf, releaseIn } from "./lists.ts";
import { waitFor } from "./questions.ts";
import { wireScope } from "./scope.ts";
import { arrive, type Departed, type MessageHandler, pass, type Tap } from "./tap.ts";
import { taskAnswered } from "./task-watch.ts";

/** Requests by which a server asks somebody on the client's side. */
const QUESTIONS = ["elicitation/create", "sampling/createMessage", "roots/list"];

export function inbound(tap: Tap, message: unknown, extra: unknown, handler: MessageHandler): void {
  if (tap.delivering === message || !isFrame(message)) handler(message, extra);
  else if (isAnswer(message)) answer(tap, message, extra, handler);
  else if (message.method === "notifications/progress") progress(tap, message, extra, handler);
  else {
    heardChange(tap, message);
    if (isRequest(message) && QUESTIONS.includes(message.method)) question(tap, message);
    pass(tap, handler, message, extra);
  }
}

function answer(tap: Tap, frame: Frame, extra: unknown, handler: MessageHandler): void {
  const departed = arrive(tap, frame);
  const key = idKey(frame.id) ?? "";
  if (departed) settle(departed, frame, extra);
  // A call that waits and is not out was not asked of this server: it is joined, held or about to be recorded.
  else if (!tap.answeredIds.has(key) && !tap.waiting.has(key)) {
    tools(tap, frame);
    task(tap, frame);
    pass(tap, handler, frame, extra);
  }
}

function task(tap: Tap, frame: Frame): void {
  const key = idKey(frame.id) ?? "";
  const asked = tap.askedTasks.get(key);
  if (asked && tap.askedTasks.delete(key)) taskAnswered(tap, asked, frame);
}

function settle({ call, flight }: Departed, frame: Frame, extra: unknown): void {
  if (call) answered(call, flight, { frame, passedOn: extra });
  else flight.settle(evidenceOfAnswer(frame));
}

function tools(tap: Tap, frame: Frame): void {
  const { result } = frame;
  if (isObject(result) && typeof result.protocolVersion === "string") tap.release = releaseIn(result);
  const key = idKey(frame.id) ?? "";
  const asked = tap.lists.get(key);
  tap.lists.delete(key);
  if (!asked || !isObject(result) || !Array.isArray(result.tools)) return;
  const named = result.tools.filter((tool) => isObject(tool) && typeof tool.name === "string");
  const identity = placeOf(tap.transport);
  const about = { ...(tap.release && { release: tap.release }), ...(identity && { identity }) };
  tap.guard.toolsSeen(tap.server, named as unknown as ToolDefinition[], pageOf(asked, result, about));
}

/** Passed on while its call waits; after a local answer the client would not know the token any more. */
function progress(tap: Tap, frame: Frame, extra: unknown, handler: MessageHandler): void {
  const departed = tap.progress.get(idKey(frame.params?.progressToken) ?? "");
  if (departed) departed.flight.attempt.progressed();
  if (!departed || departed.call?.listening) pass(tap, handler, frame, extra);
}

/** Over HTTP the answer stream runs in the context of its request; on a shared channel any call may be meant. */
function question(tap: Tap, frame: Frame): void {
  const key = idKey(frame.id);
  if (key === undefined) return;
  const own = wireScope.getStore()?.flight;
  const open = own ? [own] : [...tap.flights.values()].map(({ flight }) => flight);
  waitFor(tap.asked, key, open);
}
