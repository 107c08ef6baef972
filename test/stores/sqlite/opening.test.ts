import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { type Database, loadDriver } from "../../../adapters/stores/sqlite/driver.ts";
import { sqliteStore } from "../../../adapters/stores/sqlite/index.ts";
import { intent } from "./children/requests.ts";
import { newFile, newFolder } from "./support.ts";

const open = async (file: string, namespace?: string): Promise<void> => {
  const store = sqliteStore(namespace === undefined ? { file } : { file, namespace });
  try {
    await store.open();
  } finally {
    await store.close();
  }
};

async function withDatabase(file: string, work: (database: Database) => void): Promise<void> {
  const database = (await loadDriver()).open(file);
  work(database);
  database.close();
}

describe("Opening a SQLite store", () => {
  test("makes a file that only its owner can read, and its companions too", async () => {
    const store = sqliteStore({ file: newFile() });
    await store.close();
    const file = newFile();
    const other = sqliteStore({ file });
    await other.begin(intent(1));
    for (const suffix of ["", "-wal", "-shm"]) expect(statSync(`${file}${suffix}`).mode & 0o777).toBe(0o600);
    await other.close();
  });

  test("a missing folder is named, with the command that makes it", async () => {
    const file = join(newFolder(), "missing", "indoubt.db");
    await expect(open(file)).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.stringMatching(/folder .* does not exist.*mkdir -p .*missing/),
    });
  });

  test("a folder is not taken for a file", async () => {
    await expect(open(newFolder())).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.stringMatching(/is not a file/),
    });
  });

  test("a text file is not a database and stays as it was", async () => {
    const file = newFile();
    writeFileSync(file, "name,amount\n".repeat(500));
    await expect(open(file)).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.stringMatching(/not a SQLite database/),
    });
    expect(readFileSync(file, "utf8")).toBe("name,amount\n".repeat(500));
  });

  test("another program's database is refused and stays as it was", async () => {
    const file = newFile();
    await withDatabase(file, (database) => database.exec("CREATE TABLE customers (name TEXT)"));
    const before = readFileSync(file);
    await expect(open(file)).rejects.toMatchObject({
      code: "STORE_INCOMPATIBLE",
      message: expect.stringMatching(/another program.*file name of its own/),
    });
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(existsSync(`${file}-wal`)).toBe(false);
  });

  test("a newer layout is refused with the way to update", async () => {
    const file = newFile();
    await open(file);
    await withDatabase(file, (database) => database.exec("PRAGMA user_version = 3"));
    await expect(open(file)).rejects.toMatchObject({
      code: "STORE_INCOMPATIBLE",
      message: expect.stringMatching(/layout 3.*npm install indoubt@latest/),
    });
  });

  test("a file is bound to the namespace of its first opening", async () => {
    const file = newFile();
    await open(file, "acme");
    await open(file, "acme");
    await expect(open(file, "other")).rejects.toMatchObject({
      code: "STORE_INCOMPATIBLE",
      message: expect.stringMatching(/belongs to the namespace "acme".*Set namespace: "acme"/),
    });
  });

  test("an empty file is taken over, as mktemp makes it", async () => {
    const file = newFile();
    writeFileSync(file, "");
    await open(file);
    await open(file);
  });

  test("names that can never work are refused before anything is opened", () => {
    expect(() => sqliteStore({ file: ":memory:" })).toThrow(/memoryStore\(\)/);
    expect(() => sqliteStore({ file: "" })).toThrow(/file name/);
    expect(() => sqliteStore({ namespace: "" })).toThrow(/namespace/);
  });

  test("a lock that another program keeps ends in an error, not in waiting for ever", async () => {
    const file = newFile();
    await open(file);
    const database = (await loadDriver()).open(file);
    database.exec("BEGIN EXCLUSIVE");
    const store = sqliteStore({ file, patience: 100 });
    try {
      await expect(store.open()).rejects.toMatchObject({
        code: "STORE_UNAVAILABLE",
        message: expect.stringMatching(/locked by another/),
      });
      database.exec("COMMIT");
      await store.open();
      database.exec("BEGIN IMMEDIATE");
      const reply = store.begin(intent(1, { within: 100 }));
      await expect(reply).rejects.toMatchObject({
        code: "STORE_UNAVAILABLE",
        effect: "none",
        message: expect.stringMatching(/locked by another process for \d+ ms, nothing was written/),
      });
      expect((await store.read(intent(1).id)).record, "reading needs no lock").toBeUndefined();
      database.exec("COMMIT");
      expect((await store.begin(intent(1))).kind).toBe("created");
    } finally {
      database.close();
      await store.close();
    }
  });

  test("many stores that open a new file at once agree on it", async () => {
    const file = newFile();
    const stores = Array.from({ length: 12 }, () => sqliteStore({ file }));
    await Promise.all(stores.map((store) => store.open()));
    const replies = await Promise.all(stores.map((store) => store.begin(intent(1))));
    expect(replies.filter(({ kind }) => kind === "created")).toHaveLength(1);
    await Promise.all(stores.map((store) => store.close()));
  });

  test("a driver that this Node does not have is asked for by name", async () => {
    if (process.getBuiltinModule?.("node:sqlite")) {
      expect((await loadDriver()).name).toBe("node:sqlite");
      return;
    }
    expect((await loadDriver()).name).toBe("better-sqlite3");
    await expect(loadDriver("node:sqlite")).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.stringMatching(/22\.13/),
    });
  });
});

/** Rights do not bind root: it runs these as somebody else. */
const NOBODY = 65_534;
const asNobody = process.getuid?.() === 0;

if (process.platform !== "win32") {
  describe("A SQLite store without rights", () => {
    const folders: string[] = [];
    afterEach(() => {
      if (asNobody) process.seteuid?.(0);
      for (const folder of folders.splice(0)) {
        chmodSync(folder, 0o700);
        rmSync(folder, { recursive: true });
      }
    });

    async function preparedFile(): Promise<string> {
      await loadDriver();
      const folder = mkdtempSync(join(tmpdir(), "indoubt-"));
      folders.push(folder);
      const file = join(folder, "data", "indoubt.db");
      mkdirSync(join(folder, "data"));
      await open(file);
      chmodSync(folder, 0o755);
      return file;
    }

    test("a file that may not be written says which rights are missing", async () => {
      const file = await preparedFile();
      chmodSync(file, 0o444);
      chmodSync(join(file, ".."), 0o555);
      if (asNobody) process.seteuid?.(NOBODY);
      await expect(open(file)).rejects.toMatchObject({
        code: "STORE_UNAVAILABLE",
        message: expect.stringMatching(/cannot be (written|opened).*rights?/),
      });
    });

    test("a folder in which nothing may be made says so", async () => {
      const file = await preparedFile();
      chmodSync(join(file, ".."), 0o555);
      if (asNobody) process.seteuid?.(NOBODY);
      await expect(open(join(file, "..", "new.db"))).rejects.toMatchObject({
        code: "STORE_UNAVAILABLE",
        message: expect.stringMatching(/cannot be written.*chmod/),
      });
    });
  });
}
