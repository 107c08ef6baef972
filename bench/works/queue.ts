/** The queue with 100k open records: its first page, and the sweep when all of them are due. */

import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../../src/entries/store.ts";
import type { Guard } from "../../src/index.ts";
import { startRedis } from "../../test/support/redis.ts";
import { redisStore } from "../lib/built.ts";
import { interleave, type Row } from "../lib/measure.ts";
import { guardedCall, guardOn, silentWire } from "../lib/stage.ts";
import type { Work } from "../run.ts";

const SETTLE = 1_000;

/** Leaves its records in doubt: recovery is measured afterwards, by another guard. */
const WITHOUT_BACKGROUND: Clock = {
  monotonic: () => performance.now(),
  wall: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  later: () => () => {},
};

export const queue: Work = async ({ scale }) => {
  const count = scale(100_000);
  const server = await startRedis({ appendfsync: "everysec" });
  const place = { url: server.url, namespace: "bench", commandTimeout: 60_000 };
  const store = redisStore(place);
  const options = { servers: { bench: { tools: { pay: { settle: SETTLE } } } } };
  const filler = guardOn(store, { ...options, clock: WITHOUT_BACKGROUND });
  let next = 0;
  const lane = async () => {
    while (next < count) await guardedCall(filler, `open-${next++}`, undefined, silentWire);
  };
  await Promise.all(Array.from({ length: 64 }, lane));

  // Its own background sweeper would be done before the sweep is measured.
  const guard = guardOn(redisStore(place), { ...options, clock: WITHOUT_BACKGROUND });
  const page = { name: `first page of 50 among ${count} open`, run: () => guard.queue.list({ index: "open" }) };
  const rows = await interleave({ work: "queue, Redis everysec", n: scale(200), rounds: 5 }, [page]);

  await sleep(SETTLE);
  const started = performance.now();
  let swept = 0;
  for (let found = await guard.sweep(); found > 0; found = await guard.sweep()) swept += found;
  const elapsed = performance.now() - started;
  rows.push(sweepRow(count, swept, elapsed));
  rows.push(
    ...(await interleave({ work: "queue, Redis everysec", n: scale(200), rounds: 5 }, waitingPages(guard, count))),
  );
  await filler.close();
  await guard.close();
  await server.stop();
  return rows;
};

/** Pages of what waits for a person: ordered across tools, and through a filter that fits nothing. */
function waitingPages({ queue: list }: Pick<Guard, "queue">, count: number) {
  return [
    { name: `first page of 50 among ${count} waiting`, run: () => list.list() },
    { name: "the same, newest first", run: () => list.list({ order: "newest" }) },
    { name: "2,000 looked at for a text that none has", run: () => list.list({ text: "nowhere to be found" }) },
  ];
}

const sweepRow = (count: number, swept: number, elapsed: number): Row => ({
  work: "queue, Redis everysec",
  case: `sweep of ${count} due, each into the manual queue`,
  concurrency: 1,
  n: swept,
  p50_us: Math.round((1_000 * elapsed) / swept),
  p99_us: Math.round((1_000 * elapsed) / swept),
  ops_per_s: Math.round((1_000 * swept) / elapsed),
  cpu_us: 0,
  round_trips: null,
  ratio: {},
  ops_ratio: {},
  facts: { whole_sweep_ms: Math.round(elapsed) },
});
