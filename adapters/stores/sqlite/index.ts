/**
 * A store in one SQLite file: the embedded default. Durable through crashes and power cuts, shared by all processes of
 * one machine.
 */
import { resolve } from "node:path";
import type { Spool, Store, StoreHealth } from "../../../src/entries/store.ts";
import { IndoubtError, isIndoubtError } from "../../../src/index.ts";
import { folderSpool } from "../../spool/index.ts";
import { startCleaning } from "./cleaning.ts";
import { type MachineClock, machineClock } from "./clock.ts";
import type { DriverName } from "./driver.ts";
import { inMemory, otherKey } from "./failures.ts";
import { readJournal, readPage } from "./pages.ts";
import { readDue, readHistory, readRecord, readSuspensions } from "./reading.ts";
import { isSecretExposed, markOf, readOrMakeSecret, secretFile } from "./secret.ts";
import { begin, lift, suspend, swap } from "./steps.ts";
import { type StoreFile, storeFile } from "./store-file.ts";

export interface SqliteStoreOptions {
  /**
   * The file, on a local disk. Made with rights for its owner only when there is none; its folder must exist.
   * @default "./indoubt.db"
   * @example sqliteStore({ file: "/var/lib/acme/indoubt.db" })
   */
  readonly file?: string;
  /**
   * Bound to the file at its first opening; another one is refused later.
   * @default "default"
   * @example sqliteStore({ namespace: "acme-agents" })
   */
  readonly namespace?: string;
  /**
   * `FULL`: every answered write survives a power cut. `NORMAL`: it survives a crash of the process, but a power cut can
   * take the latest writes away unnoticed.
   * @default "FULL"
   * @example sqliteStore({ synchronous: "NORMAL" }) // for tests
   */
  readonly synchronous?: "FULL" | "NORMAL";
  /**
   * How long to wait for another process's lock where the call itself has no limit (opening, reading, suspending), in ms.
   * @default 5_000
   * @example sqliteStore({ patience: 1_000 })
   */
  readonly patience?: number;
  /**
   * The SQLite driver. All processes of a machine may use either; one process uses one.
   * @default `node:sqlite` where this Node has it, else `better-sqlite3`
   * @example sqliteStore({ driver: "better-sqlite3" })
   */
  readonly driver?: DriverName;
  /**
   * The machine's clocks, in ms; for tests.
   * @default Date.now and performance.now
   * @example sqliteStore({ clock: { wall: () => time, monotonic: () => time } })
   */
  readonly clock?: MachineClock;
}

export interface SqliteStore extends Store {
  readonly kind: "sqlite";
  readonly namespace: string;
  /** A folder beside the file: `indoubt.db.spool`. */
  readonly spool: Spool;
  /**
   * The 32 bytes beside the file (`indoubt.db.secret`): made once with rights for its owner only, the same afterwards
   * and for every process.
   * @throws IndoubtError `STORE_INCOMPATIBLE` when it is missing or another one than the file was used with
   */
  secret(): Promise<Uint8Array>;
  /**
   * Binds the file to the id of a secret; the first one stays.
   * @throws IndoubtError `STORE_INCOMPATIBLE` for another id
   */
  bindKey(keyId: string): Promise<void>;
}

export type { DriverName, MachineClock };

/**
 * Opens nothing yet; `open()` does, or the first call.
 * @throws IndoubtError `CONFIG_INVALID` for options that cannot work. From `open()`: `CONFIG_INVALID` (no such folder,
 * not a database, no driver), `STORE_INCOMPATIBLE` (another program's file, a newer layout, another namespace),
 * `STORE_UNAVAILABLE` (no rights, locked, disk full). From the other calls: `STORE_UNAVAILABLE`, with `effect: "possible"`
 * when the disk failed during a commit
 * @example
 * import { createGuard } from "indoubt";
 * import { sqliteStore } from "indoubt/sqlite";
 *
 * const guard = createGuard({ store: sqliteStore({ file: "./indoubt.db" }) });
 */
