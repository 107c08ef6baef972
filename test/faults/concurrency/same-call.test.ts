/** I1, I2: many callers want the same write at the same time, in two processes on one store. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startRedis } from "../../support/redis.ts";
import type { StorePlace } from "../kills/payments.ts";
import { type Child, type Destination, newFolder, startChild, startDestination } from "../kills/support.ts";

const KEYS = 100;
const CALLERS = 64;
const AT_ONCE = 10;

let destination: Destination;
beforeAll(async () => {
  destination = await startDestination();
});
afterAll(() => destination.close());

type Counts = Readonly<Record<string, number>>;

async function callInBoth(processes: readonly Child[], order: string): Promise<Counts> {
  for (const child of processes) child.process.stdin?.write(`${order}\n`);
  const answers = processes.map((child) => child.said((line) => line.startsWith(`${order} `)));
  const total: Record<string, number> = {};
  for (const line of await Promise.all(answers)) {
    const counts = JSON.parse(line.slice(line.indexOf(" "))) as Counts;
    for (const [answer, count] of Object.entries(counts)) total[answer] = (total[answer] ?? 0) + count;
  }
  return total;
}

async function oneEffectPerKey(store: StorePlace): Promise<void> {
  const script = new URL("children/callers.ts", import.meta.url);
  const world = JSON.stringify({ store, destination: destination.url });
  const processes = [1, 2].map(() => startChild(script, world, String(CALLERS / 2)));
  await Promise.all(processes.map((child) => child.said((line) => line === "ready")));

  const orders = Array.from({ length: KEYS }, (_, n) => `${store.kind}-same-${n}`);
  const waiting = [...orders];
  const told: Record<string, number> = {};
  const lane = async () => {
    for (let order = waiting.shift(); order !== undefined; order = waiting.shift()) {
      const counts = await callInBoth(processes, order);
      const { first = 0, joined = 0, recalled = 0, in_flight: running = 0 } = counts;
      expect(first, `${order}: callers who were told that their own call did it: ${JSON.stringify(counts)}`).toBe(1);
      expect(first + joined + recalled + running, `${order}: ${JSON.stringify(counts)}`).toBe(CALLERS);
      for (const [answer, count] of Object.entries(counts)) told[answer] = (told[answer] ?? 0) + count;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  const effects = destination.effects();
  for (const order of orders) expect(effects.get(order), order).toBe(1);
  await Promise.all(processes.map((child) => child.end()));
  console.log(`${store.kind}: ${KEYS} keys x ${CALLERS} callers: ${JSON.stringify(told)}`);
}

test(`${KEYS} keys x ${CALLERS} callers in two processes on one Redis: one effect per key, and everyone is told its outcome (I1, I2)`, async () => {
  const server = await startRedis();
  await oneEffectPerKey({ kind: "redis", url: server.url });
  await server.stop();
}, 180_000);

test(`${KEYS} keys x ${CALLERS} callers in two processes on one SQLite file: one effect per key, and everyone is told its outcome (I1, I2)`, async () => {
  const folder = newFolder();
  await oneEffectPerKey({ kind: "sqlite", file: join(folder, "indoubt.db") });
  rmSync(folder, { recursive: true, force: true });
}, 180_000);
