/** Large arguments, and many calls at once: CPU of one call, and how long the event loop stands still. */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { memoryStore } from "../../adapters/stores/memory/index.ts";
import { type Case, interleave, type Row } from "../lib/measure.ts";
import { argumentsOf, guardOn, toolWire } from "../lib/stage.ts";
import type { Work } from "../run.ts";

/** Some 100 KB: 700 items like those of a bulk import. */
const large = (n: number) => ({ n, items: Array.from({ length: 700 }, (_, item) => argumentsOf(item)) });

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
  const stall = await stallOf(() => Promise.all(Array.from({ length: 1_000 }, (_, n) => perform(argumentsOf(n)))));
  await guard.close();
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

async function stallOf(work: () => Promise<unknown>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await work();
  await new Promise((resolve) => setTimeout(resolve, 20));
  delay.disable();
  return Math.round(delay.max / 10_000) / 100;
}
