/**
 * The answer to a server's question arrives in another process than the question. The call, its record and its one
 * effect go on; what was answered before is not sent again. The effect log is the judge.
 */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { memoryStore } from "../../../adapters/stores/memory/index.ts";
import { redisStore } from "../../../adapters/stores/redis/index.ts";
import { sqliteStore } from "../../../adapters/stores/sqlite/index.ts";
import type { Store } from "../../../src/entries/store.ts";
import type { GuardOptions } from "../../../src/index.ts";
import { newFile } from "../../stores/sqlite/support.ts";
import { type RedisServer, startRedis } from "../../support/redis.ts";
import { sleep } from "./support/fake-guard.ts";
import { asks, type LegsHost, legsHost } from "./support/legs.ts";
import { http, invoices } from "./support/world.ts";

const SECRET = "a secret of the legs, long enough";
const STATE = "state-that-is-a-secret";
const IDENTITIES = ["arguments", "per-call"] as const;
const once = invoices({ reply: { input_required: STATE } });

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.stop());

let spaces = 0;
/** Opens the same data each time it is called. */
const STORES = {
  sqlite: () => {
    const file = newFile();
    return () => sqliteStore({ file });
  },
  redis: () => {
    const namespace = `legs-${++spaces}`;
    return () => redisStore({ url: redis.url, namespace, secret: SECRET });
  },
} as const satisfies Record<string, () => () => Store>;
type Kind = keyof typeof STORES;

/** Hosts on one store, before one server. */
async function scene(options: {
  readonly script?: ReturnType<typeof invoices>;
  readonly kind?: Kind;
  readonly identity?: (typeof IDENTITIES)[number];
  readonly maxDeadline?: number;
  readonly more?: Partial<GuardOptions>;
}) {
  const server = await http(options.script ?? once);
  const open = STORES[options.kind ?? "sqlite"]();
  const { maxDeadline, identity, more } = options;
  const tool = {
    settle: 100,
    ...(maxDeadline !== undefined && { maxDeadline, deadline: maxDeadline }),
    ...(identity === "per-call" && { identity }),
  };
  const host = (): Promise<LegsHost> =>
    legsHost(server, { tool, options: { store: open(), secret: SECRET, lease: 1_200, ...more } });
  return {
    server,
    host,
    sent: () => server.log.arrivals("create_invoice").map(({ requestState }) => requestState),
    effects: () => server.log.effects("create_invoice").length,
  };
}

/** Lets recovery work until the operation is there. */
const sweptTo = (host: LegsHost, id: string, state: string) =>
  vi.waitFor(
    async () => {
      await host.guard.sweep();
      expect((await host.guard.queue.show(id)).state).toBe(state);
    },
    { timeout: 10_000, interval: 50 },
  );

