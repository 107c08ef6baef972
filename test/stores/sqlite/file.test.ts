import { copyFileSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { loadDriver } from "../../../adapters/stores/sqlite/driver.ts";
import { sqliteStore } from "../../../adapters/stores/sqlite/index.ts";
import { idOf, intent, settle } from "./children/requests.ts";
import { newFile } from "./support.ts";

const companions = ["", "-wal", "-shm"];
const removeAll = (file: string): void => {
  for (const suffix of companions) rmSync(`${file}${suffix}`, { force: true });
};

describe("The file of a SQLite store", () => {
  test("an older copy put in its place while it is in use is noticed, and so is everything since", async () => {
    const file = newFile();
    const first = sqliteStore({ file });
    await first.begin(intent("old"));
    await first.close();
    const backup = `${file}.backup`;
    copyFileSync(file, backup);

    const store = sqliteStore({ file });
    await store.begin(intent("new"));
    const { now } = await store.read(idOf("new"));
    removeAll(file);
    copyFileSync(backup, file);
    const again = intent("new", { issuedAt: now });
    expect(await store.begin(again)).toMatchObject({ kind: "suspect", because: "store_loss" });
    expect((await store.begin(intent("old", { issuedAt: now }))).kind, "what the copy has is known").toBe("exists");
    await sleep(5);
    const later = await store.read(idOf("new"));
    expect((await store.begin(intent("newer", { issuedAt: later.now }))).kind).toBe("created");
    await store.close();

    const reader = sqliteStore({ file });
    expect(await reader.begin(again), "the loss is written into the file").toMatchObject({ because: "store_loss" });
    await reader.close();
  });

  test("a record that an older copy takes back says so, and no handle from before fits it", async () => {
    const file = newFile();
    const first = sqliteStore({ file });
    const { now } = (await first.begin(intent("one"))) as { now: number };
    await first.close();
    const backup = `${file}.backup`;
    copyFileSync(file, backup);

    const store = sqliteStore({ file });
    expect((await store.swap(settle("one", { body: "the permit is spent" }))).kind).toBe("swapped");
    removeAll(file);
    copyFileSync(backup, file);
    const reply = await store.swap(settle("one", { body: "the permit is spent again" }));
    expect(reply).toMatchObject({ kind: "stale", record: { version: 1, at: now, body: "begun" } });
    const { record } = await store.read(idOf("one"));
    expect(record?.lossAt).toBeGreaterThan(now);
    expect((await store.swap(settle("one", { lossAt: record?.lossAt ?? 0 }))).kind).toBe("swapped");
    await store.close();
  });

  test("a file deleted between two runs is noticed when its secret stayed", async () => {
    const file = newFile();
    const first = sqliteStore({ file });
    await first.secret();
    const { now } = await first.read(idOf("x"));
    await first.close();
    removeAll(file);
    const second = sqliteStore({ file });
    expect(await second.begin(intent("x", { issuedAt: now }))).toMatchObject({ because: "store_loss" });
    await second.close();
  });

  test("a new store with a new secret has lost nothing", async () => {
    const store = sqliteStore({ file: newFile() });
    const { now } = await store.read(idOf("x"));
    await store.secret();
    expect((await store.begin(intent("x", { issuedAt: now - 10 }))).kind).toBe("created");
    await store.close();
  });

  test("its clock does not go back with the machine's, also in another process, and still runs", async () => {
    const file = newFile();
    let wall = 1_800_000_000_000;
    let monotonic = 0;
    const clock = { wall: () => wall, monotonic: () => monotonic };
    const first = sqliteStore({ file, clock });
    await first.begin(intent(1));
    await first.close();
    wall -= 3_600_000;
    const second = sqliteStore({ file, clock });
    const before = await second.read(idOf(1));
    expect(before.now).toBe(1_800_000_000_000);
    monotonic += 30_000;
    wall += 30_000;
    expect((await second.due(10)).items, "a lease still ends").toHaveLength(1);
    expect((await second.health()).warnings.join()).toMatch(/ahead of this machine's/);
    await second.close();
  });

  test("expired records, payloads, holds and history are removed from it", async () => {
    const file = newFile();
    let wall = 1_800_000_000_000;
    const clock = { wall: () => wall, monotonic: () => performance.now() };
    const first = sqliteStore({ file, clock });
    for (let n = 0; n < 250; n += 1) {
      await first.begin(intent(n, { holds: [`h${n}`], payload: "p", history: ["begun"] }));
      await first.swap(settle(n, n < 240 ? { expireIn: 1_000 } : { payload: "q", payloadExpireIn: 1_000 }));
    }
    await first.close();
    wall += 2_000;
    const second = sqliteStore({ file, clock });
    await second.open();
    const database = (await loadDriver()).open(file);
    const left = () =>
      ["records", "payloads", "holds", "history"].map(
        (table) => (database.prepare(`SELECT count(*) AS n FROM ${table}`).get({}) as { readonly n: number }).n,
      );
    await expect.poll(left, { timeout: 10_000 }).toEqual([10, 0, 10, 10]);
    database.close();
    await second.close();
  });

  test("a request that cannot be written does not take its neighbours of the same commit with it", async () => {
    const store = sqliteStore({ file: newFile() });
    const broken = { ...intent("broken"), body: { not: "a text" } as unknown as string };
    const replies = await Promise.allSettled([1, 2].map((n) => store.begin(intent(n))).concat(store.begin(broken)));
    expect(replies.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected"]);
    expect(replies[2]).toMatchObject({ reason: { code: "STORE_UNAVAILABLE", effect: "none" } });
    expect((await store.read(idOf(2))).record?.version).toBe(1);
    expect((await store.read(idOf("broken"))).record).toBeUndefined();
    await store.close();
  });
});

describe("The secret beside the file", () => {
  test("is made once, for its owner only, and is the same for every handle", async () => {
    const file = newFile();
    const stores = Array.from({ length: 8 }, () => sqliteStore({ file }));
    const secrets = await Promise.all(stores.map((store) => store.secret()));
    for (const secret of secrets) expect(Buffer.from(secret).equals(secrets[0] ?? Buffer.alloc(0))).toBe(true);
    expect(secrets[0]).toHaveLength(32);
    expect(statSync(`${file}.secret`).mode & 0o777).toBe(0o600);
    await Promise.all(stores.map((store) => store.close()));
    const later = sqliteStore({ file });
    expect(await later.secret()).toEqual(secrets[0]);
    await later.close();
  });

  test("when it is gone, damaged or another one, the store says so instead of making a new one", async () => {
    const file = newFile();
    const store = sqliteStore({ file });
    await store.secret();
    const text = readFileSync(`${file}.secret`, "utf8");
    const refused = { code: "STORE_INCOMPATIBLE", message: expect.stringMatching(/Put the original back/) };
    truncateSync(`${file}.secret`, 10);
    await expect(store.secret()).rejects.toMatchObject(refused);
    writeFileSync(`${file}.secret`, "00".repeat(32));
    await expect(store.secret()).rejects.toMatchObject(refused);
    rmSync(`${file}.secret`);
    await expect(store.secret()).rejects.toMatchObject(refused);
    writeFileSync(`${file}.secret`, text, { mode: 0o644 });
    expect(await store.secret()).toHaveLength(32);
    expect((await store.health()).warnings.join()).toMatch(/chmod 600/);
    await store.close();
  });
});

test("A file is bound to the id of the first secret that was used with it", async () => {
  const file = newFile();
  const store = sqliteStore({ file });
  await Promise.all([store.bindKey("k1"), store.bindKey("k1")]);
  await store.close();
  const other = sqliteStore({ file });
  await other.bindKey("k1");
  await expect(other.bindKey("k2")).rejects.toMatchObject({
    code: "STORE_INCOMPATIBLE",
    message: expect.stringMatching(/secret with key id "k1", not "k2".*Use that secret/),
  });
  await other.close();
});

describe("The spool beside the file", () => {
  test("keeps lines until they are removed, also for another process, in their order", async () => {
    const file = newFile();
    const { spool } = sqliteStore({ file });
    expect(await spool.lines()).toEqual([]);
    await spool.remove(["never there"]);
    for (const line of ["one", "two\nü", "three"]) {
      await spool.append(line);
      await sleep(2);
    }
    const other = sqliteStore({ file }).spool;
    expect(await other.lines()).toEqual(["one", "two\nü", "three"]);
    await other.remove(["two\nü"]);
    await spool.append("one");
    expect(await spool.lines()).toEqual(["one", "three"]);
    await spool.remove(["one", "three"]);
    expect(await other.lines()).toEqual([]);
    expect(statSync(`${file}.spool`).mode & 0o777).toBe(0o700);
  });

  test("takes many lines at once and ignores what a killed process left half written", async () => {
    const file = newFile();
    const { spool } = sqliteStore({ file });
    const lines = Array.from({ length: 50 }, (_, n) => `line ${n}`);
    await Promise.all(lines.map((line) => spool.append(line)));
    writeFileSync(`${file}.spool/1-abc.part`, "half");
    expect([...(await spool.lines())].sort()).toEqual([...lines].sort());
  });

  test("says so when it cannot be written", async () => {
    const file = newFile();
    writeFileSync(`${file}.spool`, "a file in its place");
    const { spool } = sqliteStore({ file });
    await expect(spool.append("x")).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  });
});
