import { Redis } from "ioredis";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  created,
  intent,
  newGroup,
  newToken,
  nowOf,
  swapOf,
  swapped,
} from "../../../adapters/testing/conformance/harness.ts";
import { open, pause, server, startPath } from "./support.ts";

/** Replicas are served without the usual wait for more of them. */
const atOnce = { args: ["--repl-diskless-sync-delay", "0"] };

function admin(url: string): Redis {
  const client = new Redis(url);
  client.on("error", () => {});
  onTestFinished(() => client.disconnect());
  return client;
}

describe("After a restart of Redis", () => {
  test("intents from before it are suspect when they have no record, new ones are not", async () => {
    const redis = await server({ appendfsync: "always" });
    const store = await open(redis.url, { connectWithin: 8_000 });
    const group = newGroup();
    const kept = intent(group);
    const { now } = await created(store, kept);
    await pause(1_100); // Redis tells its start to the second
    await redis.kill9();
    await redis.restart();
    expect(await store.begin(intent(group, { issuedAt: now }))).toMatchObject({
      kind: "suspect",
      because: "store_loss",
    });
    expect((await store.begin({ ...kept, token: newToken(), issuedAt: now })).kind).toBe("exists");
    await pause(1_100);
    const fresh = await nowOf(store);
    expect((await store.begin(intent(group, { issuedAt: fresh }))).kind).toBe("created");
    expect((await store.begin(intent(newGroup(), { issuedAt: now }))).kind).toBe("suspect");
    expect((await store.begin(intent(group))).kind).toBe("created");
  });

  test("a record from before it says so, and no handle from before fits it", async () => {
    const redis = await server({ appendfsync: "always" });
    const store = await open(redis.url, { connectWithin: 8_000 });
    const request = intent(newGroup());
    const { now } = await created(store, request);
    await redis.kill9();
    await redis.restart();
    const reply = await store.swap(swapOf(request.group, request.id, 1));
    expect(reply).toMatchObject({ kind: "stale", record: { version: 1, at: now } });
    const fresh = await created(store, intent(request.group));
    expect(fresh.now, "what is written after the restart is younger than the loss").toBeGreaterThan(fresh.lossAt ?? 0);
    const lossAt = reply.kind === "stale" ? (reply.record.lossAt ?? 0) : 0;
    expect(lossAt).toBeGreaterThan(now);
    expect((await store.swap(swapOf(request.group, request.id, 1, { lossAt }))).kind).toBe("swapped");
  });

  test("a process that comes later sees it, too", async () => {
    const redis = await server({ appendfsync: "always" });
    const first = await open(redis.url);
    const group = newGroup();
    const { now } = await created(first, intent(group));
    await first.close();
    await redis.kill9();
    await redis.restart();
    const later = await open(redis.url);
    expect((await later.begin(intent(group, { issuedAt: now }))).kind).toBe("suspect");
  });
});

describe("After FLUSHALL under a running store", () => {
  test("old intents are suspect, the registry is written again, and work goes on", async () => {
    const { url } = await server();
    const store = await open(url);
    await store.bindKey("k1");
    const group = newGroup();
    const { now, generation } = await created(store, intent(group));
    await pause(5);
    await admin(url).flushall();
    const again = intent(group, { issuedAt: now });
    expect((await store.begin(again)).kind).toBe("suspect");
    const { generation: later } = await created(store, { ...again, adopting: true, due: { after: 0 } });
    expect(later).not.toBe(generation);
    const other = await open(url);
    expect((await other.due(10)).items.map(({ id }) => id)).toEqual([again.id]);
    await expect(other.bindKey("k2")).rejects.toMatchObject({ code: "STORE_INCOMPATIBLE" });
  });
});

