/** The port of a connection: how the engine sends a call, and asks about a task. It sends and reports, and decides nothing. */
import type { JsonObject, WireEvidence } from "./core/terms.ts";

/** One physical send, as the engine hands it to a wire. */
export interface Attempt {
  readonly operation: string;
  readonly tool: string;
  /** 1 for the first send. */
  readonly number: number;
  /** Arguments to send, the key already placed if the contract says so. Never the caller's own object. */
  readonly arguments: JsonObject;
  /** Entries to add to the request's `_meta`. */
  readonly meta?: JsonObject;
  /** HTTP headers for this one request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Aborts when the caller gave up AND the tool's policy forwards cancellations. Otherwise the request is left running. */
  readonly cancel: AbortSignal;
  /**
   * Must be called in the same tick as the hand-over to the socket or pipe; when it says false the wire sends nothing and
   * reports `not_sent` (`permit_lost`).
   */
  mayStart(): boolean;
  /** The server showed that it works on the call. */
  progressed(): void;
  /** The server waits for a person (true) or goes on (false). */
  waiting(yes: boolean): void;
  /** Something below us sent the request again after a rejection (sign-in, redirect): on record, and let through. */
  sentAgain(): void;
}

/** A question about a task that the server made of a call. It never writes. */
export interface TaskQuestion {
  /**
   * `tasks/result` of a task that has ended, or that waits for input: then it brings the server's questions, which go to
   * the caller like those of a plain call, and it waits for the end.
   */
  readonly method: "tasks/get" | "tasks/result";
  readonly task: string;
  /** Aborts when nobody waits for the answer any more. */
  readonly cancel: AbortSignal;
}

/**
 * The way to one server. Obligations:
 * - `send` hands over at most once and never repeats by itself.
 * - It never rejects: every end is a {@link WireEvidence}; `not_sent` only with proof.
 * - It settles whenever evidence comes, also after the engine stopped waiting: a late answer is evidence.
 */
export interface Wire {
  /** Whether a key can be placed in an HTTP header on this connection. */
  readonly headers: boolean;
  send(attempt: Attempt): Promise<WireEvidence>;
  /**
   * The caller asked for a task and follows it itself: it gets the handle, and we ask for its end beside it.
   * @default false: a task is followed for the caller, who gets its end
   */
  readonly followsTasks?: boolean;
  /**
   * Asks about a task, with the obligations of `send`. Absent: tasks cannot be followed on this way; a call that the
   * server takes on as a task is then in doubt. It is kept until the task's end, without the rest of the wire: it should
   * hold nothing else of the call.
   */
  readonly ask?: (question: TaskQuestion) => Promise<WireEvidence>;
}
