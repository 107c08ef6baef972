/** The file of a store through its life: opened with patience, written in groups, found again when it was replaced. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Instant } from "../../../src/entries/store.ts";
import type { Binding } from "./binding.ts";
import { type FileClock, fileClock, type MachineClock } from "./clock.ts";
import { type Connection, connect, type FileOptions, identityOf, isBusy } from "./connection.ts";
import { type Driver, type DriverName, loadDriver } from "./driver.ts";
import { cannotOpen, closed, stillBusy, unavailable } from "./failures.ts";
import { type GroupCommit, groupCommit } from "./group-commit.ts";
import { openTransaction, type Sight, type Transaction } from "./transaction.ts";

export interface StoreFile {
  readonly clock: FileClock;
  /** Where it is known, a file that is put in this one's place is bound to it, too. */
  readonly binding: Binding;
  driver(): DriverName | undefined;
  /** Idempotent. @throws IndoubtError */
  open(): Promise<void>;
  /** Runs in the next write transaction. @param limit how long to wait for another process's lock, in ms */
  write<T>(limit: number, work: (transaction: Transaction) => T): Promise<T>;
  /** Runs on one consistent state of the file, with the clock as it was before. Waits for nobody who writes. */
  look<T>(work: (connection: Connection, now: Instant) => T): Promise<T>;
  /** Answers what is queued, then lets go of the file. Idempotent. */
  close(): Promise<void>;
}

export interface StoreFileOptions extends FileOptions {
  readonly driver: DriverName | undefined;
  /** How long to wait for another process's lock when the call itself has no limit, in ms. */
  readonly patience: number;
  readonly machine: MachineClock;
}

export function storeFile(options: StoreFileOptions): StoreFile {
  const { file, patience, machine } = options;
  const clock = fileClock(machine);
  const binding: Binding = {};
  let driver: Driver | undefined;
  let connection: Connection | undefined;
  let opening: Promise<void> | undefined;
  let isClosed = false;
  let closing: Promise<void> | undefined;
  let seen: Sight | undefined;

  /** The connection to the file of that name, which may have been replaced since the last time. */
  function current(): Connection {
    if (isClosed || driver === undefined) throw closed();
    if (connection !== undefined && identityOf(file) === connection.identity) return connection;
    // Also when the new one cannot be opened: the next call tries again. SQLite itself sees that the file was moved
    // and leaves the files of its successor alone.
    connection?.database.close();
    connection = undefined;
    connection = connect(driver, options, clock.now());
    return connection;
  }

  async function patiently<T>(work: () => T, translate: (error: unknown) => Error): Promise<T> {
    const start = machine.monotonic();
    for (;;) {
      try {
        return work();
      } catch (error) {
        if (!isBusy(error)) throw translate(error);
        const waited = machine.monotonic() - start;
        if (waited > patience) throw stillBusy(file, waited);
        await sleep(1 + Math.random() * 2);
      }
    }
  }

  const open = async (): Promise<void> => {
    driver = await loadDriver(options.driver);
    await patiently(current, (error) => cannotOpen(file, error));
  };

  const opened = async (): Promise<void> => {
    if (closing) throw closed();
    opening ??= open();
    try {
      await opening;
    } catch (error) {
      opening = undefined;
      throw error;
    }
    if (closing) throw closed();
  };

  const close = async (): Promise<void> => {
    await opening?.catch(() => undefined);
    await writes.drain(patience, closed());
    isClosed = true;
    connection?.database.close();
    connection = undefined;
  };

  const writes: GroupCommit = groupCommit({
    file,
    clock: machine,
    open: () =>
      openTransaction(
        current(),
        clock,
        seen,
        (sight) => {
          seen = sight;
        },
        { file, to: binding },
      ),
  });

  return {
    clock,
    binding,
    driver: () => driver?.name,
    open: opened,
    async write(limit, work) {
      await opened();
      return writes.write(limit, work);
    },
    async look(work) {
      await opened();
      return patiently(
        () => snapshot(current(), clock, work),
        (error) => unavailable(file, error),
      );
    },
    close() {
      closing ??= close();
      return closing;
    },
  };
}

function snapshot<T>(connection: Connection, clock: FileClock, work: (connection: Connection, now: Instant) => T): T {
  const { database } = connection;
  database.exec("BEGIN");
  try {
    const meta = connection.get("readMeta", {});
    clock.observe(Number(meta?.time));
    connection.lossAt = Number(meta?.lossAt);
    return work(connection, clock.now());
  } finally {
    database.exec("ROLLBACK");
  }
}
