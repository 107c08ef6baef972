/** DESIGN section 10: what a call costs at the store, counted on the wire of a real Redis. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { redisStore } from "../../../adapters/stores/redis/index.ts";
import type { Wire } from "../../../src/entries/wire.ts";
import { createGuard, type Guard, type GuardOptions } from "../../../src/index.ts";
import { type RedisServer, startRedis } from "../../support/redis.ts";
import { type CountingProxy, countingProxy } from "./counting-proxy.ts";

let redis: RedisServer;
let proxy: CountingProxy;
let guard: Guard;

beforeAll(async () => {
  redis = await startRedis();
  proxy = await countingProxy(redis.port);
  guard = open(proxy.port);
});

const open = (port: number, options: Partial<GuardOptions> = {}, namespace = "round-trips"): Guard =>
  createGuard({
    store: redisStore({ url: `redis://127.0.0.1:${port}`, namespace, commandTimeout: 10_000 }),
    secret: "a secret that only this test has",
    ...options,
  });

afterAll(async () => {
  await guard.close();
  await proxy.close();
  await redis.stop();
});

const answering: Wire = {
  headers: false,
  send: async (attempt) =>
    attempt.mayStart()
      ? { kind: "result", result: { content: [{ type: "text", text: "done" }] } }
      : { kind: "not_sent", cause: "permit_lost" },
};

const silent: Wire = {
  headers: false,
  send: async (attempt) =>
    attempt.mayStart() ? { kind: "silence", cause: "connection_reset" } : { kind: "not_sent", cause: "permit_lost" },
};

/** Takes the call on as a task. */
const asTask = (ask: NonNullable<Wire["ask"]>): Wire => ({
  headers: false,
  send: async (attempt) =>
    attempt.mayStart()
      ? { kind: "result", result: { task: { taskId: "t-1", status: "working", pollInterval: 0 } } }
      : { kind: "not_sent", cause: "permit_lost" },
  ask,
});

let number = 0;
const fresh = () => ({ server: "bank", tool: "pay", arguments: { order: `order-${number++}`, amount: 12.5 } });

async function write(call: Parameters<Guard["perform"]>[0] = fresh()): Promise<void> {
  const outcome = await guard.perform(call, answering);
  guard.delivered(outcome);
  expect(outcome.kind).toBe("succeeded");
}

/** Deliveries that found no later call to ride on go out when the tool is idle. */
async function deliveriesAreOut(): Promise<void> {
  await expect.poll(async () => (await guard.queue.list({ index: "open" })).items.filter(isSettled)).toEqual([]);
}
const isSettled = ({ state }: { readonly state: string }) => state === "succeeded";

beforeEach(async () => {
  // The first call of a process also opens the store, the keys and the group.
  await write();
  await deliveriesAreOut();
  proxy.reset();
});

test("a clean write costs exactly two round trips to Redis: deliveries ride on the next one", async () => {
  for (let call = 0; call < 50; call += 1) await write();
  expect(proxy.trips()).toBe(100);
  await deliveriesAreOut();
});

test("a clean write with an operation id of its own costs exactly two round trips", async () => {
  for (let call = 0; call < 20; call += 1) await write({ ...fresh(), operationId: `own-${call}` });
  expect(proxy.trips()).toBe(40);
  await deliveriesAreOut();
});

test("the last delivery of a burst costs one round trip more, when the tool has been idle", async () => {
  await write();
  expect(proxy.trips()).toBe(2);
  await expect.poll(() => proxy.trips()).toBe(3);
});

test("a call that is held by one in doubt costs exactly one round trip, and sends nothing", async () => {
  const call = fresh();
  expect((await guard.perform(call, silent)).kind).toBe("uncertain");
  proxy.reset();
  for (let repeat = 0; repeat < 20; repeat += 1) {
    const outcome = await guard.perform(call, answering);
    expect(outcome).toMatchObject({ kind: "uncertain", attempts: 1 });
    expect(outcome.heldBy).toBeDefined();
  }
  expect(proxy.trips()).toBe(20);
});

test("a call that runs as a task costs one round trip more, for its handle: asking for its end costs none", async () => {
  let polls = 0;
  const status = () => (++polls % 4 === 0 ? "completed" : "working");
  const wire = asTask(async () => ({
    kind: "result",
    result: { taskId: "t-1", status: status(), pollInterval: 0, result: { content: [] } },
  }));
  // The pauses between the polls are long enough for sweeps and deliveries: here there are none.
  const path = await countingProxy(redis.port);
  const quiet = open(path.port, { sweepEvery: "1h" }, "tasks");
  await quiet.perform(fresh(), answering);
  await quiet.sweep();
  path.reset();
  for (let call = 0; call < 3; call += 1) expect((await quiet.perform(fresh(), wire)).kind).toBe("succeeded");
  expect([path.trips(), polls]).toEqual([9, 12]);
  await quiet.close();
  await path.close();
});

test("a caller that follows its task itself costs three round trips until it has the handle", async () => {
  const wire: Wire = { ...asTask(async () => ({ kind: "silence", cause: "deadline" })), followsTasks: true };
  expect(await guard.perform(fresh(), wire)).toMatchObject({ kind: "uncertain", reason: "task_running" });
  expect(proxy.trips()).toBe(3);
});

test("a call that is recalled by its operation id costs exactly one round trip, and sends nothing", async () => {
  const call = { ...fresh(), operationId: "recalled" };
  await write(call);
  await deliveriesAreOut();
  proxy.reset();
  for (let repeat = 0; repeat < 20; repeat += 1) {
    const outcome = await guard.perform(call, silent);
    guard.delivered(outcome);
    expect(outcome).toMatchObject({ kind: "succeeded", recalled: true });
  }
  expect(proxy.trips()).toBe(20);
});

test("a call that is recalled by its arguments, because nobody received the first, costs exactly one round trip", async () => {
  const call = fresh();
  expect((await guard.perform(call, answering)).kind).toBe("succeeded");
  proxy.reset();
  for (let repeat = 0; repeat < 20; repeat += 1) {
    expect(await guard.perform(call, silent)).toMatchObject({ kind: "succeeded", recalled: true });
  }
  expect(proxy.trips()).toBe(20);
});
