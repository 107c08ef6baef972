import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, test } from "vitest";
import { redisStore } from "../../adapters/stores/redis/index.ts";
import { describeStore } from "../../adapters/testing/index.ts";
import { type RedisServer, startRedis } from "../support/redis.ts";

let server: RedisServer;
let admin: Redis;
const urls = new WeakMap<object, string>();

beforeAll(async () => {
  server = await startRedis();
  admin = new Redis(server.url);
});
afterAll(async () => {
  admin.disconnect();
  await server.stop();
});

let count = 0;
const openIn = (namespace: string) => {
  const store = redisStore({ url: server.url, namespace });
  urls.set(store, namespace);
  return store;
};

describeStore(
  "The Redis store",
  {
    open: async () => openIn(`suite-${++count}`),
    reopen: async (store) => openIn(urls.get(store) ?? ""),
    lose: async () => void (await admin.flushall()),
  },
  { describe, test },
);
