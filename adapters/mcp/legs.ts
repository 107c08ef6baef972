/**
 * Calls in several rounds. A server may answer with a question: `input_required` in the 2026 era, error -32042 in the
 * 2025 era. The guard has it on record before the client hears it, and knows the leg that brings the answer by what it
 * brings, in whatever process: to the tap each leg is a call of its own.
 */
import type { JsonValue, Outcome } from "../../src/index.ts";
import { type Frame, isObject, type ToolCallFrame } from "./frames.ts";
import type { Call, CallHost, ClientScope, Received } from "./guarded-call.ts";

const URL_ELICITATION_REQUIRED = -32042;

export const isQuestion = ({ result, error }: Frame): boolean =>
  (isObject(result) && result.resultType === "input_required") ||
  (isObject(error) && error.code === URL_ELICITATION_REQUIRED);

/** What a leg brings. After -32042 it is the same call again, and brings nothing. */
export function legOf({ params }: ToolCallFrame): { readonly requestState?: JsonValue } | undefined {
  const { inputResponses, requestState } = params;
  if (requestState !== undefined) return { requestState };
  return inputResponses === undefined ? undefined : {};
}

/** The question of the server, in the frame that it came in. */
export const questionFor = ({ question }: Call, outcome: Outcome): Received | undefined =>
  isDeclaredRead(outcome) || (outcome.kind === "uncertain" && outcome.reason === "input_required")
    ? question
    : undefined;

/** Its rounds are reads like any other: none is on record. */
const isDeclaredRead = ({ kind, operation }: Outcome): boolean => operation === "" && kind !== "refused";

/**
 * The guarded client asks somebody now, and its `callTool` waits. Until the next leg it can end in three ways: the caller
 * aborts, the connection closes, the time for an answer is over. Then it is told what is known.
 */
export function startWaiting(host: CallHost, call: Call, outcome: Outcome): void {
  const { scope, signal } = call;
  if (!scope) return;
  const end = (): void => {
    stopWaiting(scope);
    scope.aside(withoutAnswer(outcome));
  };
  const { maxDeadline } = host.guard.wirePolicy(host.server, call.first.params.name);
  const timer = setTimeout(end, Math.min(maxDeadline, LONGEST_TIMER));
  signal?.addEventListener("abort", end, { once: true });
  scope.paused = {
    end,
    forget() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      host.paused.delete(scope);
    },
  };
  host.paused.add(scope);
}

/** The question goes to nobody any more. */
function withoutAnswer(outcome: Outcome): Outcome {
  const { operation, server, tool, attempts } = outcome;
  if (outcome.kind !== "uncertain") return { operation, server, tool, attempts, kind: "failed" };
  const { answer: _answer, ...rest } = outcome;
  return rest;
}

const LONGEST_TIMER = 2 ** 31 - 1;

function stopWaiting(scope: ClientScope): void {
  scope.paused?.forget();
  delete scope.paused;
}

/** The next leg of the guarded client's call goes out: what is known of the one before it says nothing of this one. */
export function startLeg(scope: ClientScope, running: Promise<Outcome>): void {
  stopWaiting(scope);
  scope.running = running;
  scope.handedOver = false;
  scope.refused = false;
  delete scope.reply;
}
