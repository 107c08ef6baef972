/** Large arguments, and many calls at once: CPU of one call, and how long the event loop stands still. */

import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { startRedis } from "../../test/support/redis.ts";
import { memoryStore, redisStore } from "../lib/built.ts";
import { type Case, interleave, type Row } from "../lib/measure.ts";
import { argumentsOf, guardedCall, guardOn, toolWire } from "../lib/stage.ts";
import type { Work } from "../run.ts";

/** Some 100 KB: 970 items like those of a bulk import. */
const large = (n: number) => ({ n, items: Array.from({ length: 970 }, (_, item) => argumentsOf(item)) });

export const largeArguments: Work = async ({ scale }) => {
  const guard = guardOn(memoryStore());
  const perform = async (args: object) => {
    guard.delivered(await guard.perform({ server: "bench", tool: "pay", arguments: args }, toolWire));
  };
  const cases: Case[] = [
    { name: "indoubt, 100 KB of arguments", run: (n) => perform(large(n)) },
    { name: "JSON.stringify of the same", run: (n) => JSON.stringify(large(n)) },
  ];
  const rows = await interleave({ work: "large arguments, memory store", n: scale(100) }, cases);
  const cpu = await cpuOf(scale(100), (n) => perform(large(n)));
  await guard.close();
  const stall = await stallOfManyCalls();
  return rows.map(
    (row, index): Row =>
      index === 0
        ? { ...row, facts: { cpu_ms_per_call: cpu, longest_stall_ms_at_1000_calls: stall, bytes: sizeOf(large(0)) } }
        : row,
  );
};

const sizeOf = (value: object): number => JSON.stringify(value).length;

async function cpuOf(n: number, run: (n: number) => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  for (let call = 0; call < n; call += 1) await run(1_000_000 + call);
  const { user, system } = process.cpuUsage(before);
  return Math.round((user + system) / n / 10) / 100;
}

/** 1,000 calls under way at once, each starting when another has ended. */
async function stallOfManyCalls(): Promise<number> {
  const server = await startRedis();
  const guard = guardOn(redisStore({ url: server.url, namespace: "bench", commandTimeout: 20_000 }));
  let next = 0;
  const lane = async () => {
    await sleep(Math.random() * 200);
    for (let call = 0; call < 5; call += 1) await guardedCall(guard, next++);
  };
  const lanes = () => Promise.all(Array.from({ length: 1_000 }, lane));
  await lanes();
  const stall = await stallOf(lanes);
  await guard.close();
  await server.stop();
  return stall;
}

async function stallOf(work: () => Promise<unknown>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await sleep(50);
  delay.reset();
  await work();
  await sleep(50);
  delay.disable();
  return Math.round(delay.max / 10_000) / 100;
}
