import type { Cluster, Redis } from "ioredis";
import type { Spool } from "../../../src/entries/store.ts";
import { IndoubtError } from "../../../src/index.ts";
import { folderSpool } from "../../spool/index.ts";

interface CommonOptions {
  /**
   * Separates what different teams keep on one Redis. 1 to 32 of `a-z`, `0-9` and `-`.
   * @example "acme-agents"
   */
  readonly namespace: string;
  /**
   * Behind digests, ids and keys: at least 16 bytes, better 32 random ones, the same on every machine. It may be given to
   * `createGuard` instead. There is no default: a secret of one machine would give every machine other keys.
   * @example process.env.INDOUBT_SECRET
   */
  readonly secret?: string | Uint8Array | undefined;
  /**
   * Where outcomes go that Redis could not take, on this machine.
   * @default folderSpool() // ./indoubt.spool
   * @example folderSpool({ folder: "/var/lib/acme/indoubt.spool" })
   */
  readonly spool?: Spool;
  /**
   * How long one command may take, in ms, before the call fails with STORE_UNAVAILABLE.
   * @default 2000
   * @example 500
   */
  readonly commandTimeout?: number;
  /**
   * How long a call waits for a connection, in ms, before it fails with STORE_UNAVAILABLE.
   * @default 2000
   * @example 10_000
   */
  readonly connectWithin?: number;
  /**
   * When a write counts: `ack` when Redis answers; `replica` when a replica has it too (WAIT 1, one more round trip;
   * not on Redis Cluster). Without a replica in time the call fails with STORE_UNAVAILABLE, effect `possible`.
   * @default "ack"
   * @example "replica"
   */
  readonly durability?: "ack" | "replica";
  /**
   * How far, in ms, the clocks of those who issue intents may be ahead of the server's. After a restart or a failover of
   * Redis, or another loss, intents issued up to this long after it are suspect when they have no record.
   * @default 5000
   * @example 1000
   */
  readonly clockSkew?: number;
}

export type RedisStoreOptions = CommonOptions &
  (
    | {
        /**
         * `redis://`, `rediss://`, `redis+sentinel://host:26379,host:26379/name` or `redis+cluster://host:6379,host:6379`.
         * @example "redis://indoubt:secret@localhost:6379/0"
         */
        readonly url: string;
        readonly client?: never;
      }
    | {
        /**
         * An ioredis client of your own. It is not used itself: a duplicate with safe options is. `db` and `keyPrefix`
         * are kept.
         * @example new Redis({ host: "localhost", tls: {} })
         */
        readonly client: Redis | Cluster;
        readonly url?: never;
      }
  );

/** The options with their defaults. */
export interface Settings {
  readonly namespace: string;
  readonly commandTimeout: number;
  readonly connectWithin: number;
  readonly durability: "ack" | "replica";
  readonly clockSkew: number;
  readonly secret: Uint8Array | undefined;
  readonly spool: Spool;
}

const KNOWN = [
  "url",
  "client",
  "namespace",
  "secret",
  "spool",
  "commandTimeout",
  "connectWithin",
  "durability",
  "clockSkew",
];
const NAMESPACE = /^[a-z0-9-]{1,32}$/;

function duration(name: string, value: number | undefined, otherwise: number, least: number): number {
  const ms = value ?? otherwise;
  if (Number.isInteger(ms) && ms >= least) return ms;
  throw new IndoubtError("CONFIG_INVALID", `${name} is ${ms}. Give whole milliseconds, at least ${least}.`);
}

/** @throws IndoubtError CONFIG_INVALID */
export function readOptions(options: RedisStoreOptions): Settings {
  const unknown = Object.keys(options).find((name) => !KNOWN.includes(name));
  if (unknown !== undefined) {
    throw new IndoubtError("CONFIG_INVALID", `redisStore() has no option "${unknown}". It takes ${KNOWN.join(", ")}.`);
  }
  if (!NAMESPACE.test(options.namespace ?? "")) {
    throw new IndoubtError(
      "CONFIG_INVALID",
      'namespace must be 1 to 32 of a-z, 0-9 and "-", for example "acme-agents".',
    );
  }
  if ((options.url === undefined) === (options.client === undefined)) {
    throw new IndoubtError("CONFIG_INVALID", "Give redisStore() either a url or a client.");
  }
  const durability = options.durability ?? "ack";
  if (durability !== "ack" && durability !== "replica") {
    throw new IndoubtError("CONFIG_INVALID", `durability is "${durability}". It is "ack" or "replica".`);
  }
  return {
    namespace: options.namespace,
    commandTimeout: duration("commandTimeout", options.commandTimeout, 2000, 1),
    connectWithin: duration("connectWithin", options.connectWithin, 2000, 1),
    clockSkew: duration("clockSkew", options.clockSkew, 5000, 0),
    durability,
    secret: typeof options.secret === "string" ? Buffer.from(options.secret) : options.secret,
    spool: options.spool ?? folderSpool(),
  };
}
