/**
 * What the engine needs from outside, beside the way to a server (wire.ts). Each port is tiny; its comments carry the
 * obligations. Policy lives in `core`: a store compares, swaps and keeps indexes, a clock ticks. None of them decides.
 */
import type { Instant, Moment } from "./core/terms.ts";

/** One tool of one server of one tenant: everything about it lives together (in Redis: in one hash slot). */
export interface Group {
  /** 10 characters, derived from namespace, tenant, server and tool. An operation id begins with it: `<tag>_<26 characters>`. */
  readonly tag: string;
  /** Keyed digest of the tenant, never its name. */
  readonly tenant: string;
  readonly server: string;
  readonly tool: string;
}

export interface StoredRecord {
  readonly id: string;
  readonly group: Group;
  /** 1 after `begin`, plus one for each swap. */
  readonly version: number;
  /** When this version was written, by the store's clock. */
  readonly at: Instant;
  /** Keyed digest of all arguments, as given to `begin`. */
  readonly digest: string;
  /** Opaque to the store; no byte of it is read there. */
  readonly body: string;
  /** Opaque, encrypted; may be gone (`payloadExpireIn`) while the record lives. */
  readonly payload?: string;
  /**
   * When the store last lost acknowledged writes, as it knew when it handed this out; absent: it knows of no loss. What
   * was written up to then may have been followed by versions that are gone.
   */
  readonly lossAt?: Instant;
}

/** A change of one record. Shared by `swap` and by the deliveries that ride on `begin`. */
export interface Change {
  readonly id: string;
  /** The version that this change replaces. */
  readonly expect: number;
  /** `lossAt` of the record when that version was read. Where the store knows of another loss, the change does not fit. */
  readonly lossAt?: Instant;
  /** Names this write. A repeat with the same token is the same write and must answer the same. */
  readonly token: string;
  readonly body: string;
  /** `undefined` keeps the payload, `null` removes it. */
  readonly payload?: string | null;
  /** Time to live of the payload alone, in ms. Without it the payload lives as long as its record. */
  readonly payloadExpireIn?: number;
  readonly addHolds?: readonly string[];
  readonly removeHolds?: readonly string[];
  /** When the sweeper must look; `null` takes it out of the due index. */
  readonly due: Moment | null;
  /** In the manual queue. */
  readonly attention: boolean;
  /** Where it stands there: the queue is ordered by this. @default the moment of the write that brought it in */
  readonly since?: Instant;
  /** The record and its history may be forgotten after this many ms. Absent: it must never expire. */
  readonly expireIn?: number;
  /** Lines for the append-only history, stamped by the store. */
  readonly history?: readonly string[];
  /** Lines for the journal of the group, stamped by the store with its time and the id, written in the same step. */
  readonly journal?: readonly string[];
}

export interface BeginRequest {
  readonly group: Group;
  readonly id: string;
  readonly digest: string;
  readonly token: string;
  readonly body: string;
  readonly payload?: string;
  /** Hold entries that the new record will own. */
  readonly holds: readonly string[];
  /** Nothing is created while another record owns one of these entries. */
  readonly blockedBy: readonly string[];
  /** Deliveries of earlier operations of this group, applied first. One that does not fit (stale, gone) is skipped. */
  readonly acks: readonly Change[];
  readonly due: Moment | null;
  readonly attention?: boolean;
  readonly history?: readonly string[];
  readonly journal?: readonly string[];
  /** The store must refuse this request when it arrives later than this many ms after the call of `begin` (a ghost). */
  readonly within: number;
  /** When the intent was issued at the earliest, by the clock of the store, if its identity says so. */
  readonly issuedAt?: Instant;
  /** An intent older than this, in ms, without a record is `suspect`. */
  readonly maxAge: number;
  /** The body already says "adopted": skip the `suspect` checks. */
  readonly adopting?: boolean;
}

