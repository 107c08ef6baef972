/** What can happen to an operation. An event carries only facts; whether it counts is decided by the guards. */
import type { Limits } from "./limits.ts";
import type { Instant, PartialItem, SettledState } from "./terms.ts";

/** What a new record is born with. */
export interface Birth {
  /** Store or issuer time; absent: the moment of the write. */
  readonly issuedAt?: Instant;
  readonly limits: Limits;
  readonly fingerprint?: string;
  readonly thread?: string;
  readonly holdThread?: boolean;
  readonly principal?: string;
  readonly contract?: string;
  readonly definition?: string;
  readonly keyId?: string;
  /** It goes on with a call that is not on record: digest of the question that it answers. */
  readonly leg?: string;
}

/** The part of an active contract that a resend depends on. Times in ms. */
export interface ContractTerms {
  readonly fingerprint: string;
  /** How long the destination remembers the key, from the issue of the intent. */
  readonly window: number;
  /** Taken off the window: the resend itself may land late. */
  readonly margin: number;
  /** Overlapping repeats are not safe: wait for quiescence. */
  readonly serial: boolean;
}

/** Why a person should look at a task that may still run. */
export type TaskReason = "task_overdue" | "task_input_required" | "task_not_asked";

interface AttemptRef {
  readonly attempt: number;
  readonly token: string;
}

export type LifecycleEvent =
  | ({ readonly type: "adopt"; readonly reason: string } & Birth)
  | ({ readonly type: "submit" } & Birth)
  /** `submit` and `start` in one write: the clean path. */
  | ({ readonly type: "issue"; readonly token: string } & Birth)
  | { readonly type: "start"; readonly token: string }
  | { readonly type: "resend"; readonly token: string; readonly contract: ContractTerms }
  | ({ readonly type: "renew"; readonly waiting?: boolean } & AttemptRef)
  /** `asked`: digest of the question. */
  | ({ readonly type: "leg"; readonly asked: string } & AttemptRef)
  /** `question`: what the leg answers. Whoever takes it speaks for the attempt from now on. */
  | { readonly type: "next_leg"; readonly question: string; readonly token: string }
  | ({ readonly type: "unsent_leg" } & AttemptRef)
  /** What its legs answered is on record elsewhere. */
  | { readonly type: "legs_over" }
  /** `pollIn`: ms until it is asked for, where nobody drives the attempt any more. */
  | ({ readonly type: "task_created"; readonly task: string; readonly pollIn?: number } & AttemptRef)
  /** `waiting`: for somebody's input. */
  | ({ readonly type: "task_working"; readonly pollIn: number; readonly waiting?: boolean } & AttemptRef)
  | ({ readonly type: "task_overdue"; readonly pollIn: number; readonly reason: TaskReason } & AttemptRef)
  /** No proof will come of it. `answered`: it ended, so nothing of it is under way any more. `lookIn`: as in `doubt`. */
  | ({
      readonly type: "task_lost";
      readonly reason: string;
      readonly answered: boolean;
      readonly lookIn?: number;
    } & AttemptRef)
  | ({ readonly type: "unsent" } & AttemptRef)
  /** `verify`: keep looking until the destination shows it. */
  | ({ readonly type: "ok"; readonly ref?: string; readonly verify?: boolean } & AttemptRef)
  /** `settles`: neither a hook nor a contract can find out more, so the answer is all there will be. */
  | ({
      readonly type: "answered_error";
      readonly settles: boolean;
      readonly reason: string;
      readonly lookIn?: number;
      /** The destination repeats stored errors: this one is the answer of every attempt under the key. */
      readonly forAll?: boolean;
    } & AttemptRef)
  | ({
      readonly type: "rejected";
      readonly reason: string;
      readonly retryable: boolean;
      /** Retry-After, in ms. */
      readonly retryAfter?: number;
      /** The contract says that a rejection of the key speaks for the whole operation. */
      readonly authoritative?: boolean;
    } & AttemptRef)
  /**
   * `answered`: an answer came, so nothing of this attempt is still under way longer than `settleAfterAnswer`.
   * `lookIn`: ms until the first look at the destination, which may find the effect before quiescence.
   */
  | ({
      readonly type: "doubt";
      readonly reason: string;
      readonly answered: boolean;
      readonly lookIn?: number;
    } & AttemptRef)
  /** `unchangedFor`: ms that one version was seen unchanged on a monotonic clock, for a store clock that jumped. */
  | { readonly type: "lease_over"; readonly unchangedFor?: number }
  /** `lossAt`: the store lost acknowledged writes then, and the version that is left may have been followed by others. */
  | { readonly type: "store_loss"; readonly lossAt: Instant }
  | { readonly type: "give_up" }
  | { readonly type: "withdraw" }
  | { readonly type: "permit_over" }
  | { readonly type: "suspend" }
  | { readonly type: "present"; readonly ref?: string; readonly attributed: boolean; readonly count: number }
  | { readonly type: "partial"; readonly items: readonly PartialItem[] }
  /** `readAt`: the store's clock taken before the read began. */
  | { readonly type: "absent"; readonly readAt: Instant }
  /** `retryIn`: ms until the next look. `early`: an absence that cannot count yet; it uses up no probe. */
  | { readonly type: "probe_fail"; readonly reason: string; readonly retryIn: number; readonly early?: boolean }
  | { readonly type: "escalate"; readonly reason: string }
  | { readonly type: "operator_applied"; readonly ref?: string }
  | { readonly type: "operator_absent"; readonly override: boolean }
  | { readonly type: "operator_resend"; readonly override: boolean }
  | { readonly type: "operator_abandon" }
  | { readonly type: "correct"; readonly to: SettledState; readonly ref?: string }
  | { readonly type: "reopen"; readonly reason: string }
  | { readonly type: "watch_over" }
  | { readonly type: "deliver" }
  | { readonly type: "hold_over" };

export type EventType = LifecycleEvent["type"];
export type EventOf<T extends EventType> = Extract<LifecycleEvent, { type: T }>;
