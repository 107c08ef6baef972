/** The embedded store: FULL durability with group commit, beside one transaction for each statement and beside Redis. */

import { rmSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { newFolder } from "../../test/faults/kills/support.ts";
import { startRedis } from "../../test/support/redis.ts";
import { redisStore, sqliteStore } from "../lib/built.ts";
import { type Case, interleave } from "../lib/measure.ts";
import { guardedCall, guardOn } from "../lib/stage.ts";
import type { Work } from "../run.ts";

const PAYLOAD = "p".repeat(220);

/** An insert before and an update after, each in its own transaction and synced: what code does by hand. */
function bareStatements(file: string): Case {
  const database = new Database(file);
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = FULL");
  database.exec("CREATE TABLE calls (id TEXT PRIMARY KEY, state INT, due INT, payload TEXT) WITHOUT ROWID");
  database.exec("CREATE INDEX open ON calls (due) WHERE state = 0");
  const insert = database.prepare("INSERT INTO calls VALUES (?, 0, ?, ?)");
  const update = database.prepare("UPDATE calls SET state = 1, payload = ? WHERE id = ?");
  return {
    name: "insert + update, FULL, a transaction each",
    async run(n) {
      insert.run(`call-${n}`, n, PAYLOAD);
      await Promise.resolve();
      update.run(PAYLOAD, `call-${n}`);
    },
    close: () => database.close(),
  };
}

export const sqliteWrites: Work = async ({ scale }) => {
  const folder = newFolder();
  const server = await startRedis({ appendfsync: "everysec" });
  const file = (name: string) => join(folder, name);
  const embedded = guardOn(sqliteStore({ file: file("full.db") }));
  const relaxed = guardOn(sqliteStore({ file: file("normal.db"), synchronous: "NORMAL" }));
  const remote = guardOn(redisStore({ url: server.url, namespace: "bench", commandTimeout: 20_000 }));
  const cases: Case[] = [
    { name: "indoubt, SQLite FULL", run: (n) => guardedCall(embedded, n), close: () => embedded.close() },
    bareStatements(file("bare.db")),
    { name: "indoubt, Redis everysec", run: (n) => guardedCall(remote, n), close: () => remote.close() },
    { name: "indoubt, SQLite NORMAL", run: (n) => guardedCall(relaxed, n), close: () => relaxed.close() },
  ];
  const work = "clean write, SQLite";
  const rows = [
    ...(await interleave({ work, n: scale(300) }, cases)),
    ...(await interleave({ work, n: scale(2_000), concurrency: 64 }, cases)),
  ];
  for (const each of cases) await each.close?.();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
  return rows;
};