describe("After a failover to a replica that lacks the newest writes", () => {
  async function failover() {
    const [old, next] = [await server(atOnce), await server()];
    const path = await startPath(old.port);
    const replica = admin(next.url);
    await replica.replicaof("127.0.0.1", old.port);
    await expect
      .poll(async () => /master_link_status:up/.test(await replica.info("replication")), { timeout: 10_000 })
      .toBe(true);
    const store = await open(path.url, { connectWithin: 5_000 });
    const group = newGroup();
    await created(store, intent(group));
    await expect.poll(async () => (await replica.keys("*:r:*")).length).toBe(1);
    return { old, next, path, replica, store, group };
  }

  test("an acknowledged intent that is gone is suspect, for old and for new processes", async () => {
    const { next, path, replica, store, group } = await failover();
    await replica.replicaof("127.0.0.1", 1); // the link is gone, the data stays
    const lost = intent(group);
    const { now } = await created(store, lost);
    await replica.replicaof("NO", "ONE");
    path.lead(next.port);
    path.cut();
    await pause(50);
    const again = { ...lost, token: newToken(), issuedAt: now };
    expect(await store.begin(again)).toMatchObject({ kind: "suspect", because: "store_loss" });
    const fresh = await open(path.url);
    expect((await fresh.begin(again)).kind).toBe("suspect");
    await pause(5);
    expect((await store.begin(intent(group, { issuedAt: await nowOf(store) }))).kind).toBe("created");
  });

  test("a record that went back to an older version says so, and no handle from before fits it", async () => {
    const { next, path, replica, store, group } = await failover();
    const request = intent(group, { body: "a permit" });
    const { now } = await created(store, request);
    await expect.poll(async () => (await replica.keys("*:r:*")).length).toBe(2);
    await replica.replicaof("127.0.0.1", 1);
    await swapped(store, swapOf(group, request.id, 1, { body: "the permit is spent" }));
    await replica.replicaof("NO", "ONE");
    path.lead(next.port);
    path.cut();
    await pause(50);
    const spentAgain = swapOf(group, request.id, 1, { body: "the permit is spent again" });
    const reply = await store.swap(spentAgain);
    expect(reply).toMatchObject({ kind: "stale", record: { version: 1, at: now, body: "a permit" } });
    const { record } = await (await open(path.url)).read(request.id);
    expect(record?.lossAt).toBeGreaterThan(now);
    expect((await store.swap({ ...spentAgain, lossAt: record?.lossAt ?? 0 })).kind).toBe("swapped");
  });

  test("the lower count alone gives it away, should the run id be the same", async () => {
    const { url } = await server();
    const store = await open(url);
    const client = admin(url);
    const group = newGroup();
    await created(store, intent(group));
    const [key] = await client.keys(`*.${group.tag}}:m`);
    const before = await client.get(key ?? "");
    const lost = intent(group);
    const { now } = await created(store, lost);
    const [record] = await client.keys(`*:r:${lost.id.slice(11)}`);
    await client.set(key ?? "", before ?? "");
    await client.del(record ?? "");
    expect((await store.begin({ ...lost, token: newToken(), issuedAt: now })).kind).toBe("suspect");
    await pause(5);
    expect((await store.begin(intent(group, { issuedAt: await nowOf(store) }))).kind).toBe("created");
  });

  test("a swap of a record that went backwards is stale, not written", async () => {
    const { next, path, replica, store, group } = await failover();
    const request = intent(group);
    await created(store, request);
    await expect.poll(async () => (await replica.keys("*:r:*")).length).toBe(2);
    await replica.replicaof("127.0.0.1", 1);
    await swapped(store, swapOf(group, request.id, 1));
    await replica.replicaof("NO", "ONE");
    path.lead(next.port);
    path.cut();
    await pause(50);
    expect(await store.swap(swapOf(group, request.id, 2))).toMatchObject({ kind: "stale", record: { version: 1 } });
  });
});

describe("durability: replica", () => {
  test("a write that no replica has is not acknowledged", async () => {
    const [primary, other] = [await server(atOnce), await server()];
    const replica = admin(other.url);
    await replica.replicaof("127.0.0.1", primary.port);
    await expect
      .poll(async () => /master_link_status:up/.test(await replica.info("replication")), { timeout: 10_000 })
      .toBe(true);
    const source = admin(primary.url);
    const copies = async () => {
      await source.set("probe", "1");
      return source.wait(1, 100);
    };
    await expect.poll(copies, { timeout: 10_000 }).toBe(1);
    const store = await open(primary.url, { durability: "replica", commandTimeout: 3_000 });
    const group = newGroup();
    const request = intent(group);
    await created(store, request);
    expect((await replica.keys("*:r:*")).length).toBe(1);
    await replica.replicaof("NO", "ONE");
    const alone = store.swap(swapOf(group, request.id, 1));
    await expect(alone).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
      effect: "possible",
      message: expect.stringContaining("no replica had it"),
    });
  });
});
