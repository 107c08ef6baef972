/** What the wire showed, as {@link WireEvidence}: from frames, statuses and error codes, never from an error's text. */
import type { HttpFacts, NotSentCause, SilenceCause, WireEvidence } from "../../src/entries/wire.ts";
import { type Frame, idKey, isObject, type RequestId } from "./frames.ts";

/** Codes that a connection attempt fails with before a byte of the request is out. */
const NOT_SENT = {
  ECONNREFUSED: "connection_refused",
  ENOTFOUND: "name_not_resolved",
  EAI_AGAIN: "name_not_resolved",
  DEPTH_ZERO_SELF_SIGNED_CERT: "tls_failed",
  SELF_SIGNED_CERT_IN_CHAIN: "tls_failed",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "tls_failed",
  UNABLE_TO_GET_ISSUER_CERT: "tls_failed",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "tls_failed",
  CERT_HAS_EXPIRED: "tls_failed",
  CERT_NOT_YET_VALID: "tls_failed",
  CERT_UNTRUSTED: "tls_failed",
  CERT_REJECTED: "tls_failed",
  CERT_REVOKED: "tls_failed",
  CERT_SIGNATURE_FAILURE: "tls_failed",
  INVALID_CA: "tls_failed",
  ERR_TLS_CERT_ALTNAME_INVALID: "tls_failed",
} as const satisfies Record<string, NotSentCause>;

const SILENT = {
  ECONNRESET: "connection_reset",
  EPIPE: "connection_reset",
  UND_ERR_SOCKET: "connection_reset",
  CLIENT_HTTP_UNEXPECTED_CONTENT: "unexpected_content",
} as const satisfies Record<string, SilenceCause>;

/** Statuses by which a gateway speaks for itself: an error object in such a body does not outrank them. */
const DOUBTFUL_STATUSES = [408, 409, 425, 429];
const BRANDS = Symbol.for("mcp.sdk.errorBrands");

export const notSent = (cause: NotSentCause): WireEvidence => ({ kind: "not_sent", cause });
export const silence = (cause: SilenceCause): WireEvidence => ({ kind: "silence", cause });

/** The answer in a frame that carries the id of our request. */
export function evidenceOfAnswer(frame: Frame): WireEvidence {
  if (isObject(frame.result)) return { kind: "result", result: frame.result };
  const error = frame.error;
  if (!isObject(error) || typeof error.code !== "number") return silence("unreadable_answer");
  const message = typeof error.message === "string" ? error.message : "";
  return {
    kind: "rpc_error",
    code: error.code,
    message,
    id: "ours",
    ...(error.data !== undefined && { data: error.data }),
  };
}

/** An HTTP refusal. A JSON-RPC error with our id in its body speaks where the status leaves room for it. */
export function evidenceOfHttp(facts: HttpFacts, body: string | undefined, id: RequestId): WireEvidence {
  const speaks = facts.status >= 400 && facts.status < 500 && !DOUBTFUL_STATUSES.includes(facts.status);
  const inside = speaks && body !== undefined ? errorInside(body, id) : undefined;
  return inside ?? { kind: "http_status", ...facts };
}

function errorInside(text: string, id: RequestId): WireEvidence | undefined {
  const start = text.indexOf("{");
  if (start < 0) return undefined;
  try {
    const frame: unknown = JSON.parse(text.slice(start));
    if (!isObject(frame) || !isObject(frame.error) || idKey(frame.id) !== idKey(id)) return undefined;
    return evidenceOfAnswer({ jsonrpc: "2.0", error: frame.error });
  } catch {
    return undefined;
  }
}

/** What has to be known beside the error itself. */
export interface SendSituation {
  readonly id: RequestId;
  /** An auth provider may have failed inside the send: then its connection codes prove nothing about the call. */
  readonly authInside: boolean;
  /** The host's own fetch sends, and it may have sent before: how its last try ended proves nothing about the first. */
  readonly retriesInside?: boolean;
}

/** A send that was rejected, read by codes, statuses and brands. What nothing proves is silence. */
export function evidenceOfError(error: unknown, situation: SendSituation): WireEvidence {
  const http = httpOf(error);
  if (http) return evidenceOfHttp(http.facts, http.body, situation.id);
  const chain = causesOf(error);
  for (const { code, name } of chain.map(labelsOf)) {
    const unsent = lookUp(NOT_SENT, code);
    const provesNothing = situation.authInside || situation.retriesInside;
    if (unsent) return provesNothing ? silence("transport_error") : notSent(unsent);
    const silent = lookUp(SILENT, code);
    if (silent) return silence(silent);
    if (code === -1) return silence("unexpected_content");
    if (name === "SyntaxError" || name === "ZodError" || name === "$ZodError") return silence("unreadable_answer");
  }
  if (brandsOf(error).has("mcp.SdkError") && labelsOf(error).code === "NOT_CONNECTED") return notSent("not_connected");
  return silence("transport_error");
}

/** The sign-in flow of the host waits for this very error: it must not become a result. */
export const isAuthError = (error: unknown): boolean => {
  const facts = httpOf(error)?.facts;
  return facts?.status === 401 || facts?.status === 403;
};

function lookUp<T>(table: Readonly<Record<string, T>>, code: unknown): T | undefined {
  return typeof code === "string" && Object.hasOwn(table, code) ? table[code] : undefined;
}

/** The error and what caused it, the outermost first. */
function causesOf(error: unknown): unknown[] {
  const chain: unknown[] = [];
  let next = error;
  while (next !== undefined && next !== null && !chain.includes(next) && chain.length < 8) {
    chain.push(next);
    next = typeof next === "object" && "cause" in next ? next.cause : undefined;
  }
  return chain;
}

function labelsOf(error: unknown): { readonly code?: unknown; readonly name?: unknown } {
  if (typeof error !== "object" || error === null) return {};
  return { ...("code" in error && { code: error.code }), ...("name" in error && { name: error.name }) };
}

/** v2 errors carry their brands, so that copies of the package recognise each other. */
function brandsOf(error: unknown): ReadonlySet<unknown> {
  const brands: unknown = typeof error === "object" && error !== null ? Reflect.get(error, BRANDS) : undefined;
  return brands instanceof Set ? brands : new Set();
}

interface HttpError {
  readonly facts: HttpFacts;
  readonly body?: string;
}

/** v1: `code` is the status. v2: branded, `status` and `data.text`. `@ai-sdk/mcp`: `statusCode` and `responseBody`. */
function httpOf(error: unknown): HttpError | undefined {
  if (!(error instanceof Error)) return undefined;
  const field = (name: string): unknown => Reflect.get(error, name);
  const brands = brandsOf(error);
  if (brands.has("mcp.InsufficientScopeError"))
    return { facts: { status: 403, challenge: true, insufficientScope: true } };
  if (brands.has("mcp.UnauthorizedError") || error.constructor.name === "UnauthorizedError") {
    return { facts: { status: 401 } };
  }
  const data = field("data");
  const text = isObject(data) ? data.text : field("responseBody");
  const status = [field("status"), field("code"), field("statusCode")].find(isStatus);
  if (status === undefined) return undefined;
  const body = typeof text === "string" ? text : error.message;
  return { facts: { status }, body };
}

const isStatus = (value: unknown): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 300 && value <= 599;

/** A refusal that a transport may follow with another request of the same call: the request was not accepted. */
export const mayFollow = (facts: HttpFacts): boolean =>
  (facts.status === 401 && facts.challenge === true) ||
  (facts.status === 403 && facts.insufficientScope === true) ||
  facts.status === 307 ||
  facts.status === 308;
