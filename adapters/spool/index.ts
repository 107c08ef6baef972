/**
 * The local journal for outcomes that the store could not take: a folder with one file per line, so that processes need
 * not agree on anything. A file is written aside, synced and then renamed to its name; its name ends with the digest of
 * its line. The lines are encrypted by the engine.
 */
import { createHash, randomBytes } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Spool } from "../../src/entries/store.ts";
import { IndoubtError } from "../../src/index.ts";

const SUFFIX = ".line";

const digestOf = (line: string): string => createHash("sha256").update(line).digest("hex");
/** Digits first, so that names sort as their lines were appended. */
const nameOf = (line: string): string => `${Date.now().toString().padStart(15, "0")}-${digestOf(line)}${SUFFIX}`;

export interface FolderSpoolOptions {
  /**
   * Made with rights for its owner only at the first line.
   * @default "./indoubt.spool"
   * @example folderSpool({ folder: "/var/lib/acme/indoubt.spool" })
   */
  readonly folder?: string;
}

/**
 * @throws IndoubtError `STORE_UNAVAILABLE` from its methods when the folder cannot be used
 * @example redisStore({ url, namespace: "acme-agents", spool: folderSpool({ folder: "/var/lib/acme/indoubt.spool" }) })
 */
export function folderSpool({ folder = "./indoubt.spool" }: FolderSpoolOptions = {}): Spool {
  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      const text = `The spool ${folder} cannot be used: ${reason}. Check the disk and the rights on the folder.`;
      throw new IndoubtError("STORE_UNAVAILABLE", text, { cause, details: { folder } });
    }
  };
  return {
    append: (line) => guarded(() => append(folder, line)),
    lines: () =>
      guarded(async () => {
        const names = await namesIn(folder);
        const texts = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8").catch(ifGone)));
        return [...new Set(texts.filter((text) => text !== undefined))];
      }),
    remove: (lines) =>
      guarded(async () => {
        const digests = new Set(lines.map(digestOf));
        const isMeant = (name: string): boolean => digests.has(name.slice(name.indexOf("-") + 1, -SUFFIX.length));
        for (const name of (await namesIn(folder)).filter(isMeant)) await rm(join(folder, name), { force: true });
      }),
  };
}

async function append(folder: string, line: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const aside = join(folder, `${process.pid}-${randomBytes(6).toString("hex")}.part`);
  try {
    await writeSynced(aside, line);
    await rename(aside, join(folder, nameOf(line)));
  } catch (error) {
    await rm(aside, { force: true });
    throw error;
  }
  if (process.platform === "win32") return;
  for (const each of [folder, join(folder, "..")]) await syncFolder(each);
}

async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function namesIn(folder: string): Promise<string[]> {
  const names = (await readdir(folder).catch(ifGone)) ?? [];
  return names.filter((name) => name.endsWith(SUFFIX)).sort();
}

/** Another process may have removed it in the meantime. */
function ifGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}