export type BeginReply =
  /** Written, version 1. Also the answer to a repeat of the same token while the record is still at version 1. */
  | {
      readonly kind: "created";
      readonly now: Instant;
      readonly generation: number;
      /** As in {@link StoredRecord}. */
      readonly lossAt?: Instant;
    }
  /** This id has a record with the same digest. */
  | { readonly kind: "exists"; readonly now: Instant; readonly generation: number; readonly record: StoredRecord }
  /** This id has a record with another digest: nothing of it may be told as this call's outcome. */
  | { readonly kind: "mismatch"; readonly now: Instant; readonly record: StoredRecord }
  /** Another record owns `entry`. */
  | {
      readonly kind: "held";
      readonly now: Instant;
      readonly generation: number;
      readonly entry: string;
      readonly record: StoredRecord;
    }
  /** The request came after its time. Nothing was written. */
  | { readonly kind: "late"; readonly now: Instant }
  /** No record, but that proves nothing: acknowledged writes may have been lost, or the intent is too old. Nothing was written. */
  | { readonly kind: "suspect"; readonly now: Instant; readonly because: "store_loss" | "intent_too_old" };

export interface SwapRequest extends Change {
  readonly group: Group;
  readonly within: number;
  /** Refuse when the store's clock is past this instant (permit, contract window). */
  readonly notAfter?: Instant;
  /** Refuse when the group's suspension generation differs. */
  readonly ifGeneration?: number;
}

export type SwapReply =
  | { readonly kind: "swapped"; readonly now: Instant; readonly version: number }
  /** Another version is there, or the store lost writes since the expected one was read; decide again with it. */
  | { readonly kind: "stale"; readonly now: Instant; readonly record: StoredRecord }
  /** No such record. A swap never creates one. */
  | { readonly kind: "gone"; readonly now: Instant }
  | { readonly kind: "late"; readonly now: Instant }
  | { readonly kind: "generation_changed"; readonly now: Instant; readonly generation: number };

export interface ListRequest {
  /** `attention`: the manual queue. `open`: everything with a due time (in flight, ready, in doubt, undelivered). */
  readonly index: "attention" | "open";
  readonly server?: string;
  readonly tool?: string;
  /**
   * `oldest`: by `since` (else birth) in the queue, across all groups; in `open` an order of the store's own.
   * `newest` is the same the other way round. A page costs no more reads of records than it shows.
   * @default "oldest"
   */
  readonly order?: "oldest" | "newest";
  /** With their payloads. @default false: then they may be left out */
  readonly payloads?: boolean;
  /** @default 50, at most 1000 */
  readonly limit?: number;
  readonly cursor?: string;
}

export interface JournalRequest {
  readonly server?: string;
  readonly tool?: string;
  /** @default 50, at most 1000 */
  readonly limit?: number;
  readonly cursor?: string;
}

export interface JournalEntry {
  readonly at: Instant;
  readonly id: string;
  readonly group: Group;
  readonly line: string;
}

export interface JournalPage {
  readonly now: Instant;
  readonly entries: readonly JournalEntry[];
  readonly nextCursor?: string;
}

export interface Page {
  readonly now: Instant;
  readonly items: readonly StoredRecord[];
  readonly nextCursor?: string;
}

export interface HistoryLine {
  readonly at: Instant;
  readonly line: string;
}

/** A contract out of force, with the reason, kept until a person lifts it. */
export interface Suspension {
  readonly server: string;
  readonly tool: string;
  readonly reason: string;
  readonly actor: string;
  readonly at: Instant;
  /** Redacted reproduction: operation id and facts. */
  readonly detail?: string;
}

export interface StoreHealth {
  readonly kind: string;
  readonly ok: boolean;
  /** In plain words, what this set-up does not protect against, each with its cure. */
  readonly warnings: readonly string[];
}

