/** Files of layout 1, as the first release wrote them, in the hands of this version. */
import { describe, expect, test } from "vitest";
import { type Database, loadDriver } from "../../../adapters/stores/sqlite/driver.ts";
import { sqliteStore } from "../../../adapters/stores/sqlite/index.ts";
import { LAYOUTS } from "../../../adapters/stores/sqlite/schema.gen.ts";
import { newGroup, newToken, swapOf } from "../../../adapters/testing/conformance/harness.ts";
import type { Group } from "../../../src/entries/store.ts";
import { newFile } from "./support.ts";

const APPLICATION_ID = 0x69_6e_64_74;

/** The statements of layout 1 that write, as they were. */
function writeAsLayoutOne(database: Database, group: Group, ids: readonly string[]): void {
  const groupRow = "INSERT INTO groups (tag, tenant, server, tool) VALUES (:tag, :tenant, :server, :tool)";
  const { tag, tenant, server, tool } = group;
  const { lastInsertRowid } = database.prepare(groupRow).run({ tag, tenant, server, tool });
  const recordRow =
    "INSERT INTO records (id, group_number, version, at, digest, token, body, due, attention) " +
    "VALUES (:id, :number, 1, 1000, 'digest-1', :token, 'old', NULL, 1)";
  for (const id of ids) database.prepare(recordRow).run({ id, number: Number(lastInsertRowid), token: newToken() });
}

async function layoutOne(ids: readonly string[], group: Group): Promise<string> {
  const file = newFile();
  const database = (await loadDriver()).open(file);
  database.exec("PRAGMA journal_mode = WAL");
  database.exec(LAYOUTS[0] ?? "");
  database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
  database.exec("PRAGMA user_version = 1");
  const meta =
    "INSERT INTO meta (one, namespace, epoch, writes, time, loss_at) VALUES (1, 'default', 'first', 7, 1000, -1)";
  database.prepare(meta).run({});
  writeAsLayoutOne(database, group, ids);
  database.close();
  return file;
}

describe("A file of layout 1", () => {
  const group = newGroup();
  const ids = ["a", "b", "c"].map((letter) => `${group.tag}_${letter.repeat(26)}`);

  test("is brought up when it is opened, with everything that is in it", async () => {
    const file = await layoutOne(ids, group);
    const store = sqliteStore({ file });
    await store.open();
    expect((await store.list({ index: "attention" })).items.map(({ id, body }) => [id, body])).toEqual(
      ids.map((id) => [id, "old"]),
    );
    expect((await store.journal({})).entries).toEqual([]);
    const swap = swapOf(group, ids[0] ?? "", 1, { attention: true, journal: ["a line"] });
    expect((await store.swap(swap)).kind).toBe("swapped");
    expect((await store.journal({})).entries.map(({ line }) => line)).toEqual(["a line"]);
    await store.close();
    const again = sqliteStore({ file });
    expect((await again.journal({})).entries).toHaveLength(1);
    await again.close();
  });

  test("is brought up once when several processes open it at the same moment", async () => {
    const file = await layoutOne(ids, group);
    const stores = Array.from({ length: 6 }, () => sqliteStore({ file }));
    await Promise.all(stores.map((store) => store.open()));
    for (const store of stores) expect((await store.list({ index: "attention" })).items).toHaveLength(3);
    await Promise.all(stores.map((store) => store.close()));
  });

  test("keeps what a process of layout 1, which still has it open, goes on to put into the queue", async () => {
    const file = await layoutOne(ids, group);
    const old = (await loadDriver()).open(file);
    const store = sqliteStore({ file });
    await store.open();
    const late = newGroup();
    writeAsLayoutOne(old, late, [`${late.tag}_${"z".repeat(26)}`]);
    expect(
      old.prepare("SELECT count(*) AS n FROM records INDEXED BY records_attention WHERE attention = 1").get({}),
    ).toEqual({ n: 4 });
    const oldest = (await store.list({ index: "attention" })).items.map(({ id }) => id);
    const newest = (await store.list({ index: "attention", order: "newest" })).items.map(({ id }) => id);
    expect(oldest).toHaveLength(4);
    expect(newest).toEqual([...oldest].reverse());
    old.close();
    await store.close();
  });
});
