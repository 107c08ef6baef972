/**
 * Two operators, a worker and a late answer race on one item (W2): one verdict wins, the others are told, the audit shows
 * all, and the destination has no double effect. Judge is the count of effects at the destination.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { redisStore } from "../../adapters/stores/redis/index.ts";
import { sqliteStore } from "../../adapters/stores/sqlite/index.ts";
import type { AuditLine, QueueDetail, Verdict } from "../../src/entries/queue.ts";
import type { Store } from "../../src/entries/store.ts";
import { createGuard, guardFunction, isIndoubtError } from "../../src/index.ts";
import { newFile } from "../stores/sqlite/support.ts";
import { type RedisServer, startRedis } from "../support/redis.ts";
import { SECRET } from "./support.ts";

const ROUNDS = 1_000;
const AT_ONCE = 25;
const VERDICTS: readonly Verdict[] = ["applied", "not_applied", "resend", "abandon"];

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis({ appendfsync: "no" });
});
afterAll(() => redis.stop());

/** What reached the destination, and who still waits for an answer. */
interface Destination {
  readonly arrivals: Map<number, number>;
  readonly answers: Map<number, () => void>;
}

function processOn(store: Store, destination: Destination) {
  const guard = createGuard({
    store,
    secret: SECRET,
    deadline: 10,
    sweepEvery: "1h",
    servers: { bank: { tools: { pay: { settle: 1, validFor: "1h" } } } },
  });
  const send = (order: number): Promise<unknown> => {
    destination.arrivals.set(order, (destination.arrivals.get(order) ?? 0) + 1);
    if (destination.answers.has(order)) return Promise.resolve({ paid: order }); // a resend is answered
    return new Promise((done) => destination.answers.set(order, () => done({ paid: order })));
  };
  guard.connected("bank", {
    headers: false,
    async send(attempt) {
      if (!attempt.mayStart()) return { kind: "not_sent", cause: "permit_lost" };
      await send(Number(attempt.arguments.order));
      return { kind: "result", result: { content: [] } };
    },
  });
  const pay = guardFunction(guard, { server: "bank", tool: "pay" }, ({ order }: { order: number }) => send(order));
  return { guard, pay };
}
type Process = ReturnType<typeof processOn>;

interface Race {
  readonly won: readonly Verdict[];
  readonly lost: readonly unknown[];
  readonly end: QueueDetail;
  readonly arrivals: number;
}

/** @param n picks verdicts and who starts first */
async function raceOnce(
  n: number,
  [caller, onCall, finance, worker]: readonly Process[],
  destination: Destination,
): Promise<Race> {
  if (!caller || !onCall || !finance || !worker) throw new Error("four processes");
  const { operation: id } = await caller.pay({ order: n });
  await expect.poll(async () => (await finance.guard.queue.show(id)).state, { interval: 5 }).toBe("unresolved");
  const { version } = await onCall.guard.queue.show(id);
  const verdicts = [VERDICTS[n % 4], VERDICTS[Math.floor(n / 4) % 4]] as [Verdict, Verdict];
  const click = (desk: Process, verdict: Verdict, actor: string) => async () => {
    await desk.guard.queue.resolve(id, { verdict, version, actor, reason: `round ${n}`, override: true });
    return verdict;
  };
  const acts = [
    click(onCall, verdicts[0], "on-call"),
    click(finance, verdicts[1], "finance"),
    async () => void (await worker.guard.sweep()),
    // At once, or while what was decided is carried out.
    async () => sleep(n % 8 < 4 ? 0 : n % 13).then(destination.answers.get(n)),
  ];
  for (let at = 0; at < n % 4; at += 1) acts.push(acts.shift() as (typeof acts)[number]);
  const settled = await Promise.allSettled(acts.map((act) => act()));
  const end = await settledEnd(id, worker, onCall);
  return {
    won: settled.flatMap((each) => (each.status === "fulfilled" && each.value ? [each.value as Verdict] : [])),
    lost: settled.flatMap((each) => (each.status === "rejected" ? [each.reason] : [])),
    end,
    arrivals: destination.arrivals.get(n) ?? 0,
  };
}

