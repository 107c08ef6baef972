import type { Era } from "./eras.ts";
import type { JsonObject, RpcError } from "./json.ts";

/**
 * When the effect of a call happens.
 * - `before_reply` (default): at once, before anything is answered
 * - `none`: never
 * - `before_accept_fails`: never; the call dies before the tool is entered (default reply: `reset`)
 * - `late`: after so many ms, whatever was answered meanwhile
 * - `partial`: the first k items of a bulk call, or the first k arguments of a plain one
 * - `times`: the server itself does it n times for one call
 */
export type Commit =
  | "before_reply"
  | "none"
  | "before_accept_fails"
  | { readonly late: number }
  | { readonly partial: number }
  | { readonly times: number };

/** Replies that need no argument. The table `PLAIN_REPLIES` says what each does on the wire. */
export type PlainReply =
  | "ok"
  | "never"
  | "close_stream"
  | "reset"
  | "kill_process"
  | "schema_invalid"
  | "no_structured_content"
  | "shape_invalid"
  | "huge"
  | "wrong_id"
  | "string_id"
  | "null_id_error"
  | "extra_top_level_key"
  | "stdout_noise"
  | "empty_200"
  | "not_json"
  | "truncated"
  | "success_without_effect"
  | "sse_end"
  | "sse_resume"
  | "sse_reset"
  | "malformed_sse"
  | "202";

/** A reply with its own HTTP status, before or after the commit. */
export interface StatusReply {
  readonly status: number;
  /** `before` replaces the commit by nothing. */
  readonly when: "before" | "after";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** How a task goes on. A step with `commit: "none"` is done at once. */
export interface TaskPlan {
  readonly id: string;
  /**
   * What is said of it when its effect is there.
   * - `completed`: with the result; `tool_error`: with a result that is an error
   * - `failed`: with a JSON-RPC error
   * - `cancelled`, `never` (it goes on working)
   * - `forgotten`: the server never knew it, from the first question on
   * @default "completed"
   */
  readonly ends?: "completed" | "tool_error" | "failed" | "cancelled" | "never" | "forgotten";
  /** The pause between questions that the server asks for, in ms. @default 50 */
  readonly poll?: number;
  /**
   * It waits for input before it works: 2025 era by an elicitation that comes with `tasks/result`, 2026 era by
   * `tasks/update`.
   * @default false
   */
  readonly asks?: boolean;
}

/**
 * What the caller gets to see. An error reply does not undo the commit: an honest refusal is
 * `{ commit: "none", reply: { isError: "no such customer" } }`.
 */
export type Reply =
  | PlainReply
  /** `ok`, but only after so many ms. */
  | { readonly late: number }
  | { readonly isError: string }
  | { readonly rpcError: RpcError }
  /** An HTML page with this status, as gateways send it. HTTP only. */
  | { readonly html: number }
  /** A non-error result that says `success: false`. */
  | { readonly success_false: string }
  /** Refuses because the object exists; commits nothing. */
  | { readonly already_exists: string }
  /** Accepted, not ready; the object exists with status `pending`. */
  | { readonly pending: string }
  /** Takes the call on as a task with this id, or by this plan; it ends when its effect is there. */
  | { readonly task: string | TaskPlan }
  /** 2026 era: asks for input with this `requestState`; the leg that brings it commits and gets `ok`. */
  | { readonly input_required: string }
  /** 2025 era: asks `elicitation/create` inside the call, waits so many ms for consent, then commits. */
  | { readonly elicitation: number }
  /** `notifications/progress` every so many ms, where the caller asked for it; `ok` at the end. */
  | { readonly progress: { readonly every: number; readonly for: number } }
  /** `ok` whose text is this many bytes. */
  | { readonly huge: number }
  /** This result, word for word. */
  | { readonly result: JsonObject }
  | StatusReply;

/**
 * What the server does with one call of a tool.
 *
 * @example
 * const lost: Step = { commit: "before_reply", reply: "close_stream" };
 */
export interface Step {
  /** @default "before_reply" */
  readonly commit?: Commit;
  /** @default "ok" */
  readonly reply?: Reply;
  /**
   * What a cancellation does to a commit that is still ahead.
   * @default "ignore"
   */
  readonly cancel?: "ignore" | "stop";
}

/**
 * Tool name -> steps: the n-th call takes step n, the last step repeats. A tool without steps is healthy.
 *
 * @example
 * const script: Script = { create_invoice: [{ reply: "never" }, { reply: "ok" }] };
 */
export type Script = Readonly<Record<string, readonly Step[]>>;

/**
 * The answer to a session that the server does not know (2025 era, HTTP), where a proxy may say it after the commit.
 *
 * @example
 * server.plan("create_invoice", { reply: sessionNotFound("after") }, { reply: "ok" });
 */
export function sessionNotFound(when: "before" | "after"): StatusReply {
  const body = { jsonrpc: "2.0", id: null, error: { code: -32001, message: "Session not found" } };
  return { status: 404, when, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

/** The era in which a reply exists, if only in one. */
export function eraOfReply(reply: Reply): Era | undefined {
  if (typeof reply === "string") return undefined;
  if ("input_required" in reply) return "2026-07-28";
  return "elicitation" in reply ? "2025-11-25" : undefined;
}

/** A step with nothing left open. */
export interface ResolvedStep {
  readonly commit: Commit;
  readonly reply: Reply;
  readonly cancel: "ignore" | "stop";
}

export function resolveStep(step: Step): ResolvedStep {
  const reply = step.reply ?? (step.commit === "before_accept_fails" ? "reset" : "ok");
  return { commit: commitFor(reply, step.commit), reply, cancel: step.cancel ?? "ignore" };
}

/** Some replies only make sense without an effect, so they need not say so. */
function commitFor(reply: Reply, commit: Commit | undefined): Commit {
  if (reply === "success_without_effect") return "none";
  if (typeof reply === "object" && "already_exists" in reply) return "none";
  if (typeof reply === "object" && "status" in reply && reply.when === "before") return "none";
  return commit ?? "before_reply";
}

export type TransportKind = "http" | "stdio";

const HTTP_ONLY: readonly string[] = [
  "empty_200",
  "sse_end",
  "sse_resume",
  "sse_reset",
  "malformed_sse",
  "202",
  "html",
  "status",
];

const NEEDS_OUTPUT_SCHEMA: readonly string[] = ["schema_invalid", "no_structured_content"];

/** Refuses a step that cannot be played: a fault that silently does nothing proves nothing. */
export function checkStep(step: Step, transport: TransportKind, tool: { readonly outputSchema?: JsonObject }): void {
  const reply = step.reply ?? "ok";
  const verb = typeof reply === "string" ? reply : (Object.keys(reply)[0] ?? "ok");
  if (transport === "stdio" && HTTP_ONLY.includes(verb)) {
    throw new Error(`The reply "${verb}" exists only over HTTP; use startFaultServer for it.`);
  }
  if (transport === "http" && verb === "stdout_noise") {
    throw new Error('The reply "stdout_noise" exists only over stdio; use faultServerCommand for it.');
  }
  if (NEEDS_OUTPUT_SCHEMA.includes(verb) && tool.outputSchema === undefined) {
    throw new Error(`The reply "${verb}" needs a tool with an outputSchema.`);
  }
}
