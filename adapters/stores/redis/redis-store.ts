import type { HistoryLine, Spool, Store, StoreHealth } from "../../../src/entries/store.ts";
import { createBegins } from "./begins.ts";
import { findDue, readOne } from "./browse.ts";
import { readHistoryLine, readRecord } from "./codec.ts";
import { type Connection, createConnection, type ScriptTexts } from "./connection.ts";
import { createControl } from "./control.ts";
import { closed, unavailable } from "./failures.ts";
import { createGroups, type Groups } from "./groups.ts";
import { groupKeys, readNames, recordKeys, restOf, tagOf } from "./keys.ts";
import type { RedisStoreOptions } from "./options.ts";
import { journalPage, listPage } from "./pages.ts";
import { checkRights } from "./rights.ts";
import { SCRIPTS } from "./scripts.gen.ts";
import { refusalOf, warningsOf } from "./server-facts.ts";
import { createSwaps } from "./swaps.ts";

/** A {@link Store} on Redis. */
export interface RedisStore extends Store {
  readonly kind: "redis";
  readonly namespace: string;
  readonly spool: Spool;
  /**
   * Binds the namespace to the secret with this key id, once and for all processes.
   * @throws IndoubtError STORE_INCOMPATIBLE when it belongs to another key id
   */
  bindKey(keyId: string): Promise<void>;
}

/**
 * Keeps records in Redis (6.2 or newer, standalone, Sentinel or Cluster) or Valkey. It never evicts and never forgets
 * by itself; a server that could is refused when the store opens.
 * @throws IndoubtError CONFIG_INVALID for options it cannot use; `open()`: STORE_UNAVAILABLE, STORE_INCOMPATIBLE
 * @example
 * const store = redisStore({ url: process.env.REDIS_URL, namespace: "acme-agents", secret: process.env.INDOUBT_SECRET });
 */
export const redisStore = (options: RedisStoreOptions): RedisStore => redisStoreWith(options, SCRIPTS);

/** The store with other script texts: for tests that break them on purpose. */
export function redisStoreWith(options: RedisStoreOptions, scripts: ScriptTexts): RedisStore {
  const connection = createConnection(options, scripts);
  const { settings } = connection;
  const { secret } = settings;
  const groups = createGroups(connection);
  const control = createControl(connection, groups);
  const begin = createBegins(connection, groups);
  const swap = createSwaps(connection, groups);
  let running = 0;
  let onIdle: (() => void) | undefined;
  let opening: Promise<void> | undefined;
  let closing: Promise<void> | undefined;

  /** Runs a call to its end, also when the store is closed meanwhile. */
  async function run<T>(work: () => Promise<T>): Promise<T> {
    if (closing) throw closed();
    running += 1;
    try {
      return await work();
    } finally {
      running -= 1;
      if (running === 0) onIdle?.();
    }
  }

  async function close(): Promise<void> {
    connection.stopWaiting();
    if (running > 0) await new Promise<void>((resolve) => (onIdle = resolve));
    connection.close();
  }

  async function open(): Promise<void> {
    await connection.open();
    await checkRights(connection);
    await control.checkLayout();
    await groups.start();
  }

  return {
    kind: "redis",
    namespace: settings.namespace,
    clockSkew: settings.clockSkew,
    spool: settings.spool,
    ...(secret && { secret: async () => secret }),
    open() {
      opening ??= run(open).catch((error: unknown) => {
        opening = undefined;
        throw error;
      });
      return opening;
    },
    begin: (request) => run(() => begin(request)),
    swap: (request) => run(() => swap(request)),
    read: (id) => run(() => read(connection, groups, id)),
    due: (limit) => run(() => findDue(connection, groups, limit)),
    list: (request) => run(() => listPage(connection, groups, request)),
    journal: (request) => run(() => journalPage(connection, groups, request)),
    history: (id) => run(() => history(connection, id)),
    suspend: (suspension, instead) => run(() => control.suspend(suspension, instead)),
    lift: (server, tool, only) => run(() => control.lift(server, tool, only)),
    suspensions: () => run(control.suspensions),
    bindKey: (keyId) => run(() => control.bindKey(keyId)),
    health: () => health(connection),
    close() {
      closing ??= close();
      return closing;
    },
  };
}

async function read(connection: Connection, groups: Groups, id: string) {
  const tag = tagOf(id);
  const keys = groupKeys(connection.settings.namespace, tag);
  const { now, generation, loss, text, payload, who } = await readOne(connection, keys, recordKeys(keys, restOf(id)));
  if (text === null) return { now, generation };
  const unnamed = { tag, tenant: "", server: "", tool: "" };
  const group = groups.byTag(tag)?.group ?? (who === null ? unnamed : readNames(tag, who));
  return { now, generation, record: readRecord(group, restOf(id), text, payload, loss) };
}

async function history(connection: Connection, id: string): Promise<readonly HistoryLine[]> {
  const keys = recordKeys(groupKeys(connection.settings.namespace, tagOf(id)), restOf(id));
  const lines = await connection.call("none", (client) => client.lrange(keys.history, 0, -1));
  return lines.map(readHistoryLine);
}

async function health(connection: Connection): Promise<StoreHealth> {
  try {
    const facts = await connection.inspect();
    const refusals = facts.map(refusalOf).filter((text) => text !== undefined);
    const warnings = [...new Set([...refusals, ...facts.flatMap(warningsOf)])];
    return { kind: "redis", ok: refusals.length === 0, warnings };
  } catch (error) {
    const { message } = unavailable(error, "none");
    return { kind: "redis", ok: false, warnings: [message] };
  }
}
