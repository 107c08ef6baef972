/** What a page of the queue costs: reads of records in the order of what it shows, not of what waits. */
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { redisStore } from "../../adapters/stores/redis/index.ts";
import { loadDriver } from "../../adapters/stores/sqlite/driver.ts";
import { sqliteStore } from "../../adapters/stores/sqlite/index.ts";
import { STATEMENTS } from "../../adapters/stores/sqlite/schema.gen.ts";
import { created, intent, newGroup, swapOf, swapped } from "../../adapters/testing/conformance/harness.ts";
import type { Store } from "../../src/entries/store.ts";
import { newFile } from "../stores/sqlite/support.ts";
import { type RedisServer, startRedis } from "../support/redis.ts";
import { deskOn, SECRET } from "./support.ts";

const WAITING = 10_000;
const GROUPS = 5;

/** Real records, as an operation that a person has to decide leaves them. */
async function fill(store: Store, body: string): Promise<void> {
  const groups = Array.from({ length: GROUPS }, (_, n) => newGroup("bank.acme", `pay_${n}`));
  let next = 0;
  const lane = async () => {
    for (let n = next++; n < WAITING; n = next++) {
      const group = groups[n % GROUPS] ?? newGroup();
      const request = intent(group, { body, due: null });
      await created(store, request);
      await swapped(store, swapOf(group, request.id, 1, { body, attention: true, since: 1_000_000 + n }));
    }
  };
  await Promise.all(Array.from({ length: 64 }, lane));
}

describe(`With ${WAITING} items in a queue on Redis`, () => {
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

  /** Reads of records: every GET and MGET that the server carried out, those of scripts included. */
  async function reads(work: () => Promise<unknown>): Promise<number> {
    await admin.config("RESETSTAT");
    await work();
    const stats = await admin.info("commandstats");
    return [...stats.matchAll(/^cmdstat_(?:get|mget):calls=(\d+)/gm)].reduce(
      (sum, [, calls]) => sum + Number(calls),
      0,
    );
  }

  test("the first page, the next one, the last ones and a narrowed one read as many records as they show", async () => {
    const open = () => redisStore({ url: redis.url, namespace: "cost", secret: SECRET });
    const desk = deskOn(open(), open);
    const { id } = await desk.queued("o-1");
    const { record } = await desk.store.read(id);
    await fill(desk.store, record?.body ?? "");
    const { queue } = desk.guard;
    await queue.list({ limit: 1 });
    const first = await queue.list({ limit: 50 });
    expect(first.items).toHaveLength(50);
    for (const filter of [
      {},
      { cursor: first.nextCursor as string },
      { order: "newest" },
      { tool: "pay_3" },
    ] as const) {
      const cost = await reads(async () => expect((await queue.list({ ...filter, limit: 50 })).scanned).toBe(50));
      // And of each group its marks (whether it lost writes) and where its part begins.
      expect(cost, JSON.stringify(filter)).toBeLessThanOrEqual(50 + 2 * GROUPS);
      expect(cost).toBeGreaterThan(0);
    }
  });
});

describe(`With ${WAITING} items in a queue on SQLite`, () => {
  test("a page shows what it looked at, and every list walks along an index without sorting", async () => {
    const file = newFile();
    const open = () => sqliteStore({ file, synchronous: "NORMAL" });
    const desk = deskOn(open(), open);
    const { id } = await desk.queued("o-1");
    const { record } = await desk.store.read(id);
    await fill(desk.store, record?.body ?? "");
    const page = await desk.guard.queue.list({ limit: 50 });
    expect([page.items.length, page.scanned]).toEqual([50, 50]);
    const database = (await loadDriver()).open(file);
    for (const [name, sql] of Object.entries(STATEMENTS)) {
      if (!/^(list|readJournal|readDue)/.test(name)) continue;
      const names = [...new Set([...sql.matchAll(/:([A-Za-z]+)/g)].map(([, each]) => each ?? ""))];
      const plan = database
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all(Object.fromEntries(names.map((each) => [each, 1])));
      const steps = plan.map((step) => String((step as { detail: unknown }).detail)).join("; ");
      expect(steps, name).toMatch(/SEARCH \w+ USING (COVERING )?INDEX/);
      expect(steps, name).not.toMatch(/TEMP B-TREE FOR ORDER BY|^SCAN/);
    }
    database.close();
  });
});
