/** From a record to what its caller may be told, and from that to what the model reads. */

import { defined } from "./core/fields.ts";
import type { Outcome, OutcomeFacts } from "./core/outcome.ts";
import { REASONS, REFUSALS, type RefusalCode, reasonFor } from "./core/reasons.ts";
import { isSettled, type JsonObject } from "./core/terms.ts";
import type { Operation } from "./operation.ts";
import type { Payload } from "./payload.ts";

export interface Marks {
  readonly basis?: OutcomeFacts["basis"];
  readonly recalled?: boolean;
  readonly joined?: boolean;
  /** Another operation of this id holds the call. */
  readonly heldBy?: string;
  readonly differentArguments?: boolean;
  readonly unrecorded?: boolean;
}

export function outcomeOf(operation: Operation, payload: Payload | undefined, marks: Marks): Outcome {
  const { record, group, id } = operation;
  const facts = defined<OutcomeFacts>({
    operation: id,
    server: group.server,
    tool: group.tool,
    attempts: record.attempts,
    issuedAt: record.issuedAt,
    basis: marks.basis,
    recalled: marks.recalled || undefined,
    joined: marks.joined || undefined,
    heldBy: marks.heldBy,
    heldState: marks.heldBy === undefined ? undefined : record.state,
    differentArguments: marks.differentArguments || undefined,
    recorded: marks.unrecorded ? false : undefined,
  });
  // The other call's success is never told as this call's: other arguments may mean another effect.
  const answer = !marks.differentArguments && payload?.answer ? { answer: payload.answer } : {};
  if (marks.differentArguments && isSettled(record.state)) {
    const detail = `Operation ${id}, of the same identity and with other arguments, is ${record.state}. Confirm the repeat with a new operationId and confirmRepeatOf.`;
    return { ...facts, kind: "refused", because: "held_different_arguments", detail };
  }
  const reason = record.reason ?? "silence";
  switch (record.state) {
    case "succeeded":
    case "failed":
    case "rejected":
      return { ...facts, kind: record.state, ...answer };
    case "applied":
      return {
        ...facts,
        kind: "applied",
        attributed: record.attributed !== false,
        ...(record.ref !== undefined && { ref: record.ref }),
        ...answer,
      };
    case "not_applied":
      return { ...facts, kind: "not_applied", reason };
    case "partial":
      return { ...facts, kind: "partial", items: record.items ?? [] };
    case "abandoned":
      return { ...facts, kind: "abandoned" };
    case "unresolved":
      return { ...facts, kind: "unresolved", reason };
    default:
      return { ...facts, kind: "uncertain", reason, state: record.state, ...answer };
  }
}

export function refusedOutcome(
  call: { readonly server: string; readonly tool: string },
  because: RefusalCode,
  detail: string,
  more: Partial<OutcomeFacts> = {},
): Outcome {
  const { server, tool } = call;
  return { operation: "", server, tool, attempts: 0, ...more, kind: "refused", because, detail };
}

const MARK = "indoubt/outcome";

/** A `CallToolResult`: the server's own answer as it came, or prose. In doubt it is `isError` and never advises a repeat. */
export function toolResult(outcome: Outcome, hasOutputSchema: boolean): JsonObject {
  const answer = "answer" in outcome ? outcome.answer : undefined;
  const note = noteOf(outcome);
  if (answer?.kind === "result" && answer.by === "operator") {
    return marked(asToolResult(answer.result), `${note ?? ""} ${WRITTEN_DOWN}`.trim(), outcome);
  }
  if (answer?.kind === "result") return note === undefined ? answer.result : marked(answer.result, note, outcome);
  return prose(outcome, note ?? "", hasOutputSchema);
}

/** A person's evidence never passes for the tool's own words. */
const WRITTEN_DOWN =
  "The result shown here was written down by a person who checked it; it is not the tool's own answer.";

/** What a person wrote down may be any object. */
const asToolResult = (value: JsonObject): JsonObject =>
  Array.isArray(value.content)
    ? value
    : { content: [{ type: "text", text: JSON.stringify(value) }], structuredContent: value };

function marked(result: JsonObject, note: string, outcome: Outcome): JsonObject {
  const content = Array.isArray(result.content) ? result.content : [];
  const meta = typeof result._meta === "object" && result._meta !== null ? (result._meta as JsonObject) : {};
  return {
    ...result,
    content: [...content, { type: "text", text: note }],
    _meta: { ...meta, [MARK]: facts(outcome) },
  };
}

function prose(outcome: Outcome, note: string, hasOutputSchema: boolean): JsonObject {
  const done = outcome.kind === "succeeded" || outcome.kind === "applied";
  const isError = !done || hasOutputSchema || outcome.differentArguments === true;
  return { content: [{ type: "text", text: note }], isError, _meta: { [MARK]: facts(outcome) } };
}

function facts(outcome: Outcome): JsonObject {
  return {
    kind: outcome.kind,
    operation: outcome.operation,
    attempts: outcome.attempts,
    ...(outcome.basis && { basis: outcome.basis }),
    ...(outcome.recalled && { recalled: true }),
    ...(outcome.joined && { joined: true }),
    ...(outcome.heldBy !== undefined && { heldBy: outcome.heldBy }),
    ...("reason" in outcome && { reason: outcome.reason }),
    ...("because" in outcome && { because: outcome.because }),
    ...(outcome.differentArguments && { differentArguments: true }),
    ...("answer" in outcome &&
      outcome.answer?.kind === "result" &&
      outcome.answer.by && { answerBy: outcome.answer.by }),
    // Another operation's reference would read as this call's success.
    ...("ref" in outcome && outcome.ref !== undefined && !outcome.differentArguments && { ref: outcome.ref }),
  };
}

