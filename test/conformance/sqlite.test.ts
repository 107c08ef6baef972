import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "vitest";
import { type DriverName, sqliteStore } from "../../adapters/stores/sqlite/index.ts";
import { describeStore } from "../../adapters/testing/index.ts";
import type { Store } from "../../src/entries/store.ts";

const folders: string[] = [];
const files = new WeakMap<Store, string>();

function openIn(file: string, driver: DriverName): Store {
  const store = sqliteStore({ file, driver });
  files.set(store, file);
  return store;
}

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "indoubt-"));
  folders.push(folder);
  return join(folder, "indoubt.db");
}

const fileOf = (store: Store): string => files.get(store) ?? "";

const drivers: DriverName[] = ["better-sqlite3"];
if (process.getBuiltinModule?.("node:sqlite")) drivers.push("node:sqlite");

for (const driver of drivers) {
  describeStore(
    `The SQLite store with ${driver}`,
    {
      open: async () => openIn(newFile(), driver),
      reopen: async (store) => openIn(fileOf(store), driver),
      lose: async (store) => {
        for (const suffix of ["", "-wal", "-shm"]) rmSync(`${fileOf(store)}${suffix}`, { force: true });
      },
      cleanUp: async () => {
        for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
      },
    },
    { describe, test },
  );
}
