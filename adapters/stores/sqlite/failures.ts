/** Every failure of the store as an `IndoubtError` whose text names the cure. */
import { dirname } from "node:path";
import { IndoubtError, isIndoubtError } from "../../../src/index.ts";
import { failureOf } from "./driver.ts";

export const closed = (): IndoubtError =>
  new IndoubtError("STORE_UNAVAILABLE", "This SQLite store is closed. Make a new one with sqliteStore().");

export const stillBusy = (file: string, waited: number): IndoubtError =>
  new IndoubtError(
    "STORE_UNAVAILABLE",
    `${file} was locked by another process for ${Math.round(waited)} ms, nothing was written. If no other indoubt ` +
      "process is working hard on it, a backup or a database tool holds its lock: end that.",
    { details: { file, waited } },
  );

export const missingFolder = (file: string): IndoubtError =>
  new IndoubtError("CONFIG_INVALID", `The folder of ${file} does not exist. Run: mkdir -p ${dirname(file)}`, {
    details: { file },
  });

export const notAFile = (file: string): IndoubtError =>
  new IndoubtError("CONFIG_INVALID", `${file} is not a file. Give the store the name of a file, e.g. ./indoubt.db`, {
    details: { file },
  });

export const inMemory = (): IndoubtError =>
  new IndoubtError("CONFIG_INVALID", "The SQLite store needs a file name. For a store in memory use memoryStore().");

export const otherProgram = (file: string): IndoubtError =>
  new IndoubtError(
    "STORE_INCOMPATIBLE",
    `${file} is the database of another program, it was left as it is. Give the store a file name of its own.`,
    { details: { file } },
  );

export const newerLayout = (file: string, found: number, known: number): IndoubtError =>
  new IndoubtError(
    "STORE_INCOMPATIBLE",
    `${file} has layout ${found}, this version of indoubt knows layouts up to ${known}. Update indoubt here to the ` +
      "version that wrote it: npm install indoubt@latest",
    { details: { file, found, known } },
  );

export const otherNamespace = (file: string, found: string, wanted: string): IndoubtError =>
  new IndoubtError(
    "STORE_INCOMPATIBLE",
    `${file} belongs to the namespace "${found}", not to "${wanted}". Set namespace: "${found}", or use another file.`,
    { details: { file, found, wanted } },
  );

export const otherKey = (file: string, found: string, wanted: string): IndoubtError =>
  new IndoubtError(
    "STORE_INCOMPATIBLE",
    `${file} belongs to the secret with key id "${found}", not "${wanted}": with another secret every operation would ` +
      "get another id. Use that secret, or another file.",
    { details: { file, found, wanted } },
  );

export const noWriteAheadLog = (file: string, mode: string): IndoubtError =>
  new IndoubtError(
    "CONFIG_INVALID",
    `${file} cannot keep a write-ahead log (journal mode "${mode}"): probably a network folder. Put it on a local disk.`,
    { details: { file, mode } },
  );

const TEXTS = {
  busy: (file: string) => `${file} is locked by another process.`,
  full: (file: string) => `The disk of ${file} is full. Free some space; the store goes on by itself.`,
  readonly: (file: string) =>
    `${file} cannot be written. Give this user the right to write the file and its folder: chmod u+w ${file} ${dirname(file)}`,
  cannot_open: (file: string) => `${file} cannot be opened. Check the rights of this user on the file and its folder.`,
  not_a_database: (file: string) =>
    `${file} is not a SQLite database, it was left as it is. Give the store a file name of its own.`,
  corrupt: (file: string) => `${file} is damaged. Stop all processes and restore it from a backup.`,
  io: (file: string) => `The disk of ${file} reports an error. Check the disk, then restart this process.`,
  other: (file: string) => `${file} cannot be used.`,
} as const;

/**
 * What happened to a call on an open store.
 * @param written `unknown` when the failure came while a transaction was being committed
 */
export function unavailable(file: string, cause: unknown, written: "nothing" | "unknown" = "nothing"): IndoubtError {
  // A file that cannot be used any more is away; a cursor that cannot be used is the asker's.
  const isAway = isIndoubtError(cause) && cause.code === "CONFIG_INVALID" && cause.details.path !== "cursor";
  if (isIndoubtError(cause) && !isAway) return cause;
  const effect = written === "nothing" ? "none" : "possible";
  return new IndoubtError("STORE_UNAVAILABLE", textOf(file, cause), { effect, cause, details: { file } });
}

/** Why the store cannot be opened: a wrong choice of file is the configuration's fault, the rest may pass. */
export function cannotOpen(file: string, cause: unknown): IndoubtError {
  if (isIndoubtError(cause)) return cause;
  const code = failureOf(cause) === "not_a_database" ? "CONFIG_INVALID" : "STORE_UNAVAILABLE";
  return new IndoubtError(code, textOf(file, cause), { cause, details: { file } });
}

function textOf(file: string, cause: unknown): string {
  if (isIndoubtError(cause)) return cause.message;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return `${TEXTS[failureOf(cause)](file)} (${reason})`;
}
