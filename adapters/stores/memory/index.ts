/**
 * A store in the memory of this process, for tests and demonstrations. Plain and slow on purpose: it is the reference
 * that the other stores are compared with.
 */

import type { Instant, Store, StoreHealth, Suspension } from "../../../src/entries/store.ts";
import { IndoubtError } from "../../../src/index.ts";
import { readJournal, readPage, shown } from "./pages.ts";
import {
  type Entry,
  find,
  generationOf,
  handedOut,
  living,
  newState,
  noteLoss,
  type State,
  toolKey,
  undoNewest,
  undoSince,
} from "./state.ts";
import { begin, swap } from "./steps.ts";

export interface MemoryStoreOptions {
  /**
   * The store's clock, in ms since 1970. Times that go back are held at the highest one seen.
   * @default Date.now
   * @example let time = 1_700_000_000_000; memoryStore({ now: () => time });
   */
  readonly now?: () => number;
}

export interface MemoryStore extends Store {
  /** Random, the same for all handles on the same data; forgotten with it. */
  secret(): Promise<Uint8Array>;
  /** A second handle on the same data, as another process would have it. */
  another(): MemoryStore;
  /**
   * Plays the loss of acknowledged writes: everything written at `instant` (ms since 1970, by the store's clock) or
   * later is taken back, and the store knows it. Suspensions survive.
   */
  loseEverythingSince(instant: Instant): void;
  /** The same for the newest version of some records: each is as it was before its last write. */
  loseNewest(ids: readonly string[]): void;
}

/**
 * A store that forgets everything when the process ends.
 * @param options the clock, for tests
 * @throws IndoubtError `STORE_UNAVAILABLE` from every call after `close()`
 * @example
 * const guard = createGuard({ store: memoryStore() });
 */
export function memoryStore(options: MemoryStoreOptions = {}): MemoryStore {
  return handle(newState(), options.now ?? Date.now);
}

const FORGETS =
  "This store lives in the memory of one process: when it ends, every record is forgotten and a write that may have " +
  "happened can be sent again. Use sqliteStore() from indoubt/sqlite or redisStore() from indoubt/redis.";

function handle(state: State, clock: () => number): MemoryStore {
  let closed = false;
  const tick = (): Instant => {
    if (closed) throw new IndoubtError("STORE_UNAVAILABLE", "This memory store is closed. Make a new one.");
    state.time = Math.max(state.time, Math.floor(clock()));
    return state.time;
  };
  return {
    kind: "memory",
    secret: async () => state.secret,
    async open() {
      tick();
    },
    begin: async (request) => begin(state, request, tick()),
    swap: async (request) => swap(state, request, tick()),
    async read(id) {
      const now = tick();
      const record = find(state, id, now)?.record;
      if (!record) return { now, generation: 0 };
      return { now, generation: generationOf(state, record.group), record: handedOut(state, record) };
    },
    async due(limit) {
      const now = tick();
      const time = ({ due }: Entry): Instant => due ?? Number.POSITIVE_INFINITY;
      const ripe = living(state, now).filter((entry) => time(entry) <= now);
      const items = ripe.sort((a, b) => time(a) - time(b)).slice(0, limit);
      return { now, items: items.map((entry) => shown(state, entry)) };
    },
    list: async (request) => readPage(state, request, tick()),
    journal: async (request) => readJournal(state, request, tick()),
    history: async (id) => find(state, id, tick())?.history ?? [],
    suspend: async (suspension, instead) => suspend(state, suspension, instead, tick()),
    async lift(server, tool, only) {
      tick();
      const key = toolKey(server, tool);
      const stands = state.suspensions.get(key);
      if (only && stands && !isSame(stands, only)) return false;
      state.suspensions.delete(key);
      return true;
    },
    async suspensions() {
      tick();
      return [...state.suspensions.values()];
    },
    health: async (): Promise<StoreHealth> => ({ kind: "memory", ok: !closed, warnings: [FORGETS] }),
    async close() {
      closed = true;
    },
    another: () => handle(state, clock),
    loseEverythingSince(instant) {
      undoSince(state, instant);
      tick();
      noteLoss(state);
    },
    loseNewest(ids) {
      for (const id of ids) undoNewest(state, id);
      tick();
      noteLoss(state);
    },
  };
}

type Unstamped = Omit<Suspension, "at">;

function suspend(state: State, suspension: Unstamped, instead: Unstamped | undefined, at: Instant): Suspension {
  const key = toolKey(suspension.server, suspension.tool);
  const before = state.suspensions.get(key);
  if (before && !(instead && isSame(before, instead))) return before;
  const stands = { ...suspension, at };
  state.suspensions.set(key, stands);
  if (!before) state.generations.set(key, (state.generations.get(key) ?? 0) + 1);
  return stands;
}

const isSame = (one: Unstamped, other: Unstamped): boolean =>
  one.reason === other.reason && one.actor === other.actor && one.detail === other.detail;
