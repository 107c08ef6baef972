/** What the journal and the figures of the queue tell. */
import type { Instant, State } from "./core/terms.ts";

/** What the silences of one tool turned out to be, from the journal. */
export interface ToolStats {
  readonly server: string;
  readonly tool: string;
  /** Items that wait for a person. */
  readonly attention: number;
  /** Operations that went into doubt, as far back as the journal goes. */
  readonly doubts: number;
  /** Of these: the effect was there. */
  readonly landed: number;
  /** Of these: it was not. */
  readonly notLanded: number;
  /** Of these: settled by the answer to a resend. Whether the send before it had landed, nobody needed to know. */
  readonly resent: number;
  /** Of these: still open, or closed without knowing. */
  readonly undecided: number;
  /** ms from the send to the evidence of the effect, where an answer or an observation brought it. */
  readonly medianLandingMs?: number;
}

export interface QueueStats {
  /** The store's clock. */
  readonly at: Instant;
  readonly attention: number;
  readonly open: number;
  readonly byState: Readonly<Partial<Record<State, number>>>;
  /** ms since the issue of the oldest intent that waits for a person. */
  readonly oldestUnresolvedMs?: number;
  /** There was more than was counted: the numbers are lower bounds. */
  readonly truncated: boolean;
  readonly tools: readonly ToolStats[];
}

export type JournalKind = "doubt" | "settled" | "verdict" | "correction" | "conflict";

/** One notable event of any operation of the store. */
export interface JournalLine {
  readonly at: Instant;
  readonly id: string;
  readonly server: string;
  readonly tool: string;
  readonly kind: JournalKind;
  /** A row of docs/states.md. */
  readonly row: string;
  readonly from?: string;
  readonly to?: string;
  readonly reason?: string;
  readonly actor?: string;
  readonly ref?: string;
  readonly override?: boolean;
  /** How a doubt ended: `late_answer`, `observation`, `resend_answered`, `verdict`, `never_sent`. */
  readonly how?: string;
  /** Whether the effect was there; absent: that is not known. */
  readonly landed?: boolean;
  /** ms from the send (where it is not known, from the issue of the intent) to this. */
  readonly ageMs?: number;
}

export interface JournalFilter {
  readonly server?: string;
  readonly tool?: string;
  readonly kind?: JournalKind;
  /** @default 50, at most 1000 */
  readonly limit?: number;
  readonly cursor?: string;
}
