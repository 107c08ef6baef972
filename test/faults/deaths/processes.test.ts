/**
 * Real processes end by SIGKILL before or after a named port call; the next process asks again, sweeps and looks into the
 * queue. The judge is the file of effects (I2, I5, I11).
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isSettled } from "../../../src/core/terms.ts";
import type { Guard } from "../../../src/index.ts";
import { type RedisServer, startRedis } from "../../support/redis.ts";
import { startChild } from "../kills/support.ts";
import {
  callOf,
  type Death,
  effectsOf,
  LEASE,
  type Means,
  type Plan,
  reaper,
  type StorePlace,
  shopGuard,
  shopWire,
} from "./shop.ts";

const CALLER = new URL("children/caller.ts", import.meta.url);

const death = (text: string): Death => {
  const [point = "", port = "", nth = "1"] = text.split(" ");
  return { point: point as Death["point"], port, nth: Number(nth) };
};

/** Deaths of a call whose reply comes, then of calls whose first reply is lost. */
const DEATHS: readonly {
  readonly means: Means;
  readonly firstReplyLost: boolean;
  readonly deaths: readonly string[];
}[] = [
  {
    means: "plain",
    firstReplyLost: false,
    deaths: [
      "before store.begin",
      "after store.begin",
      "before wire.send",
      "after wire.send",
      "before wire.answer",
      "before store.swap",
      "after store.swap",
      "before store.swap 2",
      "after store.swap 2",
    ],
  },
  {
    means: "hook",
    firstReplyLost: true,
    deaths: [
      "before store.swap",
      "after store.swap",
      "before hook",
      "after hook",
      "before store.swap 2",
      "after store.swap 2",
    ],
  },
  {
    means: "contract",
    firstReplyLost: true,
    deaths: [
      "before store.swap 2",
      "after store.swap 2",
      "before wire.send 2",
      "after wire.send 2",
      "before store.swap 3",
    ],
  },
];

let count = 0;
let folder: string;
let redis: RedisServer;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "indoubt-deaths-"));
  redis = await startRedis();
});
afterAll(async () => {
  await redis.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Sweeps until nothing is open, as far as time can settle it. */
async function sweepFor(guard: Guard, ms: number): Promise<void> {
  for (let waited = 0; waited < ms; waited += 100) {
    await guard.sweep();
    if ((await guard.queue.list({ index: "open" })).items.every(({ state }) => isSettled(state))) return;
    await sleep(100);
  }
}

async function surviveDeath(plan: Plan): Promise<void> {
  const child = startChild(CALLER, JSON.stringify(plan));
  await child.said((line) => line.startsWith("dies"));
  await child.end("SIGKILL");
  const { death: _death, ...rest } = plan;
  const after: Plan = { ...rest, firstReplyLost: false };
  const spared = reaper(undefined);
  const guard = shopGuard(after, spared);
  const wire = shopWire(after, spared, () => {});
  guard.connected("shop", wire);
  try {
    await sweepFor(guard, LEASE + 400);
    const words = child.lines();
    const wasHeard = words.includes("heard succeeded") || words.includes("heard applied");
    // A caller that heard its outcome would ask for another write; one that did not asks again for the same.
    if (!wasHeard) guard.delivered(await guard.perform(callOf(after), wire));
    await sweepFor(guard, LEASE + 400);
    expect(effectsOf(plan.log, plan.order), words.join("\n")).toBeLessThanOrEqual(1);
    await expectVisible(guard, words);
  } finally {
    await guard.close();
  }
}

/** What was handed over is settled, or somebody can see it. */
async function expectVisible(guard: Guard, words: readonly string[]): Promise<void> {
  const sent = words.filter((line) => line.startsWith("sent ")).map((line) => line.slice("sent ".length));
  const listed = [...(await guard.queue.list()).items, ...(await guard.queue.list({ index: "open" })).items];
  for (const operation of sent) {
    const { state } = await guard.queue.show(operation);
    const visible = isSettled(state) || listed.some(({ id }) => id === operation);
    expect(visible, `${operation} is ${state} and in no list`).toBe(true);
  }
}

for (const kind of ["sqlite", "redis"] as const) {
  describe(`A process killed at a port call, with the ${kind} store`, () => {
    for (const { means, firstReplyLost, deaths } of DEATHS) {
      test.concurrent.each(deaths)(
        `${means}, %s: nothing twice, nothing invisible`,
        { timeout: 60_000 },
        async (text) => {
          const name = `${kind}-${means}-${text.replaceAll(" ", "-")}`;
          const place: StorePlace =
            kind === "redis" ? { kind, url: redis.url } : { kind, file: join(folder, `${name}.db`) };
          const log = join(folder, `${name}.log`);
          await surviveDeath({
            store: place,
            log,
            order: name,
            namespace: `deaths-${++count}`,
            means,
            firstReplyLost,
            death: death(text),
          });
        },
      );
    }
  });
}
