/** What a piece of evidence from the wire is, by the protocol and by what the operator declared. Error texts are never read. */
import { readPointer } from "./pointer.ts";
import type { JsonObject, JsonValue, WireEvidence } from "./terms.ts";

/** What the operator declared about the answers of one tool and server. */
export interface AnswerRules {
  /** HTTP statuses that this server sends before any work, e.g. `[429]`. @default [] */
  readonly rejectsBeforeWork: readonly number[];
  /** Rules for `isError` results. First match counts. @default [] */
  readonly toolErrors: readonly AnswerRule[];
  /** Rules for results that are not `isError` but say so inside. First match counts. @default [] */
  readonly resultErrors: readonly AnswerRule[];
  /** Pointer in the result -> pointer in the arguments: both values must be equal. @default {} */
  readonly echo: Readonly<Record<string, string>>;
  /** Answers to a resend that mean "it is already there". @default [] */
  readonly repeatAnswers: readonly AnswerRule[];
}

export interface AnswerRule {
  /** JSON Pointer into the result (or error) object. */
  readonly at: string;
  readonly equals: JsonValue;
  readonly means: "no_effect" | "retryable" | "uncertain" | "applied";
}

export const NO_RULES: AnswerRules = {
  rejectsBeforeWork: [],
  toolErrors: [],
  resultErrors: [],
  echo: {},
  repeatAnswers: [],
};

export interface Situation {
  readonly rules: AnswerRules;
  /** The arguments that were sent, for `echo`. */
  readonly arguments: JsonObject;
  /** A hook, or a first resend under a contract, can find out more than the answer says. */
  readonly canFindOut: boolean;
  /** An earlier attempt of this operation is on record. */
  readonly resend: boolean;
}

/** The URL elicitation error of 2025-11-25: the same call is expected again. */
export const URL_ELICITATION = -32042;

/**
 * The answer to a further leg speaks for that leg: the ones before it were answered, and what they did is unknown. So
 * what proves that nothing was done by this one proves it of no call.
 */
export function ofLeg(evidence: WireEvidence): WireEvidence {
  if (evidence.kind === "not_sent" || evidence.kind === "http_status")
    return { kind: "silence", cause: "transport_error" };
  const isQuestion = evidence.kind === "rpc_error" && evidence.code === URL_ELICITATION;
  return evidence.kind === "rpc_error" && !isQuestion ? { ...evidence, id: "other" } : evidence;
}

export const isResult = (e: WireEvidence): e is Extract<WireEvidence, { kind: "result" }> => e.kind === "result";
/** 2025-11-25 answers a task-augmented call with `{ task: { taskId } }`, 2026-07-28 with `resultType: "task"`. */
export const taskOf = (e: WireEvidence): string | undefined => {
  if (!isResult(e)) return undefined;
  const { resultType: type, taskId, task, content } = e.result;
  const created = content === undefined && typeof task === "object" && task !== null && !Array.isArray(task);
  const legacy = created ? task.taskId : undefined;
  if (type !== "task" && (legacy === undefined || type !== undefined)) return undefined;
  return String(taskId ?? legacy ?? "");
};
export const resultType = (e: WireEvidence): JsonValue | undefined =>
  taskOf(e) === undefined ? (isResult(e) ? e.result.resultType : undefined) : "task";
const complete = (e: WireEvidence): boolean => isResult(e) && (resultType(e) ?? "complete") === "complete";
export const toolError = (e: WireEvidence): boolean => complete(e) && isResult(e) && e.result.isError === true;
export const success = (e: WireEvidence): boolean => complete(e) && !toolError(e);
export const declaredStatus = (e: WireEvidence, s: Situation): boolean =>
  e.kind === "http_status" && s.rules.rejectsBeforeWork.includes(e.status);

function ruleFor(rules: readonly AnswerRule[], e: WireEvidence): AnswerRule | undefined {
  const body: JsonObject | undefined = isResult(e)
    ? e.result
    : e.kind === "rpc_error"
      ? { code: e.code, ...(e.data !== undefined && { data: e.data }) }
      : e.kind === "http_status"
        ? { status: e.status }
        : undefined;
  return body && rules.find((rule) => sameJson(readPointer(body, rule.at), rule.equals));
}
const sameJson = (a: JsonValue | undefined, b: JsonValue | undefined): boolean =>
  a !== undefined && JSON.stringify(a) === JSON.stringify(b);

export const declaredError = (e: WireEvidence, s: Situation) =>
  toolError(e) ? ruleFor(s.rules.toolErrors, e) : success(e) ? ruleFor(s.rules.resultErrors, e) : undefined;
export const brokenEcho = (e: WireEvidence, s: Situation): boolean =>
  isResult(e) &&
  success(e) &&
  Object.entries(s.rules.echo).some(
    ([inResult, inArguments]) => !sameJson(readPointer(e.result, inResult), readPointer(s.arguments, inArguments)),
  );
export const alreadyThere = (e: WireEvidence, s: Situation): boolean =>
  s.resend && ruleFor(s.rules.repeatAnswers, e)?.means === "applied";
