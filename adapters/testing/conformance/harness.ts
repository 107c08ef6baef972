/** What a store has to bring along so that the suite can run on it, and the small tools the cases are written with. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import type {
  BeginReply,
  BeginRequest,
  Change,
  Group,
  Store,
  StoredRecord,
  SwapRequest,
} from "../../../src/entries/store.ts";

/** The invariants of the guarantees that a store takes part in; `store` for what the port alone asks. */
export type StoreRequirement = "I1" | "I2" | "I4" | "I5" | "I7" | "I8" | "I10" | "store";

/** How to get your store under test. Everything but `open` is optional; cases that need a missing part are left out. */
export interface StoreHarness {
  /** A fresh, empty store that shares nothing with an earlier one. The suite opens and closes it. */
  open(): Promise<Store>;
  /** A second handle on the same data, as another process would have it. */
  reopen?(store: Store): Promise<Store>;
  /** Moves the clock of all stores by `ms`. Without it the suite waits in real time (half a second here and there). */
  advance?(ms: number): void | Promise<void>;
  /** Makes the store lose everything in a way that it promises to notice. */
  lose?(store: Store): Promise<void>;
  /** Called once after each case, when its stores are closed. */
  cleanUp?(): Promise<void>;
}

/** One promise of the port. Runs in any test runner: `run` rejects with an assertion error that says what broke. */
export interface StoreCase {
  readonly name: string;
  readonly requirement: StoreRequirement;
  /** The optional parts of the harness without which the case cannot run. */
  readonly needs: readonly ("reopen" | "lose")[];
  run(harness: StoreHarness): Promise<void>;
}

/** A store under test and the means to play with it. */
export interface Bench {
  readonly store: Store;
  /** Long enough to be seen as a time to live, short enough to wait for. In ms. */
  readonly brief: number;
  reopen(): Promise<Store>;
  lose(): Promise<void>;
  /** Lets `ms` pass on the store's clock. */
  pass(ms: number): Promise<void>;
}

export function storeCase(
  requirement: StoreRequirement,
  name: string,
  play: (bench: Bench) => Promise<void>,
  needs: StoreCase["needs"] = [],
): StoreCase {
  const run = async (harness: StoreHarness): Promise<void> => {
    const store = await harness.open();
    const opened = [store];
    try {
      await store.open();
      await play(benchOf(harness, store, opened));
    } finally {
      for (const each of opened) await each.close();
      await harness.cleanUp?.();
    }
  };
  return { name, requirement, needs, run };
}

function benchOf(harness: StoreHarness, store: Store, opened: Store[]): Bench {
  const sleep = (ms: number) => new Promise<void>((done) => setTimeout(done, ms + 20));
  return {
    store,
    brief: harness.advance ? 60_000 : 400,
    async pass(ms) {
      await (harness.advance ? harness.advance(ms) : sleep(ms));
    },
    async reopen() {
      assert.ok(harness.reopen, "this case needs harness.reopen");
      const other = await harness.reopen(store);
      opened.push(other);
      await other.open();
      return other;
    },
    async lose() {
      assert.ok(harness.lose, "this case needs harness.lose");
      await harness.lose(store);
    },
  };
}

const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";
const letters = (count: number): string => Array.from(randomBytes(count), (byte) => ALPHABET[byte & 31]).join("");

/** A group nobody else uses. */
export const newGroup = (server = "billing", tool = "create_invoice"): Group => ({
  tag: letters(10),
  tenant: letters(22),
  server,
  tool,
});

/** An operation id of the group. */
export const newId = (group: Group): string => `${group.tag}_${letters(26)}`;
export const newToken = (): string => letters(16);

/** A begin that any store must accept at once, with what the case changes about it. */
export const intent = (group: Group, changes: Partial<BeginRequest> = {}): BeginRequest => ({
  group,
  id: newId(group),
  digest: "digest-1",
  token: newToken(),
  body: '{"s":"in_flight"}',
  holds: [],
  blockedBy: [],
  acks: [],
  due: { after: 3_600_000 },
  within: 10_000,
  maxAge: 86_400_000,
  ...changes,
});

/** A change of version `expect` that keeps the record out of the indexes, with what the case changes about it. */
export const change = (id: string, expect: number, changes: Partial<Change> = {}): Change => ({
  id,
  expect,
  token: newToken(),
  body: '{"s":"succeeded"}',
  due: null,
  attention: false,
  ...changes,
});

export const swapOf = (group: Group, id: string, expect: number, changes: Partial<SwapRequest> = {}): SwapRequest => ({
  ...change(id, expect),
  group,
  within: 10_000,
  ...changes,
});

/** Begins and insists that it was created. */
export async function created(store: Store, request: BeginRequest): Promise<Extract<BeginReply, { kind: "created" }>> {
  const reply = await store.begin(request);
  assert.equal(reply.kind, "created", "the store must accept this begin");
  return reply as Extract<BeginReply, { kind: "created" }>;
}

/** Swaps and insists that it was written. */
export async function swapped(store: Store, request: SwapRequest): Promise<number> {
  const reply = await store.swap(request);
  assert.equal(reply.kind, "swapped", "the store must accept this swap");
  return reply.now;
}

/** The record, which must be there. */
export async function recordOf(store: Store, id: string): Promise<StoredRecord> {
  const { record } = await store.read(id);
  assert.ok(record, "the record must be there");
  return record;
}

/** The store's clock. */
export const nowOf = async (store: Store): Promise<number> => (await store.read(newId(newGroup()))).now;

export const idsOf = (items: readonly StoredRecord[]): string[] => items.map((item) => item.id);

/** Asserts that nothing was written under this id. */
export async function assertNothing(store: Store, id: string): Promise<void> {
  assert.equal((await store.read(id)).record, undefined, "nothing may be written");
  assert.deepEqual(await store.history(id), [], "no history may be written");
  const open = await store.list({ index: "open", limit: 1000 });
  assert.ok(!idsOf(open.items).includes(id), "no index entry may be written");
}

/** Asserts that a refused change left the record as it was. */
export async function assertUntouched(store: Store, before: StoredRecord): Promise<void> {
  assert.deepEqual(await recordOf(store, before.id), before, "a refused write must leave the record as it was");
}
