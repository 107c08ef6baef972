/** One open file: its checks, its settings, its prepared statements, and whether it is still the file it was. */
import { randomBytes } from "node:crypto";
import { closeSync, existsSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Group } from "../../../src/entries/store.ts";
import { type Database, type Driver, failureOf, type Row, type SqlValue, type Statement } from "./driver.ts";
import * as failures from "./failures.ts";
import { LAYOUTS, STATEMENTS, type StatementParameters } from "./schema.gen.ts";
import { secretFile } from "./secret.ts";

/** "indt", in the header of the file: tells our files from those of other programs. */
const APPLICATION_ID = 0x69_6e_64_74;
const LAYOUT = LAYOUTS.length;

export interface FileOptions {
  readonly file: string;
  readonly namespace: string;
  readonly synchronous: "FULL" | "NORMAL";
}

export interface Connection {
  readonly database: Database;
  /** Device and inode: whether the name still leads to the file that is open. */
  readonly identity: string;
  /** Groups by number. They never change; cleared when a transaction is rolled back. */
  readonly groups: Map<number, Group>;
  readonly groupNumbers: Map<string, number>;
  /** The last known loss under the transaction or look at hand; -1: none. */
  lossAt: number;
  run<Name extends StatementName>(name: Name, parameters: ParametersOf<Name>): number;
  get<Name extends StatementName>(name: Name, parameters: ParametersOf<Name>): Row | undefined;
  all<Name extends StatementName>(name: Name, parameters: ParametersOf<Name>): readonly Row[];
}

export type StatementName = keyof StatementParameters;
type ParametersOf<Name extends StatementName> = Readonly<Record<StatementParameters[Name], SqlValue>>;

/** Undefined when there is no such file (any more). */
export function identityOf(file: string): string | undefined {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}

/**
 * Opens the file, and makes it if there is none. Another program's file is not touched.
 * @param now time for a new file
 * @throws IndoubtError or, when another process has a lock, the driver's busy error: try again
 */
export function connect(driver: Driver, options: FileOptions, now: number): Connection {
  const { file } = options;
  makeFile(file);
  const identity = identityOf(file);
  const database = driver.open(file);
  try {
    database.exec("PRAGMA busy_timeout = 0");
    const isNew = checkOwner(database, file);
    const { journal_mode: mode } = row(database, "PRAGMA journal_mode = WAL");
    if (mode !== "wal") throw failures.noWriteAheadLog(file, String(mode));
    database.exec(`PRAGMA synchronous = ${options.synchronous}`);
    if (isNew) initialise(database, options, now);
    else bringUp(database, file);
    const connection = connectionOf(database, identity ?? "");
    const namespace = connection.get("readMeta", {})?.namespace;
    if (namespace !== options.namespace) throw failures.otherNamespace(file, String(namespace), options.namespace);
    return connection;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** SQLite gives its own files beside this one the same rights. */
function makeFile(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found) {
    if (!found.isFile()) throw failures.notAFile(file);
    return;
  }
  if (!statSync(dirname(file), { throwIfNoEntry: false })?.isDirectory()) throw failures.missingFolder(file);
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** Whether the file is still empty. */
function checkOwner(database: Database, file: string): boolean {
  const { application_id: owner } = row(database, "PRAGMA application_id");
  const { user_version: layout } = row(database, "PRAGMA user_version");
  const { tables } = row(database, "SELECT count(*) AS tables FROM sqlite_schema");
  if (owner === 0 && layout === 0 && tables === 0) return true;
  if (owner !== APPLICATION_ID) throw failures.otherProgram(file);
  if (Number(layout) > LAYOUT) throw failures.newerLayout(file, Number(layout), LAYOUT);
  return false;
}

/** Brings an older layout up to ours. Takes the write lock in any case: SQLite opens a file that it may not write for reading, without a word. */
function bringUp(database: Database, file: string): void {
  database.exec("BEGIN IMMEDIATE");
  try {
    checkOwner(database, file); // another process may have been faster, and newer
    addLayouts(database, Number(row(database, "PRAGMA user_version").user_version));
    database.exec("COMMIT");
  } catch (error) {
    database.exec("ROLLBACK");
    throw error;
  }
}

/** @param from the layout that the file has; 0 for an empty one */
function addLayouts(database: Database, from: number): void {
  if (from === LAYOUT) return;
  for (const layout of LAYOUTS.slice(from)) database.exec(layout);
  database.exec(`PRAGMA user_version = ${LAYOUT}`);
}

function initialise(database: Database, { file, namespace }: FileOptions, now: number): void {
  database.exec("BEGIN IMMEDIATE");
  try {
    // Another process may have been faster.
    if (checkOwner(database, file)) {
      addLayouts(database, 0);
      database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
      // The secret is only ever made beside a finished file: where there is one without the other, a store was lost.
      const lossAt = existsSync(secretFile(file)) ? now : -1;
      database.prepare(STATEMENTS.createMeta).run({ namespace, epoch: newEpoch(), time: now, lossAt });
    }
    database.exec("COMMIT");
  } catch (error) {
    database.exec("ROLLBACK");
    throw error;
  }
}

const newEpoch = (): string => randomBytes(12).toString("base64url");

const row = (database: Database, sql: string): Row => database.prepare(sql).get({}) as Row;

function connectionOf(database: Database, identity: string): Connection {
  const prepared = new Map<StatementName, Statement>();
  const statement = (name: StatementName): Statement => {
    const found = prepared.get(name) ?? database.prepare(STATEMENTS[name]);
    prepared.set(name, found);
    return found;
  };
  return {
    database,
    identity,
    groups: new Map(),
    groupNumbers: new Map(),
    lossAt: -1,
    run: (name, parameters) => Number(statement(name).run(parameters).lastInsertRowid),
    get: (name, parameters) => statement(name).get(parameters) as Row | undefined,
    all: (name, parameters) => statement(name).all(parameters) as Row[],
  };
}

export const isBusy = (error: unknown): boolean => failureOf(error) === "busy";
