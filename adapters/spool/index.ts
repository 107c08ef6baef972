/**
 * The local journal for outcomes that the store could not take: a folder with one file per outcome. A file is complete
 * or absent (written aside, fsynced, renamed), and taken away when the store has it; so several processes of one machine
 * share the folder without a lock. The contents are encrypted by the engine.
 */
import { createHash } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Spool } from "../../src/index.ts";

export interface FileSpoolOptions {
  /** @default "./indoubt.spool" */
  readonly folder?: string;
}

const ENDING = ".outcome";

/**
 * @example redisStore({ url, namespace: "acme-agents", spool: fileSpool({ folder: "/var/lib/acme/indoubt.spool" }) })
 */
export function fileSpool({ folder = "./indoubt.spool" }: FileSpoolOptions = {}): Spool {
  const fileOf = (line: string): string =>
    join(folder, createHash("sha256").update(line).digest("hex").slice(0, 32) + ENDING);

  return {
    async append(line) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const file = fileOf(line);
      const aside = `${file}.${process.pid}`;
      await durably(aside, "w", (handle) => handle.writeFile(line));
      await rename(aside, file);
      await durably(folder, "r", async () => {});
    },
    async lines() {
      const names = await readdir(folder).catch(absentIsEmpty);
      const files = names.filter((name) => name.endsWith(ENDING)).map((name) => join(folder, name));
      return Promise.all(files.map((file) => readFile(file, "utf8")));
    },
    async remove(lines) {
      await Promise.all(lines.map((line) => rm(fileOf(line), { force: true })));
    },
  };
}

type Handle = Awaited<ReturnType<typeof open>>;

/** What was written is on the disk, and so is the folder's entry, before anybody relies on it. */
async function durably(path: string, flags: string, write: (handle: Handle) => Promise<void>): Promise<void> {
  const handle = await open(path, flags, 0o600);
  try {
    await write(handle);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function absentIsEmpty(error: NodeJS.ErrnoException): string[] {
  if (error.code === "ENOENT") return [];
  throw error;
}
