/**
 * The words of the project as types. Persisted values are snake_case; every union is discriminated by `kind`.
 * Nothing here decides anything.
 */

export const OPEN_STATES = ["ready", "in_flight", "uncertain", "unresolved"] as const;
export const SETTLED_STATES = [
  "succeeded",
  "failed",
  "rejected",
  "applied",
  "not_applied",
  "partial",
  "abandoned",
] as const;
export type OpenState = (typeof OPEN_STATES)[number];
export type SettledState = (typeof SETTLED_STATES)[number];
export type State = OpenState | SettledState;

export const isSettled = (state: State): state is SettledState => (SETTLED_STATES as readonly State[]).includes(state);
/** In doubt: an attempt may have had an effect and nobody knows. */
export const isDoubt = (state: State): state is "uncertain" | "unresolved" =>
  state === "uncertain" || state === "unresolved";

/** Why a send is allowed. A closed list: everything else (time-outs, silence, hints, lease expiry) allows nothing. */
export const BASES = ["first", "unsent", "rejected", "contract", "observed_absent", "operator"] as const;
export type Basis = (typeof BASES)[number];

/** Milliseconds since 1970 on the STORE's clock. Clocks of callers are never compared with it. */
export type Instant = number;
/** A moment counted from the write that carries it; the store turns it into an {@link Instant}. */
export interface After {
  readonly after: number;
}
export type Moment = Instant | After;

export type JsonValue = null | boolean | number | string | JsonValue[] | { [name: string]: JsonValue };
export type JsonObject = { [name: string]: JsonValue };

/** What came back for one attempt, as seen on the wire. Never an error class, never an error text. */
export type WireEvidence =
  | { readonly kind: "not_sent"; readonly cause: NotSentCause }
  | { readonly kind: "result"; readonly result: JsonObject }
  | {
      readonly kind: "rpc_error";
      readonly code: number;
      readonly message: string;
      readonly data?: JsonValue;
      /** `ours`: the error carries our request id. `other`: a null or foreign id, a hint at best. */
      readonly id: "ours" | "other";
    }
  | {
      readonly kind: "http_status";
      readonly status: number;
      /** A WWW-Authenticate header came with it. */
      readonly challenge?: boolean;
      /** The challenge says `insufficient_scope`. */
      readonly insufficientScope?: boolean;
      /** A function handed it on: it may have come after other requests that did something. */
      readonly relayed?: boolean;
      /** Retry-After, in ms. */
      readonly retryAfter?: number;
    }
  | { readonly kind: "silence"; readonly cause: SilenceCause };

/** Proofs that nothing was handed to the transport or socket. */
export type NotSentCause =
  | "not_connected"
  | "aborted_before_send"
  | "connection_refused"
  | "name_not_resolved"
  | "tls_failed"
  | "permit_lost";

/** Ways of hearing nothing that counts. All of them are read the same way: uncertain. */
export type SilenceCause =
  | "deadline"
  | "caller_aborted"
  | "stream_ended"
  | "connection_closed"
  | "connection_reset"
  | "unreadable_answer"
  | "unexpected_content"
  | "transport_error";

/** What a reconcile hook or probe may report about the destination. It never writes. */
export type Observation =
  | {
      readonly kind: "applied";
      /** The destination's own reference, e.g. an invoice number. */
      readonly ref?: string;
      /** A result to hand to the caller, in the shape of `CallToolResult`. */
      readonly result?: JsonObject;
      /** How many effects were found. @default 1; more is a conflict. */
      readonly count?: number;
      /** False: the end state holds but nobody can say that this operation caused it. @default true */
      readonly attributed?: boolean;
    }
  | { readonly kind: "absent" }
  | { readonly kind: "partial"; readonly items: readonly PartialItem[] }
  | { readonly kind: "unclear"; readonly reason: string };

export interface PartialItem {
  readonly item: string;
  readonly verdict: "applied" | "absent" | "unclear";
  readonly ref?: string;
}

/** Who moves a record: the caller, the worker that holds the lease, the sweeper, the reconciler, the operator. */
export type Mover = "caller" | "worker" | "sweeper" | "reconciler" | "operator";
