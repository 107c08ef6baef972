import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, test } from "vitest";
import { redisStore } from "../../adapters/stores/redis/index.ts";
import { describeStore, type StoreHarness, storeSuite } from "../../adapters/testing/index.ts";
import { flush, rollBack } from "../stores/redis/losses.ts";
import { type RedisServer, startRedis } from "../support/redis.ts";

let server: RedisServer;
let admin: Redis;
const namespaces = new WeakMap<object, string>();

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
  namespaces.set(store, namespace);
  return store;
};

describeStore(
  "The Redis store",
  {
    open: async () => openIn(`suite-${++count}`),
    reopen: async (store) => openIn(namespaces.get(store) ?? ""),
    lose: () => flush(admin),
  },
  { describe, test },
);

describe("The Redis store after a rollback of its groups", () => {
  const harness: StoreHarness = {
    open: async () => openIn(`suite-${++count}`),
    reopen: async (store) => openIn(namespaces.get(store) ?? ""),
    lose: () => rollBack(admin),
  };
  for (const { name, needs, run } of storeSuite) if (needs.includes("lose")) test(name, () => run(harness));
});