/**
 * A versioned compare-and-set map with hold, due and attention indexes, and the clock.
 *
 * Obligations, checked by the conformance suite in `indoubt/testing`:
 * - `begin` and `swap` are each one atomic step; what is acknowledged is as durable as the store's set-up says.
 * - They are idempotent per token: the client library or we may send them twice, and a ghost after `within` is refused.
 * - Steps of `begin`, in this order: too late -> `late` · id exists: same token and version 1 -> `created`, other digest ->
 *   `mismatch`, else `exists` · apply `acks` · a `blockedBy` entry owned by another id -> `held` · (unless `adopting`)
 *   known loss of acknowledged writes, or an `issuedAt` at or before the last known loss, or older than `maxAge` ->
 *   `suspect` · write version 1, holds, due, attention -> `created`.
 * - A known loss is reported as `suspect` (`store_loss`) to the intents it may concern: those with an `issuedAt` up to the
 *   loss. The store itself keeps what it needs to notice one (epoch, high-water mark, run id).
 * - It goes along with every record that is handed out (`lossAt`), each loss with a time of its own. A `swap` made under
 *   another `lossAt` is `stale` before anything else is compared, an ack is skipped: versions may have been given twice.
 * - Records without `expireIn` never expire and are never evicted.
 * - The journal keeps the newest 10,000 lines of each group, longer than the records that they are about. Without lines
 *   it costs nothing.
 * - A failure is an `IndoubtError` with code STORE_UNAVAILABLE (and `effect: "none"` only if nothing was written).
 * - Every call ends within its own time limit; none hangs.
 */
export interface Store {
  /** `memory`, `sqlite`, `redis` or the name of your own. */
  readonly kind: string;
  /** Two namespaces never see each other's records. @default "default" */
  readonly namespace?: string;
  /**
   * How far the clocks of those who issue intents may be ahead of the store's, in ms. `begin` is told an `issuedAt` that
   * is earlier by so much.
   * @default 5000
   */
  readonly clockSkew?: number;
  /** Where answers go that the store could not take; survives the process. Without it they are only in memory. */
  readonly spool?: Spool;
  /** The secret behind digests and keys: the configured one, or a local one created once. Absent: `createGuard` needs `secret`. */
  secret?(): Promise<Uint8Array>;
  /** Binds the data to the id of the secret; another id is STORE_INCOMPATIBLE. */
  bindKey?(keyId: string): Promise<void>;
  /** Connect and check the set-up. Idempotent; called before the first use. */
  open(): Promise<void>;
  begin(request: BeginRequest): Promise<BeginReply>;
  swap(request: SwapRequest): Promise<SwapReply>;
  /** The record with its payload, and the store's clock as it was BEFORE the read. */
  read(id: string): Promise<{ readonly now: Instant; readonly generation: number; readonly record?: StoredRecord }>;
  /** Records whose due time has come, oldest first. */
  due(limit: number): Promise<{ readonly now: Instant; readonly items: readonly StoredRecord[] }>;
  list(request: ListRequest): Promise<Page>;
  /** Lines in the order they were written. */
  history(id: string): Promise<readonly HistoryLine[]>;
  /** The newest lines first, across groups; pages stay as they are while new lines come. */
  journal(request: JournalRequest): Promise<JournalPage>;
  /**
   * Idempotent per server and tool: the first suspension stays, and raises the generation of every group of the tool.
   * Another one takes its place only where exactly `instead` stands (whenever it was made), in one atomic step: at no
   * moment is the tool without any.
   * @returns what stands now: this one, or the one that stayed
   */
  suspend(suspension: Omit<Suspension, "at">, instead?: Omit<Suspension, "at">): Promise<Suspension>;
  /**
   * @param only lift nothing but exactly this one, whenever it was made; compared and lifted in one atomic step
   * @returns whether none stands now
   */
  lift(server: string, tool: string, only?: Omit<Suspension, "at">): Promise<boolean>;
  suspensions(): Promise<readonly Suspension[]>;
  health(): Promise<StoreHealth>;
  close(): Promise<void>;
}

/** A local journal for outcomes that the store could not take. Lines are opaque and encrypted. */
export interface Spool {
  /** Durable (fsynced) when it resolves. */
  append(line: string): Promise<void>;
  /** Every line that was appended and not yet removed, also by earlier processes. */
  lines(): Promise<readonly string[]>;
  remove(lines: readonly string[]): Promise<void>;
}

export interface Clock {
  /** Milliseconds that never go back, from any start. */
  monotonic(): number;
  /** Milliseconds since 1970 on this machine; only for minting ids, never compared with the store's. */
  wall(): number;
  /** Calls back after `ms`; the returned function cancels. Keeps the process alive: somebody waits for it. */
  after(ms: number, run: () => void): () => void;
  /** The same for work in the background, which must not keep the process alive. */
  later(ms: number, run: () => void): () => void;
}
