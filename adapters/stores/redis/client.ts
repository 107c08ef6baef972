/** The ioredis client behind a store, with the options under which it repeats nothing by itself. */
import { Cluster, type ClusterOptions, Redis, type RedisOptions } from "ioredis";
import { IndoubtError } from "../../../src/index.ts";
import type { RedisStoreOptions, Settings } from "./options.ts";
import { readUrl } from "./url.ts";

export type Client = Redis | Cluster;

/** 50 ms, doubling up to 2 s, with a random part so that a fleet does not come back at once. */
const backoff = (times: number): number => Math.min(2000, 25 * 2 ** Math.min(times, 8)) * (0.75 + Math.random() / 2);

/**
 * With its defaults ioredis executes a script twice after a dropped connection, also when the caller was already told
 * that it timed out, and sends commands late from its offline queue.
 */
export function pinnedOptions({ commandTimeout, connectWithin }: Settings) {
  return {
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout,
    connectTimeout: Math.max(connectWithin, 1000),
    enableAutoPipelining: false,
    enableReadyCheck: true,
    reconnectOnError: null,
    autoResubscribe: false,
    retryStrategy: backoff,
    keepAlive: 5000,
    noDelay: true,
    readOnly: false,
    monitor: false,
    stringNumbers: false,
    replyMapping: "legacy",
    lazyConnect: true,
  } satisfies RedisOptions;
}

/** What the constructor of a cluster client takes. */
type PinnedClusterOptions = NonNullable<ConstructorParameters<typeof Cluster>[1]>;

export function pinnedClusterOptions(settings: Settings, options: RedisOptions): PinnedClusterOptions {
  const { retryStrategy, enableOfflineQueue, readOnly, ...pinned } = pinnedOptions(settings);
  return {
    enableOfflineQueue: false,
    enableAutoPipelining: false,
    enableReadyCheck: true,
    retryDelayOnFailover: 0,
    scaleReads: "master",
    clusterRetryStrategy: backoff,
    clusterNodeRetryStrategy: backoff,
    lazyConnect: true,
    redisOptions: { ...options, ...pinned, socketTimeout: settings.commandTimeout * 2 },
  } satisfies ClusterOptions;
}

function duplicate(client: Client, settings: Settings): Client {
  const prefix = client.options.keyPrefix ?? "";
  if (/[{}]/.test(prefix)) {
    const text = `The client's keyPrefix "${prefix}" contains a brace, which would spread one group over several slots.`;
    throw new IndoubtError("CONFIG_INVALID", `${text} Give a client without it.`);
  }
  if (client instanceof Redis) return client.duplicate(pinnedOptions(settings));
  const own = client.options.redisOptions ?? {};
  return client.duplicate([], pinnedClusterOptions(settings, own));
}

/** @throws IndoubtError CONFIG_INVALID */
export function createClient(options: RedisStoreOptions, settings: Settings): Client {
  const client = options.client === undefined ? connect(options.url, settings) : duplicate(options.client, settings);
  if (client instanceof Cluster && settings.durability === "replica") {
    const text =
      'durability: "replica" is not on Redis Cluster: WAIT cannot be told which node to ask. Use "ack", and min-replicas-to-write 1 on its nodes.';
    throw new IndoubtError("CONFIG_INVALID", text);
  }
  return client;
}

function connect(url: string, settings: Settings): Client {
  const target = readUrl(url);
  if (target.kind !== "cluster") return new Redis({ ...target.options, ...pinnedOptions(settings) });
  return new Cluster([...target.nodes], pinnedClusterOptions(settings, target.options));
}
