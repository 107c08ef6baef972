/** A desk: a guard on a real store, a destination that counts its effects, and ways to put operations into the queue. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, onTestFinished } from "vitest";
import { memoryStore } from "../../adapters/stores/memory/index.ts";
import { redisStore } from "../../adapters/stores/redis/index.ts";
import { sqliteStore } from "../../adapters/stores/sqlite/index.ts";
import type { QueueDetail } from "../../src/entries/queue.ts";
import type { Store } from "../../src/entries/store.ts";
import {
  createGuard,
  type Guard,
  type GuardOptions,
  guardFunction,
  type ToolOptions,
  withCallContext,
} from "../../src/index.ts";
import { newFile } from "../stores/sqlite/support.ts";
import { type RedisServer, startRedis } from "../support/redis.ts";
import { SECRET } from "./secret.ts";

export { SECRET };
export const BANK = "bank.acme";
/** As soon as an answer is missing, a person may decide. */
export const AT_ONCE = { settle: 1, validFor: "1h" } as const satisfies ToolOptions;
export const BY = { actor: "on-call", reason: "looked at the bank's ledger" } as const;

/** What a bank did, and how it answers: never, unless a test says otherwise. */
export interface Bank {
  readonly effects: string[];
  /** What the next sends do: with or without an effect, answered or not. Then silence with an effect. */
  readonly script: Step[];
  /** Answers all that still wait. */
  answerAll(): void;
}
export type Step = "lost_with_effect" | "lost_without_effect" | "done" | "late" | "declined";

export interface Desk {
  readonly guard: Guard;
  readonly store: Store;
  readonly bank: Bank;
  /** Another process on the same data. */
  another(options?: DeskOptions): Desk;
  pay(order: string, context?: { operationId?: string; principal?: string }): Promise<string>;
  /** Pays, hears nothing, and waits until it stands in the queue. */
  queued(order: string, context?: { operationId?: string; principal?: string }): Promise<QueueDetail>;
  /** Sweeps until the operation is in one of these states. */
  until(id: string, ...states: string[]): Promise<QueueDetail>;
}

export interface DeskOptions extends Omit<GuardOptions, "store" | "secret" | "servers"> {
  readonly tool?: ToolOptions;
  readonly others?: Record<string, ToolOptions>;
}

/** @param reopen another handle on the same data */
export function deskOn(store: Store, reopen: () => Store, options: DeskOptions = {}, shared?: Bank): Desk {
  const { tool = AT_ONCE, others = {}, ...rest } = options;
  const guard = createGuard({
    sweepEvery: "1h",
    ...rest,
    store,
    secret: SECRET,
    servers: { [BANK]: { tools: { pay: tool, ...others } } },
  });
  onTestFinished(() => guard.close({ within: 0 }).catch(() => {}));
  const { bank, send } = shared ? { bank: shared, send: sendTo(shared) } : newBank();
  const wire = { server: BANK, tool: "pay" };
  const paying = guardFunction(guard, wire, send);
  // Recovery sends over the connections of its process.
  guard.connected(BANK, {
    headers: false,
    async send(attempt) {
      if (!attempt.mayStart()) return { kind: "not_sent", cause: "permit_lost" };
      try {
        return { kind: "result", result: (await send(attempt.arguments as { order: string })) as never };
      } catch {
        return { kind: "silence", cause: "connection_closed" };
      }
    },
  });
  const pay: Desk["pay"] = async (order, context = {}) => {
    const { operation } = await withCallContext(context, () => paying({ order }));
    return operation;
  };
  const until: Desk["until"] = async (id, ...states) => {
    for (let turn = 0; turn < 400; turn += 1) {
      await guard.sweep();
      const detail = await guard.queue.show(id);
      if (states.includes(detail.state)) return detail;
      await sleep(5);
    }
    throw new Error(`${id} did not get to ${states.join(" or ")}`);
  };
  return {
    guard,
    store,
    bank,
    pay,
    until,
    another: (more = {}) => deskOn(reopen(), reopen, { ...options, ...more }, bank),
    queued: async (order, context) => until(await pay(order, context), "unresolved"),
  };
}

const waiting = new WeakMap<Bank, (() => void)[]>();

function newBank() {
  const bank: Bank = {
    effects: [],
    script: [],
    answerAll() {
      for (const answer of waiting.get(bank)?.splice(0) ?? []) answer();
    },
  };
  waiting.set(bank, []);
  return { bank, send: sendTo(bank) };
}

const DONE = { content: [{ type: "text", text: "paid" }] };

const sendTo =
  (bank: Bank) =>
  async ({ order }: { order: string }): Promise<unknown> => {
    const step = bank.script.shift() ?? "lost_with_effect";
    if (step === "declined") return { ...DONE, isError: true };
    if (step !== "lost_without_effect") bank.effects.push(order);
    if (step === "done") return DONE;
    if (step === "late") return new Promise((resolve) => waiting.get(bank)?.push(() => resolve(DONE)));
    throw new Error("the connection broke");
  };

let redis: RedisServer | undefined;
let count = 0;

export type NewDesk = (options?: DeskOptions) => Desk;

const memoryDesk: NewDesk = (options) => {
  const store = memoryStore();
  return deskOn(store, () => store.another(), options);
};
const sqliteDesk: NewDesk = (options) => {
  const file = newFile();
  const open = () => sqliteStore({ file, synchronous: "NORMAL" });
  return deskOn(open(), open, options);
};
const redisDesk: NewDesk = (options) => {
  const namespace = `queue-${++count}`;
  const open = () => redisStore({ url: redis?.url ?? "", namespace, secret: SECRET });
  return deskOn(open(), open, options);
};

/** Registers the same tests for each store. */
export function onEachStore(title: string, tests: (desk: NewDesk, kind: string) => void): void {
  describe(`${title}, in memory`, () => tests(memoryDesk, "memory"));
  describe(`${title}, in SQLite`, () => tests(sqliteDesk, "sqlite"));
  describe(`${title}, in Redis`, () => {
    beforeAll(async () => {
      redis ??= await startRedis({ appendfsync: "no" });
    });
    afterAll(async () => {
      await redis?.stop();
      redis = undefined;
    });
    tests(redisDesk, "redis");
  });
}

/** What a promise rejects with. */
export async function failure(
  work: Promise<unknown>,
): Promise<{ code: string; message: string; details: Record<string, unknown> }> {
  try {
    await work;
  } catch (error) {
    return error as never;
  }
  throw new Error("it did not fail");
}
