/** The manual queue as people and their surfaces see it: command line, page, webhook. Implemented in queue.ts. */
import type { Instant, JsonObject, PartialItem, SettledState, State } from "./core/terms.ts";
import type { JournalFilter, JournalLine, QueueStats } from "./queue-reports-api.ts";

export interface QueueItem {
  readonly id: string;
  readonly version: number;
  readonly state: State;
  readonly server: string;
  readonly tool: string;
  /** ms since the issue of the intent, by the store's clock. */
  readonly ageMs: number;
  readonly reason: string;
  readonly conflict: boolean;
  /** What can be done now, in plain words. */
  readonly next: string;
  /**
   * What it is about, on one line: the identity arguments, redacted, at most 160 characters. Written by a caller or model:
   * data, to be fenced. Only where the filter asked for `summaries` or `text`, and while the arguments are kept.
   */
  readonly summary?: string;
}

/** One line of an operation's history. */
export interface AuditLine {
  readonly at: Instant;
  /** A row of docs/states.md. */
  readonly row: string;
  readonly from?: string;
  readonly to?: string;
  readonly actor?: string;
  readonly reason?: string;
  readonly [fact: string]: unknown;
}

export type TimelineKind =
  | "issued"
  | "sent"
  | "deadline"
  | "answer"
  | "late_answer"
  | "observation"
  | "quiescence"
  | "verdict"
  | "other";

/** One moment in the life of an operation, in words. */
export interface TimelineEntry {
  readonly at: Instant;
  readonly kind: TimelineKind;
  readonly words: string;
  readonly by: "indoubt" | "server" | "destination" | "operator";
  /** Words of a server, hook or person: data, to be fenced wherever it is shown. */
  readonly text?: string;
  /** Lies ahead. */
  readonly planned?: true;
}

/** A verdict and whether it is possible now. */
export interface AllowedVerdict {
  readonly verdict: Verdict;
  readonly now: boolean;
  /** Why not now, or what an override would mean. */
  readonly why?: string;
}

/** A result that is kept with the operation, redacted as stored. */
export interface KeptAnswer {
  /** `operator`: written down by a person; it is not the tool's own answer. */
  readonly by: "server" | "operator" | "destination";
  readonly value: JsonObject;
}

export interface QueueDetail extends QueueItem {
  readonly issuedAt: Instant;
  readonly attempts: number;
  /** Attempts whose effect is unknown. */
  readonly open: number;
  /** A resend or "not applied" counts only after this; undefined when settled. */
  readonly quiesceAt?: Instant;
  readonly ref?: string;
  readonly items?: readonly PartialItem[];
  /** Redacted; written by a caller or model: data, not instructions. */
  readonly arguments: JsonObject;
  readonly audit: readonly AuditLine[];
  /** The store's clock at the reading. */
  readonly now: Instant;
  /** The application-level dedup key of the operation: what to search for at the destination, if a contract or hook placed it. */
  readonly key: string;
  /** Keyed digest of the principal, never the name. */
  readonly principal?: string;
  /** The tool's contract; absent: it has none. */
  readonly contract?: {
    /** `in_force`, or what stands in its way: a code of docs/contracts.md. */
    readonly status: string;
    readonly words: string;
    /** Why it was suspended. */
    readonly suspended?: string;
  };
  /** Fingerprint of the tool's definition that it was sent under; absent: its list had not been seen, or it is closed. */
  readonly definition?: string;
  readonly hook: {
    readonly configured: boolean;
    /** Absences in a row that count. */
    readonly absent: number;
    /** Looks at the destination so far. */
    readonly probes: number;
    /** What the hook said last about its trouble: data, to be fenced. */
    readonly lastSaid?: string;
  };
  readonly known: readonly string[];
  readonly unknown: readonly string[];
  readonly risk: readonly string[];
  /** Empty for a settled operation: those are corrected. */
  readonly allowed: readonly AllowedVerdict[];
  /** Oldest first; what lies ahead comes last. */
  readonly timeline: readonly TimelineEntry[];
  readonly answer?: KeptAnswer;
}

/** All of it is optional, and all of it must fit. */
export interface QueueFilter {
  /** `attention` waits for a person; `open` is everything else that is not closed. @default "attention" */
  readonly index?: "attention" | "open";
  readonly server?: string;
  readonly tool?: string;
  readonly state?: State;
  /** A reason code. */
  readonly reason?: string;
  readonly conflict?: boolean;
  /** Issued at least so many ms ago. */
  readonly olderThan?: number;
  /** Issued less than so many ms ago. */
  readonly newerThan?: number;
  /** The name; it is compared by its digest. */
  readonly principal?: string;
  /** In id, server, tool, reason, reference or redacted arguments; upper and lower case are the same. */
  readonly text?: string;
  /**
   * With a {@link QueueItem.summary} of each item. It costs one more read for each, in the same round trip to the store.
   * @default false
   */
  readonly summaries?: boolean;
  /** @default "oldest" */
  readonly order?: "oldest" | "newest";
  /** @default 50, at most 1000 */
  readonly limit?: number;
  readonly cursor?: string;
}