describe.each(Object.keys(STORES) as Kind[])("on %s", (kind) => {
  it.each(IDENTITIES)(
    "W1-08 asked in one process, answered in another: one operation, identity %s",
    async (identity) => {
      const given = await scene({ kind, identity });
      const first = await given.host();
      const asked = await first.ask();
      expect(asked).toMatchObject({ kind: "uncertain", state: "in_flight", reason: "input_required" });
      const second = await given.host();
      // Longer than a lease: nobody drives it, and nobody takes it for abandoned.
      await sleep(1_500);
      await second.guard.sweep();
      expect(await second.answer(STATE)).toMatchObject({
        kind: "succeeded",
        operation: asked.operation,
        attempts: 1,
        answer: { kind: "result" },
      });
      expect([given.sent(), given.effects()]).toEqual([[undefined, STATE], 1]);
    },
  );

  it("W1-08 two processes answer at once: one leg is sent, and both hear its outcome", async () => {
    const given = await scene({ kind });
    const hosts = await Promise.all([given.host(), given.host()]);
    const asked = await hosts[0].ask();
    const told = await Promise.all(hosts.map((host) => host.answer(STATE)));
    expect(told.map(({ kind: said, operation }) => [said, operation])).toEqual(
      Array(2).fill(["succeeded", asked.operation]),
    );
    expect([given.sent(), given.effects()]).toEqual([[undefined, STATE], 1]);
  });

  it.each(IDENTITIES)("W1-08 a leg that comes again is not sent again, however late: identity %s", async (identity) => {
    const given = await scene({ kind, identity });
    const host = await given.host();
    const asked = await host.ask();
    await host.answer(STATE);
    const other = await given.host();
    expect(await other.answer(STATE)).toMatchObject({ kind: "succeeded", recalled: true, operation: asked.operation });
    await host.guard.close();
    await other.guard.sweep();
    await other.guard.sweep();
    expect(await other.answer(STATE)).toMatchObject({ kind: "succeeded", recalled: true });
    expect([given.sent(), given.effects()]).toEqual([[undefined, STATE], 1]);
  });

  it.each(IDENTITIES)(
    "what answers no question on record is a call of its own, sent once: identity %s",
    async (identity) => {
      const given = await scene({ kind, identity });
      const host = await given.host();
      const own = await host.answer("a state from elsewhere");
      expect(own).toMatchObject({ kind: "succeeded", attempts: 1 });
      const other = await given.host();
      expect(await other.answer("a state from elsewhere")).toMatchObject({ recalled: true, operation: own.operation });
      expect([given.sent().length, given.effects()]).toEqual([1, 1]);
    },
  );

  it.each(IDENTITIES)(
    "a server that asks every call the same: the second wish is one of its own, identity %s",
    async (identity) => {
      const given = await scene({ kind, identity });
      const host = await given.host();
      const first = await host.ask();
      await host.answer(STATE);
      // The first is closed, and its leg is on record elsewhere.
      await host.guard.close();
      const other = await given.host();
      await other.guard.sweep();
      const second = await other.ask();
      expect(await other.answer(STATE)).toMatchObject({ kind: "succeeded", operation: second.operation });
      expect(second.operation).not.toBe(first.operation);
      expect([given.sent().length, given.effects()]).toEqual([4, 2]);
    },
  );
});

it("the server's state is nowhere in the record", async () => {
  const file = newFile();
  const server = await http(once);
  const host = await legsHost(server, { options: { store: sqliteStore({ file }) } });
  await host.ask();
  await host.answer(STATE);
  await host.guard.close();
  expect(readFileSync(file).includes(STATE)).toBe(false);
});

describe.each(IDENTITIES)("identity %s", (identity) => {
  it("W1-08 the answer to an earlier question is not sent while a later one waits", async () => {
    const given = await scene({ identity, script: invoices(asks("q1"), asks("q2"), { reply: "ok" }) });
    const host = await given.host();
    const asked = await host.ask();
    expect(await host.answer("q1")).toMatchObject({ reason: "input_required", operation: asked.operation });
    const other = await given.host();
    expect(await other.answer("q1", { deadline: 200 })).toMatchObject({ kind: "uncertain", heldBy: asked.operation });
    expect(await other.answer("q2")).toMatchObject({ kind: "succeeded", operation: asked.operation });
    expect(await other.answer("q1")).toMatchObject({ kind: "succeeded", recalled: true });
    expect([given.sent(), given.effects()]).toEqual([[undefined, "q1", "q2"], 1]);
  });

  it("nobody came: the question is over, a person is asked, and a late answer is not sent", async () => {
    const given = await scene({ identity, maxDeadline: 2_500 });
    const host = await given.host();
    const { operation } = await host.ask();
    await host.guard.sweep();
    const waits = { state: "in_flight", next: expect.stringContaining("The server asked a question") };
    expect(await host.guard.queue.show(operation)).toMatchObject(waits);
    await sweptTo(host, operation, "unresolved");
    const { audit } = await host.guard.queue.show(operation);
    expect(audit.map(({ row }) => row)).toEqual(expect.arrayContaining(["leg", "question_over", "escalate"]));
    expect(await host.answer(STATE)).toMatchObject({ kind: "unresolved", operation });
    expect([given.sent(), given.effects()]).toEqual([[undefined], 0]);
  });

  it("the answer comes too late by a moment, and no sweeper was there: it is not sent", async () => {
    const given = await scene({ identity, maxDeadline: 300 });
    const host = await given.host();
    const { operation } = await host.ask();
    await sleep(400);
    expect(await host.answer(STATE)).toMatchObject({ kind: "uncertain", reason: "input_not_given", operation });
    expect(given.sent()).toEqual([undefined]);
  });

  it("a lost leg is a doubt about that leg, and its repeat is held", async () => {
    const given = await scene({ identity, script: invoices(asks(STATE), { reply: "never" }) });
    const host = await given.host();
    const { operation } = await host.ask();
    expect(await host.answer(STATE, { deadline: 300 })).toMatchObject({ kind: "uncertain", operation, attempts: 1 });
    const other = await given.host();
    expect(await other.answer(STATE)).toMatchObject({ kind: "uncertain", heldBy: operation });
    expect([given.sent(), given.effects()]).toEqual([[undefined, STATE], 1]);
  });

  it("where every call is asked the same, the leg in doubt is not told as that of a closed call", async () => {
    const steps = [asks(STATE), { reply: "ok" }, asks(STATE), { reply: "never" }] as const;
    const given = await scene({ identity, script: invoices(...steps) });
    const host = await given.host();
    const first = await host.ask();
    await host.answer(STATE);
    await host.guard.close();
    const other = await given.host();
    await other.guard.sweep();
    const { operation } = await other.ask();
    expect(operation).not.toBe(first.operation);
    const lost = other.answer(STATE, { deadline: 600 });
    await vi.waitFor(() => expect(given.sent()).toHaveLength(4), 10_000);
    const third = await given.host();
    expect(await third.answer(STATE, { deadline: 100 })).toMatchObject({ kind: "uncertain", heldBy: operation });
    expect(await lost).toMatchObject({ kind: "uncertain", operation });
    expect(await third.answer(STATE)).toMatchObject({ kind: "uncertain", heldBy: operation });
    expect([given.sent().length, given.effects()]).toEqual([4, 2]);
  });

  it("an answer that could not be handed over leaves the question open", async () => {
    const given = await scene({ identity });
    const host = await given.host();
    const { operation } = await host.ask();
    await given.server.crash();
    const refused = await host.answer(STATE, { deadline: 1_000 });
    expect(refused).toMatchObject({ kind: "refused", because: "answer_not_sent", operation });
    await given.server.restart();
    const other = await given.host();
    expect(await other.answer(STATE)).toMatchObject({ kind: "succeeded", operation, attempts: 1 });
    expect([given.sent(), given.effects()]).toEqual([[undefined, STATE], 1]);
  });
});

