/** The two SQLite drivers behind one small face: `node:sqlite` where Node has it, else better-sqlite3. */
import { IndoubtError } from "../../../src/index.ts";

export type SqlValue = string | number | null;
export type Row = Readonly<Record<string, SqlValue>>;

export interface Statement {
  run(parameters: Readonly<Record<string, SqlValue>>): { readonly lastInsertRowid: number | bigint };
  get(parameters: Readonly<Record<string, SqlValue>>): unknown;
  all(parameters: Readonly<Record<string, SqlValue>>): unknown[];
}

export interface Database {
  exec(sql: string): unknown;
  prepare(sql: string): Statement;
  close(): void;
}

export type DriverName = "node:sqlite" | "better-sqlite3";

export interface Driver {
  readonly name: DriverName;
  /** Never waits for a lock: the built-in wait would freeze the event loop. */
  open(file: string): Database;
}

/** Of which kind a failure is, whatever driver reported it. */
export type Failure = "busy" | "full" | "readonly" | "cannot_open" | "not_a_database" | "corrupt" | "io" | "other";

const FAILURES: Readonly<Record<number, Failure>> = {
  5: "busy",
  8: "readonly",
  10: "io",
  11: "corrupt",
  13: "full",
  14: "cannot_open",
  // SQLITE_PROTOCOL: lost a race for the locks of the write-ahead log.
  15: "busy",
  26: "not_a_database",
};

const NAMES: Readonly<Record<string, number>> = {
  SQLITE_BUSY: 5,
  SQLITE_READONLY: 8,
  SQLITE_IOERR: 10,
  SQLITE_CORRUPT: 11,
  SQLITE_FULL: 13,
  SQLITE_CANTOPEN: 14,
  SQLITE_PROTOCOL: 15,
  SQLITE_NOTADB: 26,
  // What the operating system says when the file is made.
  EACCES: 8,
  EPERM: 8,
  EROFS: 8,
  ENOSPC: 13,
};

/** better-sqlite3 names the extended code (`SQLITE_BUSY_SNAPSHOT`), node:sqlite numbers it (`errcode` 517). */
export function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return "other";
  const { errcode, code } = error as { readonly errcode?: unknown; readonly code?: unknown };
  if (typeof errcode === "number") return FAILURES[errcode & 0xff] ?? "other";
  if (typeof code !== "string") return "other";
  const primary = code.split("_").slice(0, 2).join("_");
  return FAILURES[NAMES[primary] ?? 0] ?? "other";
}

/** Loads a driver. @param wanted without it: `node:sqlite` where this Node has it, else better-sqlite3. */
export async function loadDriver(wanted?: DriverName): Promise<Driver> {
  if (wanted !== "better-sqlite3") {
    const driver = builtIn();
    if (driver) return driver;
    if (wanted !== undefined) {
      throw new IndoubtError(
        "CONFIG_INVALID",
        `Node ${process.version} has no node:sqlite. Use Node 22.13 or newer, or leave the option "driver" out.`,
      );
    }
  }
  return installed();
}

interface NodeSqlite {
  readonly DatabaseSync: new (file: string) => Database;
}

function builtIn(): Driver | undefined {
  const module = process.getBuiltinModule?.("node:sqlite") as NodeSqlite | undefined;
  return module && { name: "node:sqlite", open: (file) => new module.DatabaseSync(file) };
}

interface BetterSqlite {
  readonly default: new (file: string, options: { readonly timeout: number }) => Database;
}

async function installed(): Promise<Driver> {
  try {
    const module = (await import("better-sqlite3")) as unknown as BetterSqlite;
    return { name: "better-sqlite3", open: (file) => new module.default(file, { timeout: 0 }) };
  } catch (cause) {
    throw new IndoubtError(
      "CONFIG_INVALID",
      `The SQLite store needs a driver: Node ${process.version} has no node:sqlite, and better-sqlite3 cannot be ` +
        "loaded. Run `npm install better-sqlite3`, or use Node 22.13 or newer.",
      { cause },
    );
  }
}
