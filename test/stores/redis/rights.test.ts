/** A user who lacks one right is refused at the start: no write stops halfway, and the error names the command. */
import { readdirSync, readFileSync } from "node:fs";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { redisStore } from "../../../adapters/stores/redis/index.ts";
import { type RedisServer, startRedis } from "../../support/redis.ts";

const folder = new URL("../../../adapters/stores/redis/", import.meta.url);
const rule =
  /^ACL SETUSER (.*)$/m.exec(readFileSync(new URL("acl.md", folder), "utf8").replaceAll("\\\n", ""))?.[1] ?? "";
/** Every command that some script of ours calls. */
const USED = [
  ...new Set(
    readdirSync(new URL("lua/", folder))
      .filter((file) => file !== "rights.lua")
      .flatMap((file) => [...readFileSync(new URL(`lua/${file}`, folder), "utf8").matchAll(/redis\.call\('([A-Z]+)'/g)])
      .map(([, name = ""]) => name.toLowerCase()),
  ),
].sort();

let redis: RedisServer;
let admin: Redis;
beforeAll(async () => {
  redis = await startRedis({ appendfsync: "no" });
  admin = new Redis(redis.url);
});
afterAll(async () => {
  admin.disconnect();
  await redis.stop();
});

async function without(command: string, namespace: string): Promise<string> {
  const words = rule.replaceAll("acme-agents", namespace).replace("PASSWORD", "secret").split(/\s+/);
  const [, ...rights] = words;
  await admin.call("ACL", "SETUSER", namespace, "reset", ...rights, `-${command}`);
  return redis.url.replace("redis://", `redis://${namespace}:secret@`);
}

/** The first question of all, before any script. */
const AT_THE_DOOR = ["info", "time"];

test.each(AT_THE_DOOR)("a user who may not ask for %s is told why there is no connection", async (command) => {
  const namespace = `lacks-${command}`;
  const store = redisStore({ url: await without(command, namespace), namespace, connectWithin: 400 });
  await expect(store.open()).rejects.toMatchObject({
    code: "STORE_UNAVAILABLE",
    message: expect.stringMatching(/no permissions.*acl\.md/),
  });
  await store.close();
});

test.each(USED.filter((command) => !AT_THE_DOOR.includes(command)))(
  "a user who may not run %s is refused before anything is written",
  async (command) => {
    const namespace = `lacks-${command}`;
    const store = redisStore({ url: await without(command, namespace), namespace });
    await expect(store.open()).rejects.toMatchObject({
      code: "STORE_INCOMPATIBLE",
      effect: "none",
      details: { missing: [command] },
      message: expect.stringMatching(/acl\.md/),
    });
    await store.close();
    expect(await admin.keys(`*${namespace}*`)).toEqual([]);
  },
);

test("a user with all rights leaves nothing of the trial behind", async () => {
  const namespace = "rights-full";
  const store = redisStore({ url: await without("flushall", namespace), namespace });
  await store.open();
  expect((await admin.keys(`*${namespace}*`)).filter((key) => key.endsWith(":probe"))).toEqual([]);
  await store.close();
});

test("where replicas must have a write, the right to wait for them is needed", async () => {
  const namespace = "lacks-wait";
  const store = redisStore({ url: await without("wait", namespace), namespace, durability: "replica" });
  await expect(store.open()).rejects.toMatchObject({
    code: "STORE_UNAVAILABLE",
    message: expect.stringMatching(/acl\.md/),
  });
  await store.close();
});
