/** Many settled records: how many bytes each takes in Redis, and whether a call gets slower. */

import { Redis } from "ioredis";
import { startRedis } from "../../test/support/redis.ts";
import { redisStore } from "../lib/built.ts";
import { type Case, interleave } from "../lib/measure.ts";
import { guardedCall, guardOn } from "../lib/stage.ts";
import type { Work } from "../run.ts";

async function memoryOf(url: string): Promise<number> {
  const redis = new Redis(url);
  const text = await redis.info("memory");
  redis.disconnect();
  return Number(/used_memory:(\d+)/.exec(text)?.[1]);
}

/** A store with so many settled and delivered records, written by the guard itself without their results. */
async function filled(count: number) {
  const server = await startRedis({ appendfsync: "no" });
  const guard = guardOn(redisStore({ url: server.url, namespace: "bench", commandTimeout: 60_000 }), {
    maxResultBytes: 0,
  });
  await guardedCall(guard, "first");
  const before = await memoryOf(server.url);
  let next = 0;
  const lane = async () => {
    while (next < count) await guardedCall(guard, `filled-${next++}`);
  };
  await Promise.all(Array.from({ length: 64 }, lane));
  // The last deliveries go out when the tool has been idle.
  await new Promise((resolve) => setTimeout(resolve, 500));
  const bytes = Math.round(((await memoryOf(server.url)) - before) / count);
  return { server, guard, bytes, count };
}

export const growth: Work = async ({ scale, million }) => {
  const counts = [1_000, scale(100_000), ...(million ? [1_000_000] : [])];
  const stores: Awaited<ReturnType<typeof filled>>[] = [];
  for (const count of counts) stores.push(await filled(count));
  const cases: Case[] = stores.map(({ guard, count }) => ({
    name: `${count} settled records`,
    run: (n) => guardedCall(guard, `later-${n}`),
    close: () => guard.close(),
  }));
  const rows = await interleave({ work: "clean write, growing store", n: scale(1_000) }, cases);
  for (const { guard, server } of stores) {
    await guard.close();
    await server.stop();
  }
  return rows.map((row, index) => ({ ...row, facts: { bytes_per_settled_record: stores[index]?.bytes ?? 0 } }));
};