export interface QueuePage {
  readonly items: readonly QueueItem[];
  /** Absent: there is no more. A page may be short, even empty, and still have a next one: see `scanned`. */
  readonly nextCursor?: string;
  /** Records looked at for this page: 2,000 at most. */
  readonly scanned: number;
}

export type Verdict = "applied" | "not_applied" | "resend" | "abandon";

export interface Resolution {
  readonly verdict: Verdict;
  /** The version that the person looked at. */
  readonly version: number;
  readonly actor: string;
  readonly reason: string;
  /** The destination's reference, for `applied`. */
  readonly ref?: string;
  /** What the person found, for `applied`: kept as the operator's evidence and marked so wherever it is shown. */
  readonly result?: JsonObject;
  /** Decide before quiescence, or beyond `maxAttempts`. Recorded. @default false */
  readonly override?: boolean;
  /** Names the decision: handing it in twice is one decision. @default random */
  readonly decision?: string;
}

export interface Correction extends Omit<Resolution, "verdict" | "override"> {
  readonly to: SettledState;
}

export interface BulkDecision {
  readonly filter: Omit<QueueFilter, "limit" | "cursor">;
  readonly verdict: Verdict;
  readonly actor: string;
  readonly reason: string;
  readonly override?: boolean;
  /** Prefix of the decision ids, one per item. @default random */
  readonly decision?: string;
}

export interface BulkDryRun extends BulkDecision {
  readonly dryRun: true;
}

export interface BulkResolution extends BulkDecision {
  readonly dryRun?: false;
  /** How many items the dry run found. With another number now, nothing is decided. */
  readonly confirm: number;
  /** `seen` of the dry run: nothing is decided when other items, or other versions of them, fit now. @default not compared */
  readonly seen?: string;
  /** More items than this are refused. @default 100, at most 1000 */
  readonly cap?: number;
}

export interface BulkPreview {
  readonly count: number;
  readonly items: readonly QueueItem[];
  /** Names exactly these items and versions. */
  readonly seen: string;
}

export interface BulkReport {
  readonly resolved: readonly { readonly id: string; readonly version: number }[];
  readonly failed: readonly { readonly id: string; readonly why: string }[];
}

export interface WatchOptions {
  /** @default the whole attention index; `limit` (at most 1000, the default) bounds how many items are watched */
  readonly filter?: Omit<QueueFilter, "cursor">;
  /** Pause between two looks, in ms. @default 1000 */
  readonly everyMs?: number;
  /** Ends the watch. */
  readonly signal?: AbortSignal;
}

export interface QueueChange {
  readonly kind: "added" | "changed" | "removed";
  readonly item: QueueItem;
}

export interface Queue {
  /** A filter that fits little is served in pieces: at most 2,000 records are looked at per call. */
  list(filter?: QueueFilter): Promise<QueuePage>;
  /** @throws IndoubtError RESOLUTION_CONFLICT when there is no such operation */
  show(id: string): Promise<QueueDetail>;
  /**
   * @throws IndoubtError RESOLUTION_CONFLICT with `{ id, version, state, since }` when somebody was faster or it is not
   * allowed now: `since` is what happened after the version that the person looked at
   */
  resolve(id: string, resolution: Resolution): Promise<QueueDetail>;
  /** Counts and shows what a decision about many would be about. Changes nothing. */
  resolveAll(request: BulkDryRun): Promise<BulkPreview>;
  /**
   * One decision about each item that fits, each with its own line in the audit.
   * @throws IndoubtError RESOLUTION_CONFLICT when the count is another one now, or above the cap: nothing was decided
   */
  resolveAll(request: BulkResolution): Promise<BulkReport>;
  /** Corrects a settled outcome; the old one stays in the audit. */
  correct(id: string, correction: Correction): Promise<QueueDetail>;
  stats(): Promise<QueueStats>;
  /** What went into doubt, how doubts ended, who decided what: newest first, of the newest 10,000 lines of each tool. */
  journal(filter?: JournalFilter): Promise<{ readonly items: readonly JournalLine[]; readonly nextCursor?: string }>;
  /** Tells what is there, then each change. Goes on when the store was away. */
  watch(options?: WatchOptions): AsyncIterable<QueueChange>;
}