it("a closed call lets go of its rounds only when each has its record: a store that answers too late keeps none", async () => {
  const server = await http(once);
  const store = memoryStore();
  const hosts = (given: Store) =>
    legsHost(server, { tool: { settle: 100 }, options: { store: given, secret: SECRET } });
  const first = await hosts(store);
  await first.ask();
  await first.answer(STATE);
  let slow = true;
  const other = store.another();
  const slowStore: Store = {
    ...other,
    begin: async (request) =>
      slow && request.adopting ? { kind: "late", now: (await other.read(request.id)).now } : other.begin(request),
  };
  const second = await hosts(slowStore);
  await first.guard.close();
  for (let round = 0; round < 3; round += 1) await second.guard.sweep();
  slow = false;
  expect(await second.answer(STATE)).toMatchObject({ kind: "succeeded", recalled: true });
  for (let round = 0; round < 3; round += 1) await second.guard.sweep();
  expect(await second.answer(STATE)).toMatchObject({ kind: "succeeded", recalled: true });
  expect(server.log.arrivals("create_invoice")).toHaveLength(2);
});

it("an answer in another principal's name does not go on with the call", async () => {
  const given = await scene({});
  const host = await given.host();
  const asked = await host.ask({ principal: "ann" });
  const other = await host.answer(STATE, { principal: "bob" });
  expect(other.operation).not.toBe(asked.operation);
  expect(await host.answer(STATE, { principal: "ann" })).toMatchObject({ operation: asked.operation });
});

it("an operation with a name of its own goes on under it, and its repeat is recalled", async () => {
  const given = await scene({});
  const name = { operationId: "order-7" };
  const asked = await (await given.host()).ask(name);
  const host = await given.host();
  expect(await host.answer(STATE, name)).toMatchObject({ kind: "succeeded", operation: asked.operation });
  expect(await host.answer(STATE, { operationId: "order-8" })).toMatchObject({
    operation: asked.operation,
    recalled: true,
  });
  expect(await host.ask(name)).toMatchObject({ kind: "succeeded", operation: asked.operation, recalled: true });
  expect([given.sent(), given.effects()]).toEqual([[undefined, STATE], 1]);
});
