/** The whole conformance suite as the user that acl.md describes. */
import { readFileSync } from "node:fs";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { redisStore } from "../../../adapters/stores/redis/index.ts";
import { describeStore } from "../../../adapters/testing/index.ts";
import { type RedisServer, startRedis } from "../../support/redis.ts";

const text = readFileSync(new URL("../../../adapters/stores/redis/acl.md", import.meta.url), "utf8");
const rule = /^ACL SETUSER (.*)$/m.exec(text.replaceAll("\\\n", ""))?.[1] ?? "";

let redis: RedisServer;
let admin: Redis;
let user: string;
const namespaces = new WeakMap<object, string>();
let count = 0;

beforeAll(async () => {
  redis = await startRedis();
  admin = new Redis(redis.url);
  const words = rule.replaceAll("acme-agents", "acl-*").replace("PASSWORD", "secret").split(/\s+/);
  await admin.call("ACL", "SETUSER", ...words);
  user = redis.url.replace("redis://", "redis://indoubt:secret@");
});
afterAll(async () => {
  admin.disconnect();
  await redis.stop();
});

function openIn(namespace: string) {
  const store = redisStore({ url: user, namespace });
  namespaces.set(store, namespace);
  return store;
}

describeStore(
  "The Redis store with few rights",
  {
    open: async () => openIn(`acl-${++count}`),
    reopen: async (store) => openIn(namespaces.get(store) ?? ""),
    lose: async () => void (await admin.flushall()),
  },
  { describe, test },
);

describe("The user of acl.md", () => {
  test("can neither flush, nor delete, nor configure, nor touch another namespace", async () => {
    const client = new Redis(user, { retryStrategy: () => null });
    for (const command of [["flushall"], ["del", "in1:{acl-1}:g"], ["config", "get", "*"], ["keys", "*"]]) {
      await expect(client.call(command[0] ?? "", command.slice(1))).rejects.toThrow(/NOPERM/);
    }
    await expect(client.hgetall("in1:{other}:g")).rejects.toThrow(/NOPERM/);
    client.disconnect();
  });

  test("of another namespace is told what it lacks", async () => {
    const store = redisStore({ url: user, namespace: "other" });
    await expect(store.open()).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
      message: expect.stringMatching(/acl\.md/),
    });
    await store.close();
  });
});
