/** The secret beside the database: made once, readable for its owner only, the same for all processes. */
import { createHash, randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { IndoubtError } from "../../../src/index.ts";

export const secretFile = (file: string): string => `${file}.secret`;

/** Kept in the database, so that another secret is noticed. Says nothing about a random secret of 32 bytes. */
export const markOf = (secret: Uint8Array): string => createHash("sha256").update(secret).digest("base64url");

/** Whether others than the owner may read it. */
export function isSecretExposed(file: string): boolean {
  const found = statSync(secretFile(file), { throwIfNoEntry: false });
  return process.platform !== "win32" && found !== undefined && (found.mode & 0o077) !== 0;
}

/**
 * Reads the secret, and makes it if there is none and the database knows of none.
 * @param mark of the secret that the database was used with, if it was
 * @throws IndoubtError `STORE_INCOMPATIBLE` when it is missing, damaged or another one: with another secret every
 * operation would get another id, and what was sent once could be sent again
 */
export function readOrMakeSecret(file: string, mark: string | null): Uint8Array {
  const path = secretFile(file);
  if (mark === null && !existsSync(path)) make(path, randomBytes(32));
  return read(file, mark);
}

/**
 * Puts it back where it is missing.
 * @throws IndoubtError `STORE_INCOMPATIBLE` when there is another one
 */
export function restoreSecret(file: string, secret: Uint8Array): void {
  const path = secretFile(file);
  if (!existsSync(path)) make(path, secret);
  read(file, markOf(secret));
}

function read(file: string, mark: string | null): Uint8Array {
  const path = secretFile(file);
  const secret = existsSync(path) ? Buffer.from(readFileSync(path, "utf8").trim(), "hex") : undefined;
  if (secret?.length !== 32 || (mark !== null && markOf(secret) !== mark)) {
    throw new IndoubtError(
      "STORE_INCOMPATIBLE",
      `${path} is not the secret that ${file} was used with. Put the original back from a backup. If it is lost, ` +
        "settle the open operations by hand and begin with a new database file.",
      { details: { file, secretFile: path } },
    );
  }
  return new Uint8Array(secret);
}

/** Whole or not at all: written aside, then linked to its name, which fails if another process was faster. */
function make(path: string, secret: Uint8Array): void {
  const aside = `${path}.${process.pid}.${randomBytes(6).toString("hex")}`;
  const handle = openSync(aside, "wx", 0o600);
  try {
    writeSync(handle, `${Buffer.from(secret).toString("hex")}\n`);
    fsyncSync(handle);
    linkSync(aside, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    closeSync(handle);
    rmSync(aside, { force: true });
  }
  syncFolder(dirname(path));
}

function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
