/** One write transaction on the file, with its clock, and the check that the file is still the one it was. */
import type { Instant } from "../../../src/entries/store.ts";
import { type Binding, bindAgain } from "./binding.ts";
import type { FileClock } from "./clock.ts";
import type { Connection } from "./connection.ts";

export interface Transaction {
  readonly connection: Connection;
  /** The time of everything that this transaction writes. */
  readonly now: Instant;
  /** Last known loss of acknowledged writes; -1: none. */
  readonly lossAt: Instant;
  /** Set by whoever writes; without it the transaction ends without a commit. */
  wrote: boolean;
}

/** The file as this process last saw it. */
export interface Sight {
  readonly epoch: string;
  readonly writes: number;
  readonly time: Instant;
}

export interface Opened {
  readonly transaction: Transaction;
  commit(): void;
  rollback(): void;
}

/**
 * Takes the write lock or throws the driver's busy error.
 * @param seen the file as this process last saw it
 * @param see told after the commit what the file is now
 * @param bound to which secret this process has bound it
 *
 * A file that has another epoch, or fewer writes than this process has seen, was replaced under us: a new file, or an
 * older copy put in its place. All intents issued until now are then suspect, for every process, because the loss is
 * written into the file. What cannot be noticed here: a file replaced while no process had it open (unless the secret
 * beside it stayed and the file is new), an older copy that has since been written more often than the original, a
 * deleted `-wal` file, and a disk that lies about having written.
 */
export function openTransaction(
  connection: Connection,
  clock: FileClock,
  seen: Sight | undefined,
  see: (sight: Sight) => void,
  bound: { readonly file: string; readonly to: Binding },
): Opened {
  const { database } = connection;
  database.exec("BEGIN IMMEDIATE");
  try {
    const meta = connection.get("readMeta", {});
    if (!meta) throw new Error("the row of meta is missing");
    clock.observe(Number(meta.time));
    const file = { epoch: String(meta.epoch), writes: Number(meta.writes) };
    const known = Number(meta.lossAt);
    const isLost = seen !== undefined && (file.epoch !== seen.epoch || file.writes < seen.writes);
    const isNews = isLost && known < seen.time;
    const lossAt = isNews ? Math.max(clock.now(), known + 1) : known;
    if (isNews) clock.observe(lossAt + 1); // what is written from now on is younger than the loss
    connection.lossAt = lossAt;
    const isBoundAgain = bindAgain(connection, meta, bound.file, bound.to);
    const now = clock.now();
    const sight = { ...file, time: now };
    const transaction = { connection, now, lossAt, wrote: isNews || isBoundAgain };
    const writes = sight.writes + 1;
    return {
      transaction,
      rollback: () => rollback(connection),
      commit() {
        if (transaction.wrote) {
          connection.run("writeMeta", { writes, time: now, lossAt });
          database.exec("COMMIT");
        } else {
          database.exec("ROLLBACK");
        }
        see(transaction.wrote ? { ...sight, writes } : sight);
      },
    };
  } catch (error) {
    rollback(connection);
    throw error;
  }
}

/** Forgets the groups too: some of them may have been made by what is rolled back. */
function rollback({ database, groups, groupNumbers }: Connection): void {
  groups.clear();
  groupNumbers.clear();
  try {
    database.exec("ROLLBACK");
  } catch {
    // SQLite has already rolled back by itself.
  }
}
