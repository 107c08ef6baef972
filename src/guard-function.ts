/** Any async function as a guarded tool, MCP or not. */
import { currentCallContext } from "./context.ts";
import type { Outcome } from "./core/outcome.ts";
import type { JsonObject, WireEvidence } from "./core/terms.ts";
import { IndoubtError } from "./errors.ts";
import type { GuardedCalls } from "./guard-api.ts";
import { httpFacts } from "./http-facts.ts";
import type { Attempt, Wire } from "./wire.ts";

export interface FunctionGuardOptions {
  /** The identity of the destination, as configured under `servers`. */
  readonly server: string;
  readonly tool: string;
}

export interface SendFacts {
  readonly attempt: number;
  /** Aborts when the caller gave up and the policy forwards that. */
  readonly signal: AbortSignal;
}

export interface GuardedFunction<A extends object> {
  /** The whole truth about one call; never throws for doubt. */
  (args: A): Promise<Outcome>;
}

/**
 * Guards `send`. Its return value is the answer: a `CallToolResult`, or any other value, which is wrapped as
 * `structuredContent`; what is no JSON in it is written as text (a BigInt as its digits). Of a `Response` it is the body.
 * A throw, and a `Response` with an error status that is not declared in `rejectsBeforeWork`, prove nothing about the
 * effect and are read as uncertain. Throw
 * `new IndoubtError("CALL_REFUSED", …)` where nothing was sent.
 * @example
 * const refund = guardFunction(guard, { server: "psp", tool: "refund" }, (args) => psp.refund(args));
 * const outcome = await refund({ payment: "p_1", amount: 500 });
 */
export function guardFunction<A extends object>(
  guard: GuardedCalls,
  options: FunctionGuardOptions,
  send: (args: A, facts: SendFacts) => Promise<unknown>,
): GuardedFunction<A> {
  const wire: Wire = { headers: false, send: (attempt) => callOnce(send, attempt) };
  return async (args) => {
    const call = { ...currentCallContext(), server: options.server, tool: options.tool, arguments: args };
    const outcome = await guard.perform(call, wire);
    guard.delivered(outcome);
    return outcome;
  };
}

async function callOnce<A extends object>(
  send: (args: A, facts: SendFacts) => Promise<unknown>,
  attempt: Attempt,
): Promise<WireEvidence> {
  if (!attempt.mayStart()) return { kind: "not_sent", cause: "permit_lost" };
  try {
    const value = await send(attempt.arguments as A, { attempt: attempt.number, signal: attempt.cancel });
    if (!isHttp(value)) return { kind: "result", result: asResult(value) };
    if (!value.ok) return { kind: "http_status", ...httpFacts(value), relayed: true };
    return { kind: "result", result: asResult(await bodyOf(value)) };
  } catch (error) {
    const unsent = error instanceof IndoubtError && error.code === "CALL_REFUSED" && error.effect === "none";
    return unsent ? { kind: "not_sent", cause: "not_connected" } : { kind: "silence", cause: "transport_error" };
  }
}

type Http = Pick<Response, "ok" | "status" | "bodyUsed" | "text"> & { readonly headers?: Headers };

/** What `fetch` resolves with, of whatever package. */
const isHttp = (value: unknown): value is Http =>
  quietly(() => {
    const { ok, status, text } = (value ?? {}) as Partial<Http>;
    return typeof ok === "boolean" && typeof status === "number" && typeof text === "function";
  });

async function bodyOf(response: Http): Promise<unknown> {
  if (response.bodyUsed) return { status: response.status };
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** False where looking at a value throws. */
function quietly(look: () => boolean): boolean {
  try {
    return look();
  } catch {
    return false;
  }
}

function asResult(value: unknown): JsonObject {
  if (isToolResult(value) && isJson(value)) return value;
  const text = jsonOf(value ?? null);
  const plain = JSON.parse(text) as JsonObject;
  return isToolResult(plain) ? plain : { content: [{ type: "text", text }], structuredContent: plain };
}

const isToolResult = (value: unknown): value is JsonObject =>
  quietly(() => typeof value === "object" && value !== null && Array.isArray((value as JsonObject).content));

const isJson = (value: unknown): boolean => quietly(() => JSON.stringify(value) !== undefined);

/** The effect has happened: nothing about the value that reports it may turn a success into doubt. */
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value, tolerant()) ?? JSON.stringify("[no JSON]");
  } catch {
    return JSON.stringify("[no JSON]");
  }
}

function tolerant(): (this: unknown, name: string, value: unknown) => unknown {
  const above: unknown[] = [];
  return function (this: unknown, _name, value) {
    if (typeof value === "bigint") return String(value);
    if (typeof value === "function" || typeof value === "symbol") return `[${typeof value}]`;
    if (typeof value !== "object" || value === null) return value;
    while (above.length > 0 && above.at(-1) !== this) above.pop();
    if (above.includes(value)) return "[circular]";
    above.push(value);
    return value;
  };
}
