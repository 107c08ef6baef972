/** The guard as its users and its adapters see it. */
import type { CallContext } from "./context.ts";
import type { Release, ServerIdentity } from "./core/baseline.ts";
import type { Outcome } from "./core/outcome.ts";
import type { JsonObject, JsonValue, WireEvidence } from "./core/terms.ts";
import type { TaskQuestion, Wire } from "./wire.ts";

/** One tool call as an adapter hands it in. */
export interface ToolCall extends CallContext {
  readonly server: string;
  readonly tool: string;
  readonly arguments: unknown;
  /**
   * It goes on with a call that the server answered with `input_required`, and brings what the server asked for.
   * @default a call of its own; after error -32042 the same call again goes on by itself
   */
  readonly leg?: Leg;
}

/** What a round of a call brings beside its arguments. */
export interface Leg {
  /** As the server gave it, unread. */
  readonly requestState?: JsonValue | undefined;
}

export interface ToolDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
  readonly annotations?: unknown;
}

/** What a wire has to know of the operator's policy for one tool. */
export interface WirePolicy {
  readonly effect: "read" | "write";
  /** Whether a cancellation of the request goes out: the caller's own abort only, or never. */
  readonly cancel: "forward" | "withhold";
  /** How long a person may take to answer a question of the server, in ms. */
  readonly maxDeadline: number;
}

/** What else is known of a page of a tool list. */
export interface ListPage {
  /** What the page was asked with. @default none: the first page */
  readonly cursor?: string;
  /** What it says of a next page. @default none: the last page */
  readonly nextCursor?: string;
  /** Whose sign-in saw it. @default the one for all */
  readonly principal?: string;
  /** What `toolsAsked` said when it was asked for. @default after every change that was announced */
  readonly asked?: number;
  /** What the server calls itself: a claim that can only take trust away. */
  readonly release?: Release;
  /** Where the server was really reached. @default not known */
  readonly identity?: ServerIdentity;
}

export interface ConnectionOptions {
  /**
   * Whose sign-in the connection carries, where several principals have connections of their own: an operation of a
   * principal is never looked up or sent again over another one's.
   * @default the only connection serves all; among several unnamed ones none is chosen for a named principal
   */
  readonly principal?: string;
}

/** For adapters: everything that a tap, a framework wrapper or a proxy needs. */
export interface GuardedCalls {
  /** Runs one call through the guard. Never rejects for doubt: outcomes are values. */
  perform(call: ToolCall, wire: Wire): Promise<Outcome>;
  wirePolicy(server: string, tool: string): WirePolicy;
  /**
   * A page of the server's tool list passed by: for argument checks, output schemas, and the comparison with what was
   * reviewed. Without `page` it says nothing about tools that are not in it.
   */
  toolsSeen(server: string, tools: readonly ToolDefinition[], page?: ListPage): void;
  /**
   * A page of the server's tool list is about to be asked for: what to hand over with the answer. Its list is that of
   * before when a change is announced in between, however late the answer comes.
   */
  toolsAsked(server: string): number;
  /** The server said that its tool list has changed: no resend until it was listed again. */
  toolsChanged(server: string): void;
  /** A `CallToolResult` for the caller (and the model): verbatim answer, marked recall or join, or prose about the doubt. */
  toolResult(outcome: Outcome): JsonObject;
  /**
   * The caller has got the outcome (in process: it was handed over; through a proxy: it was written to the host). Ends the
   * hold of a definite outcome. Call it exactly when that is true, and never otherwise.
   */
  delivered(outcome: Outcome): void;
  /**
   * A caller that follows its task itself was told this of it: its end is recorded as the answer, and as handed over.
   * @param operation whose handle the caller got
   */
  taskHeard(operation: string, question: Pick<TaskQuestion, "method" | "task">, answer: WireEvidence): void;
  /** Aborts when the guard has closed: nobody will take late answers any more. */
  readonly closing: AbortSignal;
  /** A way to the server for reads by reconcile hooks and for resends by recovery, while it is connected. */
  connected(server: string, wire: Wire, options?: ConnectionOptions): () => void;
}
