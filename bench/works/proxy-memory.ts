/** What a proxy holds after many guarded calls, and with 1,000 of them under way. Calls that are over must leave nothing. */
import { setTimeout as sleep } from "node:timers/promises";
import { type Case, interleave, type Row } from "../lib/measure.ts";
import { memoryOf, type Pairing, withPairings } from "../lib/proxied.ts";
import type { Stage, Work } from "../run.ts";

/** In the first of these parts caches fill and code is compiled. */
const PARTS = 10;
/** The last deliveries are written down when the tool has been idle, in ms. */
const IDLE = 3_000;

export const proxyMemory: Work = (stage) =>
  withPairings(async ({ stdio, HTTP }) => {
    // The SDK's client has one signal for all its calls, and says so for each.
    process.removeAllListeners("warning");
    return [...(await measure("stdio", stdio, stage)), ...(await measure("HTTP", HTTP, stage))];
  });

async function measure(name: string, { proxied }: Pairing, { scale }: Stage): Promise<Row[]> {
  const host = await proxied(`memory-${name}.db`);
  const work = `memory of the proxy, ${name}`;
  const calls: Case[] = [{ name: "proxy, SQLite FULL", run: (each) => host.call(`${each}`) }];
  const n = scale(10_000);
  const rows: Row[] = [];
  async function add(concurrency: number, count: number, rounds: number): Promise<void> {
    const before = await memoryOf(host);
    const found = await interleave({ work, n: count, concurrency, rounds }, calls);
    await sleep(IDLE);
    const after = await memoryOf(host);
    const facts = {
      heap_kb_before: before.heap,
      heap_kb_after: after.heap,
      rss_kb_before: before.rss,
      rss_kb_after: after.rss,
    };
    rows.push(...found.map((row) => ({ ...row, case: `${row.case}, ${rounds * count} calls`, facts })));
  }
  await add(64, n, 1);
  await add(64, n, PARTS - 1);
  await add(1_000, n, 1);
  await host.close();
  return rows;
}
