/**
 * I2, I5, I11: a client is killed at a random moment of its guarded calls, again and again. Nothing it did may be done
 * twice, and nothing it did may be unknown. `INDOUBT_KILLS=200 npx vitest run test/faults/kills` for the full count.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { QueueItem } from "../../../src/entries/queue.ts";
import type { Guard, Outcome } from "../../../src/index.ts";
import { startRedis } from "../../support/redis.ts";
import { hasOwnId, LEASE, paymentGuard, paymentOf, paymentWire, type StorePlace, type World } from "./payments.ts";
import { type Destination, newFolder, startChild, startDestination } from "./support.ts";

const KILLS = Number(process.env.INDOUBT_KILLS ?? 20);
const LANES = 3;
const AT_ONCE = 2;
const CLIENT = new URL("children/client.ts", import.meta.url);

let destination: Destination;
beforeAll(async () => {
  destination = await startDestination();
});
afterAll(() => destination.close());

/** What a dead client said that it did. */
interface Testimony {
  readonly called: readonly string[];
  /** Order to operation id: the request was about to go out. */
  readonly sent: ReadonlyMap<string, string>;
  /** Order to outcome. */
  readonly done: ReadonlyMap<string, string>;
}

async function killOneClient(world: World, name: string): Promise<Testimony> {
  const child = startChild(CLIENT, JSON.stringify(world), name, String(LANES));
  // Its first calls open the store and the connections; the moment is random among the later ones.
  await child.said((line) => line.startsWith(`done ${name}-${LANES}`));
  await sleep(Math.random() * 25);
  await child.end("SIGKILL");
  const words = child.lines().map((line) => line.split(" "));
  const pairs = (verb: string) =>
    words.filter(([first]) => first === verb).map(([, a = "", b = ""]) => [a, b] as const);
  return { called: pairs("call").map(([order]) => order), sent: new Map(pairs("send")), done: new Map(pairs("done")) };
}

async function allOpen(guard: Guard): Promise<readonly QueueItem[]> {
  const items: QueueItem[] = [];
  let cursor: string | undefined;
  do {
    const page = await guard.queue.list({ index: "open", limit: 1_000, ...(cursor !== undefined && { cursor }) });
    items.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return items;
}

/** In flight or in doubt; `ready` is neither: a permit that provably nobody used. */
const isOpen = ({ state }: QueueItem) => ["in_flight", "uncertain", "unresolved"].includes(state);

async function settleEverything(guard: Guard): Promise<void> {
  const giveUp = Date.now() + 60_000;
  for (;;) {
    await guard.sweep();
    const unsettled = (await allOpen(guard)).filter(isOpen);
    if (unsettled.length === 0) return;
    if (Date.now() > giveUp) throw new Error(`still open: ${JSON.stringify(unsettled.slice(0, 3))}`);
    await sleep(20);
  }
}

async function callAgain(guard: Guard, order: string, deadline?: number): Promise<Outcome> {
  const again = { ...paymentOf(order), ...(deadline !== undefined && { deadline }) };
  const outcome = await guard.perform(again, paymentWire(destination.url));
  guard.delivered(outcome);
  return outcome;
}

async function killAndRecover(store: StorePlace): Promise<Readonly<Record<string, number>>> {
  const world = { store, destination: destination.url };
  const survivor = paymentGuard(world);
  const tally = { kills: 0, calls: 0, cut: 0, with_effect: 0, open_found: 0, joined_early: 0, applied: 0, absent: 0 };
  const cut: string[] = [];
  const operations = new Map<string, string>();
  /** Its outcome reached the restarted agent: without an id of its own, a third call would be another payment. */
  const delivered = new Set<string>();

  async function kill(name: string): Promise<void> {
    const { called, sent, done } = await killOneClient(world, name);
    // On a busy machine a client may miss its own lease; then it sends nothing and says so.
    for (const [order, outcome] of done) expect(["succeeded", "not_applied"], order).toContain(outcome);
    const dead = called.filter((order) => !done.has(order));
    // The log first: what is in it now must be on record by now.
    const effects = destination.effects();
    for (const [order, outcome] of done) expect(effects.get(order) ?? 0, order).toBe(outcome === "succeeded" ? 1 : 0);
    const open = new Map((await allOpen(survivor)).map((item) => [item.id, item]));
    for (const order of dead) {
      const operation = sent.get(order);
      if ((effects.get(order) ?? 0) > 0)
        expect(operation, `${order} has an effect but was never handed over`).toBeDefined();
      if (operation === undefined) continue;
      operations.set(order, operation);
      const item = open.get(operation);
      expect(item, `${order} is cut off but not in the index of open records`).toBeDefined();
      tally.open_found += item && isOpen(item) ? 1 : 0;
    }
    tally.kills += 1;
    tally.calls += called.length;
    cut.push(...dead);
    // A restarted agent comes back at once, long before the lease is over.
    for (const order of dead.slice(0, 1)) {
      const outcome = await callAgain(survivor, order, 50);
      if (operations.has(order)) expect(["uncertain", "succeeded"], order).toContain(outcome.kind);
      if (outcome.kind === "succeeded") delivered.add(order);
      else tally.joined_early += 1;
    }
  }

  const names = Array.from({ length: KILLS }, (_, n) => `${store.kind}-k${n}`);
  const lane = async () => {
    for (let name = names.shift(); name !== undefined; name = names.shift()) await kill(name);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));

  await sleep(LEASE);
  await settleEverything(survivor);
  const settled = destination.effects();
  tally.cut = cut.length;
  tally.with_effect = cut.filter((order) => settled.has(order)).length;
  for (const [order, operation] of operations) {
    const { state } = await survivor.queue.show(operation);
    const happened = settled.has(order);
    expect(["succeeded", "applied"].includes(state), `${order}: ${state}, effect: ${happened}`).toBe(happened);
    if (state === "applied") tally.applied += 1;
    if (state === "not_applied") tally.absent += 1;
  }

  // The same operations once more, by id or by their arguments.
  for (const order of cut.filter((each) => hasOwnId(each) || !delivered.has(each))) {
    const outcome = await callAgain(survivor, order);
    const now = destination.effects().get(order) ?? 0;
    expect(now, `${order}: effects after a repeat`).toBe(["succeeded", "applied"].includes(outcome.kind) ? 1 : 0);
    if (!hasOwnId(order)) expect(now, `${order} was not done, so a repeat by its arguments is a new write`).toBe(1);
  }
  const doubled = [...destination.effects()].filter(([, count]) => count > 1);
  expect(doubled, "double effects").toEqual([]);
  await survivor.close();
  console.log(`${store.kind}: ${JSON.stringify(tally)}`);
  return tally;
}

const LIMIT = 60_000 + KILLS * 5_000;

test(
  `${KILLS} clients killed at random moments of calls recorded in Redis leave no double effect and no effect without a record (I2, I5, I11)`,
  async () => {
    const server = await startRedis();
    const tally = await killAndRecover({ kind: "redis", url: server.url });
    await server.stop();
    expect(tally.with_effect).toBeGreaterThan(0);
    expect(tally.open_found).toBeGreaterThan(0);
  },
  LIMIT,
);

test(
  `${KILLS} clients killed at random moments of calls recorded in a SQLite file leave no double effect and no effect without a record (I2, I5, I11)`,
  async () => {
    const folder = newFolder();
    const tally = await killAndRecover({ kind: "sqlite", file: join(folder, "indoubt.db") });
    rmSync(folder, { recursive: true, force: true });
    expect(tally.with_effect).toBeGreaterThan(0);
    expect(tally.open_found).toBeGreaterThan(0);
  },
  LIMIT,
);
