/**
 * Continuations. A server may answer a call with "go on with this": `input_required` in the 2026 era, error -32042 in
 * the 2025 era. That answer is no evidence; it pauses the call, and the client's next leg belongs to it:
 *
 *     answer asks for a leg -> paused, the reply goes to the client, the attempt waits
 *     leg recognised        -> sent in the same attempt, never run as a call of its own
 *     any other answer      -> evidence of the attempt, and so of the call
 *
 * A leg is recognised by what it brings (`requestState`, `inputResponses`) or, after -32042, by being the same call
 * again. The async context of the reply names its call where it survives; otherwise the state or the call itself does.
 */
import type { JsonObject } from "../../src/index.ts";
import { isObject, type ToolCallFrame } from "./frames.ts";
import type { Call } from "./guarded-call.ts";

export function callOfLeg(
  paused: ReadonlySet<Call>,
  fromContext: Call | undefined,
  leg: ToolCallFrame,
): Call | undefined {
  if (paused.size === 0) return undefined;
  const fitting = [...paused].filter((call) => continues(call, leg));
  return fitting.find((call) => call === fromContext) ?? fitting[0];
}

function continues(call: Call, leg: ToolCallFrame): boolean {
  const question = questionOf(call);
  const { inputResponses, requestState } = leg.params;
  const bringsInput = inputResponses !== undefined || requestState !== undefined;
  const fits = question === undefined ? !bringsInput : bringsInput && requestState === question.requestState;
  return fits && sameCall(call.first, leg);
}

/** The `input_required` result that paused the call; undefined when it was error -32042. */
function questionOf(call: Call): JsonObject | undefined {
  const last = [...call.received.values()].at(-1)?.frame.result;
  return isObject(last) && last.resultType === "input_required" ? last : undefined;
}

const sameCall = (first: ToolCallFrame, leg: ToolCallFrame): boolean =>
  first.params.name === leg.params.name &&
  JSON.stringify(first.params.arguments ?? {}) === JSON.stringify(leg.params.arguments ?? {});
