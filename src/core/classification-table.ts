/**
 * What evidence from the wire says about one attempt: the published table. docs/decisions.md is printed from it.
 * Where several rows match, the most doubtful wins; what no row lists is uncertain.
 */
import {
  type AnswerRule,
  alreadyThere,
  brokenEcho,
  declaredError,
  declaredStatus,
  isResult,
  resultType,
  type Situation,
  success,
  toolError,
  URL_ELICITATION,
} from "./evidence.ts";
import type { WireEvidence } from "./terms.ts";

export type Verdict =
  | { readonly kind: "succeeded"; readonly row: string }
  /** A tool error; `settles` when nothing can find out more. */
  | { readonly kind: "answered_error"; readonly row: string; readonly settles: boolean }
  | { readonly kind: "rejected"; readonly row: string; readonly retryable: boolean; readonly retryAfter?: number }
  | { readonly kind: "already_there"; readonly row: string }
  | { readonly kind: "paused"; readonly row: string }
  /** `pollIn`: when the server wants to be asked for it, in ms. */
  | { readonly kind: "task"; readonly row: string; readonly task: string; readonly pollIn?: number }
  | { readonly kind: "unsent"; readonly row: string; readonly retryable: boolean }
  /** `answered`: a result frame came, it just proves nothing. An error may come from something in front of the server. */
  | { readonly kind: "uncertain"; readonly row: string; readonly answered: boolean };

type VerdictKind = Verdict["kind"];

export interface ClassificationRow {
  readonly id: string;
  readonly evidence: string;
  readonly means: VerdictKind;
  matches(evidence: WireEvidence, situation: Situation): boolean;
}

/** JSON-RPC errors by which a server says that it did not accept the request. */
const REJECTING_CODES = [-32700, -32600, -32601, -32602, -32020, -32022];
const REJECTING_STATUSES = [307, 308, 405, 406, 413, 415];

const challenged = (e: WireEvidence): boolean =>
  e.kind === "http_status" &&
  e.relayed !== true &&
  ((e.status === 401 && e.challenge === true) || (e.status === 403 && e.insufficientScope === true));
const rejectedByStatus = (e: WireEvidence): boolean =>
  e.kind === "http_status" && e.relayed !== true && REJECTING_STATUSES.includes(e.status);
const ourError = (e: WireEvidence, codes: readonly number[]): boolean =>
  e.kind === "rpc_error" && e.id === "ours" && codes.includes(e.code);
const undeclaredToolError = (e: WireEvidence, s: Situation): boolean =>
  toolError(e) && declaredError(e, s) === undefined && !alreadyThere(e, s);
const declared = (means: AnswerRule["means"]) => (e: WireEvidence, s: Situation) =>
  declaredError(e, s)?.means === means;

export const CLASSIFICATION: readonly ClassificationRow[] = [
  {
    id: "not_sent",
    evidence:
      "refused before hand-over: our check, not connected, aborted before the send, connection refused, name not resolved, TLS failed",
    means: "unsent",
    matches: (e) => e.kind === "not_sent",
  },
  {
    id: "result",
    evidence: "a result frame that is not `isError`, even if the client then rejects it",
    means: "succeeded",
    matches: (e, s) => success(e) && declaredError(e, s) === undefined,
  },
  {
    id: "result_input_required",
    evidence: "`input_required`",
    means: "paused",
    matches: (e) => resultType(e) === "input_required",
  },
  { id: "result_task", evidence: "a task was created", means: "task", matches: (e) => resultType(e) === "task" },
  {
    id: "error_url_elicitation",
    evidence: "JSON-RPC error -32042 with our id",
    means: "paused",
    matches: (e) => ourError(e, [URL_ELICITATION]),
  },
  {
    id: "declared_no_effect",
    evidence: "an error answer that the operator declared `no_effect`",
    means: "rejected",
    matches: declared("no_effect"),
  },
  {
    id: "declared_retryable",
    evidence: "an error answer that the operator declared `retryable`",
    means: "rejected",
    matches: declared("retryable"),
  },
  {
    id: "error_rejecting",
    evidence: "JSON-RPC error -32700, -32600, -32601, -32602, -32020 or -32022 with our id",
    means: "rejected",
    matches: (e, s) => ourError(e, REJECTING_CODES) && !alreadyThere(e, s),
  },
  {
    id: "http_challenge",
    evidence: "HTTP 401 with WWW-Authenticate, or 403 insufficient_scope",
    means: "rejected",
    matches: challenged,
  },
  {
    id: "http_rejecting",
    evidence: "HTTP 307, 308, 405, 406, 413 or 415",
    means: "rejected",
    matches: rejectedByStatus,
  },
  {
    id: "http_declared",
    evidence: "an HTTP status that the operator declared in `rejectsBeforeWork`",
    means: "rejected",
    matches: declaredStatus,
  },
  {
    id: "already_there",
    evidence: "on a resend, an answer that the operator declared in `repeatAnswers`",
    means: "already_there",
    matches: (e, s) => alreadyThere(e, s),
  },
  {
    id: "tool_error",
    evidence:
      "a result frame with `isError`, no rule, and nothing can find out more: no hook, and no contract or already a resend under it",
    means: "answered_error",
    matches: (e, s) => undeclaredToolError(e, s) && !s.canFindOut,
  },
  {
    id: "tool_error_open",
    evidence:
      "a result frame with `isError`, no rule, and more can be found out: by a hook, or by a resend under a contract",
    means: "answered_error",
    matches: (e, s) => undeclaredToolError(e, s) && s.canFindOut,
  },
  {
    id: "declared_uncertain",
    evidence: "an error answer that the operator declared `uncertain`",
    means: "uncertain",
    matches: declared("uncertain"),
  },
  {
    id: "echo_broken",
    evidence: "a result whose `echo` fields differ from the arguments",
    means: "uncertain",
    matches: brokenEcho,
  },
  {
    id: "result_unknown_type",
    evidence: "a result with an unknown `resultType`",
    means: "uncertain",
    matches: (e) =>
      isResult(e) && !["complete", "input_required", "task"].includes(String(resultType(e) ?? "complete")),
  },
  {
    id: "error_other",
    evidence: "any other JSON-RPC error with our id: -32603, -32000 to -32019, -32021, others",
    means: "uncertain",
    matches: (e, s) =>
      e.kind === "rpc_error" &&
      e.id === "ours" &&
      !ourError(e, [...REJECTING_CODES, URL_ELICITATION]) &&
      !alreadyThere(e, s),
  },
  {
    id: "error_foreign",
    evidence: "a JSON-RPC error with a null or foreign id",
    means: "uncertain",
    matches: (e) => e.kind === "rpc_error" && e.id === "other",
  },
  {
    id: "http_other",
    evidence: "any other HTTP status: 400, 404, 408, 409, 422, 425, 429, 5xx; any that a function handed on",
    means: "uncertain",
    matches: (e, s) =>
      e.kind === "http_status" &&
      !challenged(e) &&
      !rejectedByStatus(e) &&
      !declaredStatus(e, s) &&
      !alreadyThere(e, s),
  },
  {
    id: "silence",
    evidence: "deadline, abort, stream or connection end, reset, child exit, unreadable, empty or HTML answer",
    means: "uncertain",
    matches: (e) => e.kind === "silence",
  },
];