export function sqliteStore(options: SqliteStoreOptions = {}): SqliteStore {
  const settings = settingsOf(options);
  const { patience, machine } = settings;
  const file = storeFile(settings);
  let stopCleaning: (() => void) | undefined;
  let isClosed = false;
  return {
    kind: "sqlite",
    namespace: settings.namespace,
    spool: folderSpool({ folder: `${settings.file}.spool` }),
    secret: () => secretOf(file, settings),
    bindKey: (keyId) => bindKey(file, settings, keyId),
    async open() {
      await file.open();
      if (!isClosed) stopCleaning ??= startCleaning(file);
    },
    begin(request) {
      const called = machine.monotonic();
      return file.write(request.within, (transaction) => begin(transaction, request, machine.monotonic() - called));
    },
    swap(request) {
      const called = machine.monotonic();
      return file.write(request.within, (transaction) => swap(transaction, request, machine.monotonic() - called));
    },
    read: (id) => file.look((connection, now) => readRecord(connection, now, id)),
    due: (limit) => file.look((connection, now) => readDue(connection, now, limit)),
    list: (request) => file.look((connection, now) => readPage(connection, now, request)),
    journal: (request) => file.look((connection, now) => readJournal(connection, now, request)),
    history: (id) => file.look((connection, now) => readHistory(connection, now, id)),
    suspend: (suspension, instead) => file.write(patience, (transaction) => suspend(transaction, suspension, instead)),
    lift: (server, tool, only) => file.write(patience, (transaction) => lift(transaction, server, tool, only)),
    suspensions: () => file.look(readSuspensions),
    health: () => healthOf(file, settings),
    async close() {
      isClosed = true;
      stopCleaning?.();
      await file.close();
    },
  };
}

type Settings = Parameters<typeof storeFile>[0];

const KNOWN = ["file", "namespace", "synchronous", "patience", "driver", "clock"];

function settingsOf(options: SqliteStoreOptions): Settings {
  const unknown = Object.keys(options).find((name) => !KNOWN.includes(name));
  if (unknown !== undefined) {
    throw new IndoubtError("CONFIG_INVALID", `sqliteStore() has no option "${unknown}". It takes ${KNOWN.join(", ")}.`);
  }
  const { file = "./indoubt.db", namespace = "default", synchronous = "FULL", patience = 5_000 } = options;
  if (file === "" || file.startsWith(":memory:")) throw inMemory();
  if (namespace === "")
    throw new IndoubtError("CONFIG_INVALID", 'namespace is empty. Leave it out, or name it: "acme".');
  const machine = options.clock ?? machineClock;
  return { file: resolve(file), namespace, synchronous, patience, machine, driver: options.driver };
}

async function secretOf(file: StoreFile, { file: path, patience }: Settings): Promise<Uint8Array> {
  // First the database, then the secret: a secret without its database is the sign of a lost store.
  const mark = await file.look((connection) => connection.get("readMeta", {})?.secretMark ?? null);
  const secret = readOrMakeSecret(path, mark === null ? null : String(mark));
  if (mark === null) {
    await file.write(patience, (transaction) => {
      transaction.wrote = true;
      transaction.connection.run("markSecret", { mark: markOf(secret) });
    });
  }
  file.binding.secret = secret;
  return secret;
}

async function bindKey(file: StoreFile, { file: path, patience }: Settings, keyId: string): Promise<void> {
  const readKey = () => file.look((connection) => connection.get("readMeta", {})?.keyId ?? null);
  if ((await readKey()) === null) {
    await file.write(patience, (transaction) => {
      transaction.wrote = true;
      transaction.connection.run("bindKey", { keyId });
    });
  }
  const found = await readKey();
  if (found !== keyId) throw otherKey(path, String(found), keyId);
  file.binding.keyId = keyId;
}

async function healthOf(file: StoreFile, { file: path, synchronous, machine }: Settings): Promise<StoreHealth> {
  const warnings: string[] = [];
  if (synchronous === "NORMAL") {
    warnings.push("synchronous is NORMAL: a power cut can take the latest writes away unnoticed. Set it to FULL.");
  }
  if (isSecretExposed(path)) {
    warnings.push(`${secretFile(path)} can be read by other users. Run: chmod 600 ${secretFile(path)}`);
  }
  try {
    const now = await file.look((_, time) => time);
    const ahead = Math.round((now - machine.wall()) / 1_000);
    if (ahead > 60) warnings.push(`The file's clock is ${ahead} s ahead of this machine's. Check the machine's clock.`);
    return { kind: "sqlite", ok: true, warnings };
  } catch (error) {
    if (!isIndoubtError(error)) throw error;
    return { kind: "sqlite", ok: false, warnings: [...warnings, error.message] };
  }
}
