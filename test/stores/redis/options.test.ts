import { Cluster, Redis } from "ioredis";
import { describe, expect, onTestFinished, test } from "vitest";
import { createClient, pinnedClusterOptions } from "../../../adapters/stores/redis/client.ts";
import { type RedisStoreOptions, redisStore } from "../../../adapters/stores/redis/index.ts";
import { readOptions } from "../../../adapters/stores/redis/options.ts";
import { readUrl } from "../../../adapters/stores/redis/url.ts";
import { created, intent, newGroup, recordOf } from "../../../adapters/testing/conformance/harness.ts";
import { server } from "./support.ts";

const pinned = {
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  commandTimeout: 2000,
  enableAutoPipelining: false,
  reconnectOnError: null,
  noDelay: true,
};

describe("A url", () => {
  test.each([
    ["redis://localhost", { kind: "standalone", options: { host: "localhost", port: 6379 } }],
    ["redis://u:p%40ss@[::1]:7000/3", { options: { host: "::1", port: 7000, username: "u", password: "p@ss", db: 3 } }],
    ["redis://:secret@h", { options: { password: "secret" } }],
    ["rediss://h:1", { options: { tls: {} } }],
    [
      "redis+sentinel://u:p@a:1,b/primary/2",
      {
        kind: "sentinel",
        options: {
          name: "primary",
          db: 2,
          password: "p",
          sentinels: [
            { host: "a", port: 1 },
            { host: "b", port: 26379 },
          ],
        },
      },
    ],
    ["rediss+sentinel://a/primary", { options: { tls: {}, enableTLSForSentinelMode: true } }],
    [
      "redis+cluster://a:1,b:2",
      {
        kind: "cluster",
        nodes: [
          { host: "a", port: 1 },
          { host: "b", port: 2 },
        ],
      },
    ],
  ])("%s is read", (url, expected) => {
    expect(readUrl(url)).toMatchObject(expected);
  });

  test.each([
    "http://h",
    "redis://",
    "redis://a,b",
    "redis://h/x",
    "redis://h:99999999",
    "redis+sentinel://h",
    "redis+cluster://h/1",
    "redis://h?db=1",
  ])("%s is refused with the forms that work", (url) => {
    expect(() => readUrl(url)).toThrow(/cannot be used.*redis\+sentinel/);
  });

  test("keeps its password out of error texts", () => {
    expect(() => readUrl("redis://user:hunter2@a,b")).not.toThrow(/hunter2/);
    expect(() => readUrl("redis://user:hunter2@h/x?y")).not.toThrow(/hunter2/);
  });
});

describe("Options", () => {
  test.each([
    [{ url: "redis://h", namespace: "" }, /namespace/],
    [{ url: "redis://h", namespace: "A" }, /namespace/],
    [{ url: "redis://h", namespace: "a".repeat(33) }, /namespace/],
    [{ namespace: "a" }, /either a url or a client/],
    [{ url: "redis://h", namespace: "a", commandTimeout: 0.5 }, /commandTimeout is 0.5/],
    [{ url: "redis://h", namespace: "a", durability: "fsync" }, /durability is "fsync"/],
  ])("%o are refused", (options, reason) => {
    const make = () => redisStore(options as unknown as RedisStoreOptions);
    expect(make).toThrow(reason);
    expect(make).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
  });
});

describe("A client of the user", () => {
  test("is duplicated with the pinned options and left alone", async () => {
    const own = new Redis({ lazyConnect: true, enableAutoPipelining: true, db: 2, connectionName: "mine" });
    const options = { client: own, namespace: "test" };
    const made = createClient(options, readOptions(options));
    expect(made).not.toBe(own);
    expect(made.options).toMatchObject({ ...pinned, db: 2, connectionName: "mine" });
    expect(own.options).toMatchObject({ enableAutoPipelining: true, enableOfflineQueue: true });
  });

  test("of a cluster gets the cluster's pinned options", () => {
    const own = new Cluster([{ host: "h", port: 1 }], { lazyConnect: true, redisOptions: { password: "p" } });
    const options = { client: own, namespace: "test" };
    const made = createClient(options, readOptions(options));
    expect(made.options).toMatchObject({
      enableOfflineQueue: false,
      retryDelayOnFailover: 0,
      scaleReads: "master",
      redisOptions: { password: "p", maxRetriesPerRequest: 0, autoResendUnfulfilledCommands: false },
    });
  });

  test("keeps its database and its key prefix", async () => {
    const { url } = await server();
    const own = new Redis(url, { db: 3, keyPrefix: "team:" });
    onTestFinished(() => own.disconnect());
    const store = redisStore({ client: own, namespace: "test" });
    onTestFinished(() => store.close());
    await store.open();
    const request = intent(newGroup(), { holds: ["e"], payload: "p", due: { after: 0 }, history: ["begun"] });
    await created(store, request);
    expect((await recordOf(store, request.id)).payload).toBe("p");
    expect((await store.begin(intent(request.group, { blockedBy: ["e"] }))).kind).toBe("held");
    expect((await store.due(10)).items).toHaveLength(1);
    const keys = await own.keys("*");
    expect(keys.length).toBeGreaterThan(5);
    expect(keys.every((key) => key.startsWith("team:"))).toBe(true);
  });

  test("with a brace in its key prefix is refused", () => {
    const own = new Redis({ lazyConnect: true, keyPrefix: "{a}" });
    expect(() => redisStore({ client: own, namespace: "test" })).toThrow(/contains a brace/);
  });
});

test("A client made from a url has the pinned options", () => {
  const options = { url: "redis://h", namespace: "test" };
  expect(createClient(options, readOptions(options)).options).toMatchObject(pinned);
  const { redisOptions, ...cluster } = pinnedClusterOptions(readOptions(options), {});
  expect(cluster).toMatchObject({ retryDelayOnFailover: 0, enableOfflineQueue: false, scaleReads: "master" });
  expect(redisOptions).toMatchObject({ maxRetriesPerRequest: 0, autoResendUnfulfilledCommands: false });
});
