/** What INFO says about the server, and what follows from it. No CONFIG right is needed. */

export interface ServerFacts {
  readonly version: string;
  readonly role: string;
  /** First 16 characters of the run id: another one is another life of the server. */
  readonly runId: string;
  /** When this life began, in ms of the server's clock, to the second below; 0 if it took over from another server. */
  readonly startedAt: number;
  readonly policy: string | undefined;
  readonly maxmemory: number;
  readonly appendOnly: boolean;
  readonly replicas: number;
  /** `min-replicas-to-write` is set. */
  readonly replicaFloor: boolean;
  readonly multiMaster: boolean;
  readonly dragonfly: boolean;
}

const REPLACED = /[^0]/;

/** @param time the server's clock, in ms */
export function readInfo(info: string, time: number): ServerFacts {
  const fields = new Map<string, string>();
  for (const line of info.split("\r\n")) {
    const colon = line.indexOf(":");
    if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 1));
  }
  const number = (name: string) => Number(fields.get(name) ?? 0);
  const promoted = REPLACED.test(fields.get("master_replid2") ?? "");
  return {
    version: fields.get("redis_version") ?? "",
    role: fields.get("role") ?? "",
    runId: (fields.get("run_id") ?? "unknown").slice(0, 16).padEnd(16, "_"),
    startedAt: promoted ? 0 : (Math.floor(time / 1000) - number("uptime_in_seconds")) * 1000,
    policy: fields.get("maxmemory_policy"),
    maxmemory: number("maxmemory"),
    appendOnly: fields.get("aof_enabled") === "1",
    replicas: number("connected_slaves"),
    replicaFloor: fields.has("min_slaves_good_slaves"),
    multiMaster: fields.get("role") === "active-replica" || fields.has("mvcc_depth") || /module:name=crdt/.test(info),
    dragonfly: fields.has("dragonfly_version"),
  };
}

const isOlderThan = (version: string, major: number, minor: number): boolean => {
  const [ours = 0, theirs = 0] = version.split(".").map(Number);
  return ours < major || (ours === major && theirs < minor);
};

/** Why this server must not be used, with the cure; `undefined` if it may. */
export function refusalOf(facts: ServerFacts): string | undefined {
  if (facts.multiMaster) {
    return (
      "This server resolves concurrent writes by itself (KeyDB active replica or an active-active database), so two " +
      "clients can both win. Use a Redis or Valkey with one primary."
    );
  }
  if (isOlderThan(facts.version, 6, 2)) {
    return `Redis ${facts.version} is too old. Use Redis 6.2 or newer, or Valkey.`;
  }
  if (facts.role !== "master") {
    return `This server is a replica (role "${facts.role}"). Give the address of the primary, or use redis+sentinel://.`;
  }
  if (facts.policy !== undefined && facts.policy !== "noeviction") {
    return (
      `maxmemory-policy is "${facts.policy}": records of writes in doubt could be evicted, and the writes repeated. ` +
      "Run CONFIG SET maxmemory-policy noeviction (and put it in redis.conf), or use another server."
    );
  }
  return undefined;
}

/** What this set-up does not protect against, each with its cure. */
export function warningsOf(facts: ServerFacts): string[] {
  const warnings: string[] = [];
  if (!facts.appendOnly) {
    warnings.push(
      "The append-only file is off: when the Redis process ends, the record of every write is lost. " +
        "Run CONFIG SET appendonly yes (and put it in redis.conf), or make sure the provider persists every write.",
    );
  }
  if (facts.replicas > 0 && !facts.replicaFloor) {
    warnings.push(
      "There are replicas but no min-replicas-to-write: after a failover the newest writes may be missing. " +
        'Set min-replicas-to-write 1, and durability: "replica" where that matters.',
    );
  }
  if (facts.policy === undefined) {
    warnings.push("The server does not tell its maxmemory-policy. Make sure that it never evicts keys (noeviction).");
  }
  if (facts.dragonfly) warnings.push("Dragonfly was not tested. Use Redis 6.2 or newer, or Valkey.");
  return warnings;
}
