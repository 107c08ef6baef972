/**
 * The durable record of one operation. It is written BEFORE anything is sent, and every later version replaces it by
 * compare-and-set. Times are instants of the store's clock.
 */
import type { Limits } from "./limits.ts";
import type { Basis, Instant, Moment, PartialItem, State } from "./terms.ts";

export interface Permit<T = Instant> {
  readonly basis: Basis;
  /** The permit lapses here. */
  readonly until: T;
  /** Not before this moment (Retry-After). */
  readonly from?: T;
}

export interface OperationRecord<T = Instant> {
  readonly state: State;
  /** Physical sends so far. The newest attempt's number is the fence. */
  readonly attempts: number;
  /** Attempts whose effect is still unknown. */
  readonly open: number;
  /** One token per attempt, oldest first: whoever presents it speaks for that attempt. */
  readonly tokens: readonly string[];
  /** When the intent was issued: contract windows and permits are measured from here, not from the record's birth. */
  readonly issuedAt: T;
  /** The right to one send. Only in `ready`. */
  readonly permit?: Permit<T>;
  /** The permit that the running attempt consumed; given back if the attempt provably sent nothing. */
  readonly spent?: Permit<T>;
  /** The running attempt may be driven until here. Only in `in_flight`. */
  readonly leaseUntil?: T;
  /** The running attempt waits for a person (elicitation, `input_required`). */
  readonly waiting?: boolean;
  /** Keyed digest of the question that the destination asked last: the call goes on with the leg that answers it. */
  readonly asked?: string;
  /** Digests of the questions that were answered or came to nothing, oldest first: what answers one of them is not sent again. */
  readonly legs?: readonly string[];
  /** End of the settle window of all attempts of unknown effect. */
  readonly quiesceAt?: T;
  /** Next look at the destination, or the next step of the sweeper. */
  readonly lookAt?: T;
  /** Qualifying absent reads in a row, and when the last of them began. */
  readonly absent?: number;
  readonly absentAt?: T;
  /** Looks at the destination so far. */
  readonly probes?: number;
  /** Every open attempt was answered, with an answer that proves nothing: no write of theirs is under way any more. */
  readonly answered?: boolean;
  /** The newest attempt did nothing (rejected, never handed over): that word has been counted, it counts once. */
  readonly ruledOut?: boolean;
  /** The attempt whose success settled it, where the success of another one would be a second effect: no contract collapses them. */
  readonly successOf?: number;
  /** The loss of the store that this doubt allows for: the send that it may have taken back is counted. */
  readonly lossAt?: Instant;
  /** Why the record is in doubt, in the queue or refused: a reason code. */
  readonly reason?: string;
  readonly settledAt?: T;
  /** The destination's reference for the effect. */
  readonly ref?: string;
  readonly items?: readonly PartialItem[];
  /** Two pieces of evidence that cannot both hold. */
  readonly conflict?: boolean;
  /** A definite outcome was handed to the caller's own thread. */
  readonly delivered?: boolean;
  /** Nobody came for the settled result within `recallFor`. */
  readonly recallOver?: boolean;
  /** A person accepted the outcome as final (closes `partial` and `conflict`). */
  readonly accepted?: boolean;
  /** False: the end state holds, the cause is not known. */
  readonly attributed?: boolean;
  /** After a resend, keep looking for a late landing of the first attempt until here. */
  readonly watchUntil?: T;
  /** Keyed digest of the identity arguments: the name of its hold. Absent with `identity: "per-call"`. */
  readonly fingerprint?: string;
  /** Keyed digest of the thread that issued it: the outcome must be delivered there. */
  readonly thread?: string;
  /** Keyed digest of the principal on whose behalf it was issued, where one was named. */
  readonly principal?: string;
  /** While in doubt, hold every call of the tool in this thread (`hold: "tool"`). */
  readonly holdThread?: boolean;
  /** Fingerprint of the contract in force at the first send. */
  readonly contract?: string;
  /** Fingerprint of the tool's definition at the first send, where its list had been seen. */
  readonly definition?: string;
  /** Handle of a task that the destination created. */
  readonly task?: string;
  /** That task says no more: it ended without proof, was cancelled, or is not known any more. */
  readonly taskOver?: boolean;
  readonly limits: Limits;
  /** Id of the secret behind digests and key. */
  readonly keyId?: string;
}

export type RecordDraft = OperationRecord<Moment>;
