import { Redis } from "ioredis";
import { describe, expect, onTestFinished, test } from "vitest";
import { redisStore } from "../../../adapters/stores/redis/index.ts";
import { readInfo, refusalOf, warningsOf } from "../../../adapters/stores/redis/server-facts.ts";
import { created, intent, newGroup } from "../../../adapters/testing/conformance/harness.ts";
import { open, server } from "./support.ts";

function admin(url: string): Redis {
  const client = new Redis(url);
  client.on("error", () => {});
  onTestFinished(() => client.disconnect());
  return client;
}

async function opening(url: string): Promise<unknown> {
  const store = redisStore({ url, namespace: "test", connectWithin: 1_000 });
  onTestFinished(() => store.close());
  return store.open();
}

describe("A store refuses to open on a server", () => {
  test("that evicts keys, and names the cure", async () => {
    const { url } = await server({ args: ["--maxmemory-policy", "volatile-ttl"] });
    await expect(opening(url)).rejects.toMatchObject({
      code: "STORE_INCOMPATIBLE",
      message: expect.stringContaining("CONFIG SET maxmemory-policy noeviction"),
    });
  });

  test("that is a replica", async () => {
    const [primary, other] = [await server(), await server()];
    await admin(other.url).replicaof("127.0.0.1", primary.port);
    await expect(opening(other.url)).rejects.toThrow(/is a replica/);
  });

  test("whose records have another layout", async () => {
    const { url } = await server();
    await admin(url).hset("indoubt:{test}", "layout", "in9");
    await expect(opening(url)).rejects.toMatchObject({
      code: "STORE_INCOMPATIBLE",
      message: expect.stringMatching(/layout "in9".*another namespace/),
    });
  });

  test("that asks for a password", async () => {
    const { url } = await server({ args: ["--requirepass", "secret"] });
    await expect(opening(url)).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
      message: expect.stringMatching(/NOAUTH/),
    });
    await opening(url.replace("redis://", "redis://:secret@"));
  });
});

describe("A namespace", () => {
  test("belongs to the first key id that is bound to it", async () => {
    const { url } = await server();
    const store = await open(url);
    await store.bindKey("k1");
    await store.bindKey("k1");
    const other = await open(url);
    await expect(other.bindKey("k2")).rejects.toMatchObject({
      code: "STORE_INCOMPATIBLE",
      message: expect.stringMatching(/"k1", not "k2".*another namespace/),
    });
    await (await open(url, { namespace: "second" })).bindKey("k2");
  });

  test("sees nothing of another one", async () => {
    const { url } = await server();
    const [mine, theirs] = [await open(url, { namespace: "a" }), await open(url, { namespace: "a-b" })];
    const group = newGroup();
    const request = intent(group, { due: { after: 0 }, holds: ["e"] });
    await created(mine, request);
    expect((await theirs.due(10)).items).toEqual([]);
    expect((await theirs.read(request.id)).record).toBeUndefined();
    await created(theirs, { ...request, blockedBy: ["e"] });
  });
});

describe("health()", () => {
  test("is quiet about a server that appends every write", async () => {
    const store = await open((await server()).url);
    expect(await store.health()).toEqual({ kind: "redis", ok: true, warnings: [] });
  });

  test("warns when nothing is persisted, with the cure", async () => {
    const store = await open((await server({ args: ["--appendonly", "no"] })).url);
    expect((await store.health()).warnings.join()).toMatch(/append-only file is off.*CONFIG SET appendonly yes/);
  });

  test("warns when replicas may lag, with the cure", async () => {
    const [primary, other] = [await server(), await server()];
    await admin(other.url).replicaof("127.0.0.1", primary.port);
    const store = await open(primary.url);
    const warnings = async () => (await store.health()).warnings.join();
    await expect.poll(warnings, { timeout: 10_000 }).toMatch(/min-replicas-to-write 1/);
  });

  test("is not ok when the policy changed or the server is gone", async () => {
    const redis = await server();
    const store = await open(redis.url, { connectWithin: 200 });
    await admin(redis.url).config("SET", "maxmemory-policy", "allkeys-lru");
    expect(await store.health()).toMatchObject({ ok: false });
    await redis.kill9();
    const health = await store.health();
    expect([health.ok, health.warnings.length]).toEqual([false, 1]);
  });
});

describe("A refusal by the server", () => {
  test("for lack of memory writes nothing and names the cure", async () => {
    const { url } = await server();
    const store = await open(url);
    const group = newGroup();
    await created(store, intent(group, { holds: ["e"] }));
    await admin(url).config("SET", "maxmemory", "1");
    const request = intent(group, { holds: ["f"], history: ["begun"] });
    await expect(store.begin(request)).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
      effect: "none",
      message: expect.stringContaining("Raise maxmemory"),
    });
    expect((await store.read(request.id)).record).toBeUndefined();
    expect(await store.history(request.id)).toEqual([]);
    await admin(url).config("SET", "maxmemory", "0");
    expect((await store.begin(intent(group, { blockedBy: ["f"] }))).kind).toBe("created");
  });

  test("because it became a replica is told without effect", async () => {
    const [primary, other] = [await server(), await server()];
    const store = await open(primary.url, { connectWithin: 300 });
    const group = newGroup();
    await created(store, intent(group));
    await admin(primary.url).replicaof("127.0.0.1", other.port);
    await expect(store.begin(intent(group))).rejects.toMatchObject({ code: "STORE_UNAVAILABLE", effect: "none" });
  });
});

describe("What INFO says", () => {
  const facts = (...lines: string[]) =>
    readInfo(
      ["redis_version:7.2.4", "role:master", "maxmemory_policy:noeviction", "aof_enabled:1", ...lines].join("\r\n"),
      100_500,
    );

  test.each([
    ["an old server", ["redis_version:6.0.16"], /6\.2 or newer/],
    ["KeyDB's active replica", ["role:active-replica"], /concurrent writes/],
    ["an active-active database", ["module:name=crdt,ver=1"], /concurrent writes/],
  ])("refuses %s", (_, lines, reason) => {
    expect(refusalOf(facts(...lines))).toMatch(reason);
  });

  test("accepts a plain server, and warns when it hides its policy", () => {
    expect(refusalOf(facts())).toBeUndefined();
    expect(warningsOf(facts())).toEqual([]);
    expect(warningsOf(readInfo("redis_version:7.2.4\r\nrole:master\r\naof_enabled:1", 0)).join()).toMatch(/noeviction/);
  });

  test("tells when the server started, unless it took over from another one", () => {
    const zeros = "master_replid2:0000000000000000000000000000000000000000";
    expect(facts("uptime_in_seconds:40", zeros).startedAt).toBe(60_000);
    expect(facts("uptime_in_seconds:40", "master_replid2:0af0").startedAt).toBe(0);
  });
});
