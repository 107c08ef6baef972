/** A store by its address, as people write it. Loads only the store that is asked for. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Store } from "../../../src/entries/store.ts";
import { IndoubtError } from "../../../src/index.ts";

export interface StoreOptions {
  /**
   * What a relative file is seen from.
   * @default process.cwd()
   */
  readonly folder?: string | undefined;
  /**
   * Needed on Redis.
   * @default "default", on SQLite
   * @example "acme-agents"
   */
  readonly namespace?: string | undefined;
  /**
   * Refuse to make a SQLite file that is not there: a person who looks into a queue means one that exists.
   * @default false
   */
  readonly mustExist?: boolean | undefined;
  /** Redis only. @default "ack" */
  readonly durability?: "ack" | "replica" | undefined;
  /** SQLite only. @default "FULL" */
  readonly synchronous?: "FULL" | "NORMAL" | undefined;
  /** Redis only: a folder. @default "./indoubt.spool" */
  readonly spool?: string | undefined;
  /** Redis only, in ms. @default 2000 */
  readonly commandTimeout?: number | undefined;
  /** Redis only, in ms. @default 2000 */
  readonly connectWithin?: number | undefined;
  /** Redis only, in ms. @default 5000 */
  readonly clockSkew?: number | undefined;
}

export interface OpenedStore {
  readonly store: Store;
  /** For people: without a password. */
  readonly address: string;
}

export const DEFAULT_STORE = "sqlite:./indoubt.db";

const FORMS =
  "sqlite:FILE, a file name, redis://host:6379, rediss://host:6379, redis+sentinel://host:26379/name, " +
  "redis+cluster://host:6379,host:6379, or memory:";

const invalid = (message: string): IndoubtError => new IndoubtError("CONFIG_INVALID", message);

/**
 * Makes the store of an address; nothing is connected yet.
 * @param address `sqlite:FILE`, a file name, `redis://…`, `rediss://…`, `redis+sentinel://…`, `redis+cluster://…`, `memory:`
 * @throws IndoubtError CONFIG_INVALID for an address or an option that cannot work
 * @example
 * const { store } = await openStore("redis://localhost:6379", { namespace: "acme-agents" });
 */
export async function openStore(address: string, options: StoreOptions = {}): Promise<OpenedStore> {
  const [, scheme] = /^([a-z][a-z0-9+]+):/i.exec(address) ?? [];
  if (scheme === undefined || scheme === "sqlite") return openFile(address.replace(/^sqlite:/, ""), options);
  if (/^rediss?(\+(sentinel|cluster))?$/.test(scheme)) return openRedis(address, options);
  if (scheme === "memory") return openMemory();
  throw invalid(`store: "${scheme}:" is no kind of store. Write ${FORMS}.`);
}

async function openFile(name: string, options: StoreOptions): Promise<OpenedStore> {
  if (name === "") throw invalid('store: the file is missing. Write "sqlite:./indoubt.db".');
  const file = resolve(options.folder ?? process.cwd(), name);
  if (options.mustExist && !existsSync(file)) {
    throw invalid(
      `There is no store at ${file}. Go to the folder where it is, name it with --store, or name a configuration file with --config.`,
    );
  }
  const { sqliteStore } = await import("../../stores/sqlite/index.ts");
  const { namespace, synchronous } = options;
  const store = sqliteStore({ file, ...(namespace && { namespace }), ...(synchronous && { synchronous }) });
  return { store, address: `sqlite:${file}` };
}

async function openRedis(url: string, options: StoreOptions): Promise<OpenedStore> {
  const { namespace, durability, spool, folder = process.cwd(), commandTimeout, connectWithin, clockSkew } = options;
  if (namespace === undefined) {
    throw invalid(
      'namespace: missing. A store on Redis needs one, the same as in your program: --namespace NAME, INDOUBT_NAMESPACE, or "namespace" in the configuration file.',
    );
  }
  const [{ redisStore }, { folderSpool }] = await Promise.all([
    import("../../stores/redis/index.ts"),
    import("../../spool/index.ts"),
  ]);
  const store = redisStore({
    url,
    namespace,
    spool: folderSpool({ folder: resolve(folder, spool ?? "indoubt.spool") }),
    ...(durability && { durability }),
    ...(commandTimeout !== undefined && { commandTimeout }),
    ...(connectWithin !== undefined && { connectWithin }),
    ...(clockSkew !== undefined && { clockSkew }),
  });
  return { store, address: withoutPassword(url) };
}

async function openMemory(): Promise<OpenedStore> {
  const { memoryStore } = await import("../../stores/memory/index.ts");
  return { store: memoryStore(), address: "memory:" };
}

const withoutPassword = (url: string): string => url.replace(/\/\/[^@/]*@/, "//***@");