/** What the model reads beside or instead of the answer; undefined for a plain, first-hand answer. */
function noteOf(outcome: Outcome): string | undefined {
  const reference = outcome.operation === "" ? "" : ` (reference ${outcome.operation})`;
  const tool = `"${outcome.tool}"`;
  if (outcome.differentArguments) return differentNote(outcome, tool, reference);
  switch (outcome.kind) {
    case "refused": {
      const refusal = REFUSALS[outcome.because as RefusalCode];
      const detail = TOLD.includes(outcome.because) ? ` ${outcome.detail}` : "";
      return `[not_sent] ${refusal?.model ?? "Nothing was done."}${detail}`;
    }
    case "uncertain":
    case "unresolved":
      return doubtNote(outcome, tool, reference);
    case "not_applied":
      return `[not_applied] ${reasonFor(outcome.reason).model}${reference}`;
    case "partial":
      return `[partly_applied] ${REASONS.partly_applied.model} ${outcome.items.map((item) => `${item.item}: ${item.verdict}${item.ref === undefined ? "" : ` (${item.ref})`}`).join("; ")}.${reference}`;
    case "abandoned":
      return `[closed] A person closed this action without a known outcome; it may or may not have taken effect.${reference}`;
    case "applied": {
      const ref = outcome.ref === undefined ? "" : ` Its reference at the destination is ${outcome.ref}.`;
      const cause = outcome.attributed ? "" : " It is not known whether this request caused it.";
      const kept = outcome.answer ? "" : " The tool's own answer is not available.";
      return `[applied] It was checked afterwards: the action of ${tool} took effect.${ref}${cause}${kept} Do not send it once more.${reference}`;
    }
    default:
      return settledNote(outcome, tool, reference);
  }
}

const TOLD: readonly string[] = ["not_json", "too_large", "invalid_arguments"] satisfies RefusalCode[];

function doubtNote(
  outcome: Extract<Outcome, { kind: "uncertain" | "unresolved" }>,
  tool: string,
  reference: string,
): string {
  const running = outcome.kind === "uncertain" && outcome.state === "in_flight";
  const asked = running && outcome.reason === "input_required";
  const known = asked
    ? `The action of ${tool} waits for the answer to a question that its server asked.`
    : running
      ? `The same action of ${tool} is still being carried out.`
      : `The outcome of ${tool} is not known. ${reasonFor(outcome.reason).model}`;
  const next =
    outcome.kind === "unresolved"
      ? "It waits for a person to check."
      : running
        ? "Its result will be available when it ends."
        : "It stays open until that is known.";
  const held =
    outcome.heldBy === undefined ? "" : " This request was not sent, so that the action does not happen twice.";
  return `[outcome_${outcome.kind}] ${known}${held} ${next} Do not repeat this action, not in other words either; go on with other work or tell the user what is open.${reference}`;
}

function differentNote(outcome: Outcome, tool: string, reference: string): string {
  const { heldState } = outcome;
  const state =
    heldState !== undefined && isSettled(heldState)
      ? `its outcome is: ${heldState.replaceAll("_", " ")}`
      : "its outcome is not known yet";
  return `[held_different_arguments] An earlier action of ${tool} with the same identity but other details is on record; ${state}. This request was not sent. If it is meant as another action, the user has to say so.${reference}`;
}

/** What an answer that is no success says, and what it does not say. */
const STATED = {
  succeeded: "",
  failed: ` ${REASONS.tool_error.model}`,
  rejected: " The request was declined; nothing was done.",
} as const;
const RESENT = {
  contract: "under a rule that makes repeats safe",
  observed_absent: "after the destination showed that it had not happened",
  operator: "by a person's order",
} as const;

function settledNote(
  outcome: Extract<Outcome, { kind: "succeeded" | "failed" | "rejected" }>,
  tool: string,
  reference: string,
): string | undefined {
  const { answer, kind, basis } = outcome;
  const words = answer?.kind === "error" ? ` The server's words: ${JSON.stringify(answer.message)}.` : "";
  const unrecorded = outcome.recorded === false ? " The answer is not yet in the safety record." : "";
  const end = `${STATED[kind]}${words}${answer || kind === "rejected" ? "" : " The original answer is no longer kept."}${unrecorded}${reference}`;
  if (outcome.joined) return `[joined] The same action was already being carried out; this is its one result.${end}`;
  if (outcome.recalled) {
    const made = kind === "succeeded" ? "This action was carried out before" : "This request was made before";
    return `[recalled] ${made} and was not repeated; this is the recorded result.${end}`;
  }
  if (basis !== undefined && basis in RESENT) {
    const why = RESENT[basis as keyof typeof RESENT];
    const first = kind === "failed" ? "The first send proved nothing" : "The first answer was lost";
    return `[resent] ${first}; the action was sent ${outcome.attempts} times, ${why}.${end}`;
  }
  if (kind === "succeeded" && answer === undefined) return `[succeeded] ${tool} was carried out.${end}`;
  // A declared read makes no claim about effects, and the answer of a success speaks for itself.
  if (outcome.operation !== "" && (kind !== "succeeded" || unrecorded)) return `[${kind}]${end}`;
  return answer?.kind === "result" ? undefined : `[${kind}] ${tool} gave no usable result.${words}`;
}
