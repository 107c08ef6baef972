/** What may be said of an operation to its caller. Switch on `kind`: the list is closed. */
import type { Basis, Instant, JsonObject, JsonValue, PartialItem, State } from "./terms.ts";

/** The server's own answer, kept as it came, or what stands in for it. */
export type Answer =
  | {
      readonly kind: "result";
      readonly result: JsonObject;
      /** Who brought it, if not the server: a hook that found it, or a person who wrote it down. */
      readonly by?: "operator" | "destination";
    }
  | { readonly kind: "error"; readonly code: number; readonly message: string; readonly data?: JsonValue };

export interface OutcomeFacts {
  /** Operation id: give it to an operator, find it in the queue. Empty for a declared read and for a refusal before identification. */
  readonly operation: string;
  readonly server: string;
  readonly tool: string;
  /** Basis of the last send; absent if nothing was sent by or for this call. */
  readonly basis?: Basis;
  /** Physical sends of the operation so far. */
  readonly attempts: number;
  /** Store time of the issue of the intent. */
  readonly issuedAt?: Instant;
  /** Answered from the record of an earlier call; nothing was sent for this one. */
  readonly recalled?: true;
  /** Shared with a call of the same arguments that was in flight. */
  readonly joined?: true;
  /** Held: this call was not sent because this other operation is open or in doubt. */
  readonly heldBy?: string;
  /** The state of `heldBy`. */
  readonly heldState?: State;
  /** The call's arguments differ from the arguments of `heldBy`. */
  readonly differentArguments?: true;
  /** False: the store was gone after the send; the outcome stands but is only in this process and its spool. @default true */
  readonly recorded?: false;
}

export type Outcome = OutcomeFacts &
  (
    | { readonly kind: "succeeded"; readonly answer?: Answer }
    | { readonly kind: "failed"; readonly answer?: Answer }
    | { readonly kind: "rejected"; readonly answer?: Answer }
    | { readonly kind: "applied"; readonly ref?: string; readonly answer?: Answer; readonly attributed: boolean }
    | { readonly kind: "not_applied"; readonly reason: string }
    | { readonly kind: "partial"; readonly items: readonly PartialItem[] }
    /** `answer`: a tool error that proves nothing, for the caller who got it. */
    | { readonly kind: "uncertain"; readonly reason: string; readonly state: State; readonly answer?: Answer }
    | { readonly kind: "unresolved"; readonly reason: string }
    | { readonly kind: "abandoned" }
    /** We did not send. `effect` is none by this call. */
    | { readonly kind: "refused"; readonly because: string; readonly detail: string }
  );
export type OutcomeKind = Outcome["kind"];
