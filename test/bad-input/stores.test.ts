/** Stores that are not there, not fit, or gone in the middle: no write without a record, no answer lost. */
import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { expect, onTestFinished, test } from "vitest";
import { redisStore } from "../../adapters/stores/redis/index.ts";
import { sqliteStore } from "../../adapters/stores/sqlite/index.ts";
import type { Store } from "../../src/entries/store.ts";
import { createGuard, type Guard } from "../../src/index.ts";
import { startRedis } from "../support/redis.ts";
import { expectFailure, expectRefused, type Heard, INVOICE, newFolder, SECRET, scene } from "./support.ts";

const nowhere = () => redisStore({ url: "redis://127.0.0.1:9", namespace: "acme", connectWithin: 300 });

test("without a secret, Redis is not used: the error says which one to pass, and nothing is sent", async () => {
  const redis = await startRedis();
  const given = await scene({ store: redisStore({ url: redis.url, namespace: "acme" }), secret: null });
  const heard = await given.call(INVOICE);
  expect(heard.threw).toMatchObject({ code: "CONFIG_INVALID" });
  expect(heard.text).toMatch(/pass `secret`.*INDOUBT_SECRET/);
  expect(given.log.entries()).toEqual([]);
});

test("with a short secret, the error says how long it must be", async () => {
  const given = await scene({ secret: "short" });
  const heard = await given.call(INVOICE);
  expect(heard.threw).toMatchObject({ code: "CONFIG_INVALID" });
  expect(heard.text).toMatch(/at least 16 bytes/);
  expect(given.log.entries()).toEqual([]);
});

test("an unreachable Redis refuses the write, start() says what to check, reads still pass (I11)", async () => {
  const given = await scene({ store: nowhere(), tools: { find_invoice: { effect: "read" } } });
  expectRefused(await given.call(INVOICE), "store_unavailable", /Check that it runs, its address/);
  expect(given.log.entries()).toEqual([]);
  expect((await given.call({ order: "o-1" }, {}, "find_invoice")).isError).toBe(false);
  await expectFailure(() => given.guard.start(), "STORE_UNAVAILABLE", /could not be reached within 300 ms/);
});

test("a Redis that goes away between the record and the answer: the answer counts, marked, and comes home later", async () => {
  const redis = await startRedis({ appendfsync: "always" });
  const store = redisStore({ url: redis.url, namespace: "acme", connectWithin: 300, commandTimeout: 300 });
  const goesAway: Store = {
    ...store,
    async begin(request) {
      const reply = await store.begin(request);
      if (reply.kind === "created") await redis.kill9();
      return reply;
    },
  };
  const given = await scene({ store: goesAway });
  const heard = await given.call(INVOICE);

  expect(heard.isError).toBe(false);
  expect(heard.text).toMatch(/not yet in the safety record/);
  expect(heard.outcome).toMatchObject({ kind: "succeeded", recorded: false });
  expect(given.log.effects()).toHaveLength(1);
  expectRefused(await given.call({ ...INVOICE, order: "o-2" }), "store_unavailable", /Check that it runs/);

  await redis.restart();
  const startedAgain = async () => {
    await given.guard.start().catch(() => {});
    return stateOf(given.guard, heard);
  };
  await expect.poll(startedAgain, { timeout: 15_000 }).toBe("succeeded");
  expect(given.log.arrivals()).toHaveLength(1);
});

test("a store that goes away before the record: nothing is sent, and the write goes through once it is back", async () => {
  const redis = await startRedis();
  const given = await scene({
    store: redisStore({ url: redis.url, namespace: "acme", connectWithin: 300, commandTimeout: 300 }),
  });
  await given.guard.start();
  await redis.stop();
  expectRefused(await given.call(INVOICE), "store_unavailable", /Check that it runs/);
  expect(given.log.entries()).toEqual([]);
  await redis.restart();
  await expect.poll(async () => (await given.call(INVOICE)).isError, { timeout: 10_000 }).toBe(false);
  expect(given.log.effects()).toHaveLength(1);
});

test("records of another layout are refused with the two ways out, and nothing is sent", async () => {
  const redis = await startRedis();
  const client = new Redis(redis.url);
  onTestFinished(() => client.disconnect());
  const first = createGuard({ store: redisStore({ url: redis.url, namespace: "acme" }), secret: SECRET });
  await first.start();
  await first.close();
  const [config = ""] = await client.keys("indoubt:{acme}*");
  await client.hset(config, "layout", "99");

  const given = await scene({ store: redisStore({ url: redis.url, namespace: "acme" }) });
  await expectFailure(() => given.guard.start(), "STORE_INCOMPATIBLE", /layout "99".*or another namespace/s);
  const heard = await given.call(INVOICE);
  expect(heard.threw).toMatchObject({ code: "STORE_INCOMPATIBLE" });
  expect(given.log.entries()).toEqual([]);
});

test("a Redis that may evict records is refused with the command that cures it", async () => {
  const redis = await startRedis({ args: ["--maxmemory-policy", "allkeys-lru"] });
  const given = await scene({ store: redisStore({ url: redis.url, namespace: "acme" }) });
  await expectFailure(() => given.guard.start(), "STORE_INCOMPATIBLE", /CONFIG SET maxmemory-policy noeviction/);
  const heard = await given.call(INVOICE);
  expect(heard.threw).toMatchObject({ code: "STORE_INCOMPATIBLE" });
  expect(given.log.entries()).toEqual([]);
});

test("a SQLite file whose secret is gone is refused: with another one, what was sent could be sent again", async () => {
  const file = `${newFolder()}/indoubt.db`;
  const first = await scene({ store: sqliteStore({ file }), secret: null });
  expect((await first.call(INVOICE, { operationId: "order-1" })).isError).toBe(false);
  await first.guard.close();
  rmSync(`${file}.secret`);

  const second = await scene({ store: sqliteStore({ file }), secret: null });
  const heard = await second.call(INVOICE, { operationId: "order-1" });
  expect(heard.threw).toMatchObject({ code: "STORE_INCOMPATIBLE" });
  expect(heard.text).toMatch(/Put the original back from a backup/);
  expect(second.log.entries()).toEqual([]);
});

async function stateOf(guard: Guard, { outcome }: Heard): Promise<string> {
  await sleep(50);
  return guard.queue.show(outcome?.operation ?? "").then(
    ({ state }) => state,
    () => "no answer",
  );
}