/** Until nothing is on its way any more, and the answer to each send is on record. */
async function settledEnd(id: string, worker: Process, onCall: Process): Promise<QueueDetail> {
  for (let turn = 0; turn < 400; turn += 1) {
    const detail = await onCall.guard.queue.show(id);
    const isOpen = ["ready", "in_flight", "uncertain", "unresolved"].includes(detail.state);
    const sends = detail.audit.filter(({ row }) => row === "start").length + 1;
    if (!isOpen && answers(detail.audit) === sends) return detail;
    await worker.guard.sweep();
    await sleep(5);
  }
  throw new Error(`${id} is still open, or an answer was thrown away`);
}

const answers = (audit: readonly AuditLine[]): number => audit.filter(({ row }) => row.startsWith("ok")).length;

function judge({ won, lost, end, arrivals }: Race): void {
  // One verdict wins, or the late answer was faster than both.
  expect(won.length).toBeLessThanOrEqual(1);
  expect(won.length + lost.length).toBe(2);
  const verdictLines = end.audit.filter(({ row }) => row.startsWith("operator_"));
  expect(verdictLines).toHaveLength(won.length);
  for (const reason of lost) {
    if (!isIndoubtError(reason)) throw reason;
    expect(reason.code).toBe("RESOLUTION_CONFLICT");
    expect(reason.details.since, "the loser is told what happened meanwhile").not.toEqual([]);
  }
  // Each row of the audit follows from the one before it.
  const versions = end.audit.map(({ v }) => Number(v));
  expect(versions).toEqual([...versions].sort((one, other) => one - other));
  // A second send only by a person's order, and never a third.
  const sends = end.audit.filter(({ row }) => row === "start").length;
  expect(arrivals).toBe(1 + sends);
  expect(sends).toBeLessThanOrEqual(won[0] === "resend" ? 1 : 0);
  // What contradicts the late answer, or may have happened twice, is in the queue; nothing else is.
  const contradicted = won[0] === "not_applied" || won[0] === "abandon" || sends === 1;
  expect(end.conflict).toBe(contradicted);
}

async function races(open: () => Store): Promise<readonly Race[]> {
  const destination: Destination = { arrivals: new Map(), answers: new Map() };
  const processes = Array.from({ length: 4 }, () => processOn(open(), destination));
  const sweeper = setInterval(() => void processes[3]?.guard.sweep().catch(() => {}), 10);
  const all: Race[] = [];
  let next = 0;
  const lane = async () => {
    for (let n = next++; n < ROUNDS; n = next++) all.push(await raceOnce(n, processes, destination));
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
  } finally {
    clearInterval(sweeper);
    for (const { guard } of processes) await guard.close({ within: 0 });
  }
  return all;
}

function judgeAll(all: readonly Race[]): void {
  for (const race of all) judge(race);
  const wins = (verdict: Verdict) => all.filter(({ won }) => won[0] === verdict).length;
  const tally = {
    ...Object.fromEntries(VERDICTS.map((name) => [name, wins(name)])),
    answer: all.filter(({ won }) => won.length === 0).length,
  };
  console.log(
    `${all.length} races: ${JSON.stringify(tally)}, second sends: ${all.filter(({ arrivals }) => arrivals > 1).length}`,
  );
  expect(all).toHaveLength(ROUNDS);
  for (const verdict of VERDICTS) expect(wins(verdict), verdict).toBeGreaterThan(0);
}

test(`W2: ${ROUNDS} races on Redis have one winner each, and no effect that nobody ordered`, {
  timeout: 60_000,
}, async () => {
  judgeAll(await races(() => redisStore({ url: redis.url, namespace: "race", secret: SECRET })));
});

test(`W2: ${ROUNDS} races on SQLite have one winner each, and no effect that nobody ordered`, {
  timeout: 60_000,
}, async () => {
  const file = newFile();
  judgeAll(await races(() => sqliteStore({ file, synchronous: "NORMAL" })));
});
