/** A record in the hands of this process, and what may go along with a move of it. */
import type { OperationRecord } from "./core/record.ts";
import type { Instant } from "./core/terms.ts";
import type { Payload } from "./payload.ts";
import type { Group } from "./ports.ts";

/** A handle on one record. `record` and `version` are what this process saw last. */
export interface Operation {
  readonly id: string;
  readonly group: Group;
  readonly digest: string;
  version: number;
  record: OperationRecord;
  /** Sealed. */
  payload?: string;
  /** The last loss that the store knew of when this was read: a move made under another one is decided again. */
  lossAt: Instant | undefined;
  /** What is written, where a loss since then makes `record` another one: the next move writes that first. */
  written: OperationRecord | undefined;
  /** When the write of this version was asked for, on this machine's monotonic clock; absent for one that was read. */
  askedAt: number | undefined;
  /** Moves of one handle run one after the other. */
  queue: Promise<unknown>;
}

export interface MoveOptions {
  /** New payload once the record is settled; `null` drops it. Absent, or not settled: kept, for doubt needs the arguments. */
  readonly payload?: Payload | null;
  readonly payloadExpireIn?: number;
  /** Takes the place of the kept payload of an open record. */
  readonly keep?: Payload;
  /** Facts for the history line. */
  readonly note?: Readonly<Record<string, unknown>>;
  readonly notAfter?: Instant;
  readonly ifGeneration?: number;
  /** Name of the write, for a decision that may be handed in twice. */
  readonly token?: string;
  /** Give up when the version is not this one. */
  readonly expect?: number;
}
