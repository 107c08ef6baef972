/** Stores with operations in doubt, made by a real guard. */
import { join } from "node:path";
import { Redis } from "ioredis";
import { onTestFinished } from "vitest";
import { redisStore } from "../../../adapters/stores/redis/index.ts";
import { sqliteStore } from "../../../adapters/stores/sqlite/index.ts";
import type { Store } from "../../../src/entries/store.ts";
import { createGuard, type Guard, guardFunction, type JsonObject } from "../../../src/index.ts";
import { type RedisServer, startRedis } from "../../support/redis.ts";

export const SECRET = "a secret of the command line tests";
export const NAMESPACE = "cli-tests";

/** A store and the options by which the command finds it. */
export interface Place {
  readonly kind: "sqlite" | "redis";
  readonly cwd: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** A handle of a program that shares the store. */
  open(): Store;
}

export function sqlitePlace(cwd: string): Place {
  return { kind: "sqlite", cwd, args: [], env: {}, open: () => sqliteStore({ file: join(cwd, "indoubt.db") }) };
}

let server: Promise<RedisServer> | undefined;

export interface RedisPlace extends Place {
  /** Makes a user who may read only. @returns the options to come as that user */
  forbidWrites(): Promise<string[]>;
}

export async function redisPlace(cwd: string): Promise<RedisPlace> {
  server ??= startRedis();
  const { url } = await server;
  const namespace = `${NAMESPACE}-${Math.random().toString(36).slice(2, 8)}`;
  return {
    kind: "redis",
    cwd,
    args: ["--store", url, "--namespace", namespace],
    env: { INDOUBT_SECRET: SECRET },
    open: () => redisStore({ url, namespace, secret: SECRET }),
    async forbidWrites() {
      const admin = new Redis(url);
      await admin.call("ACL", "SETUSER", "reader", "on", ">reader", "~*", "+@all", "-@write", "-@dangerous", "+info");
      await admin.quit();
      return ["--store", url.replace("redis://", "redis://reader:reader@"), "--namespace", namespace];
    },
  };
}

export const stopRedis = async (): Promise<void> => (await server)?.stop();

export interface Doubt {
  readonly server?: string;
  readonly tool?: string;
  readonly arguments?: JsonObject;
}

/** A guard whose server never answers: its writes are in doubt, and after `settle` (50 ms) they wait for a person. */
export function guardOf(store: Store, names: readonly Required<Pick<Doubt, "server" | "tool">>[]): Guard {
  const servers: Record<string, { tools: Record<string, { settle: number }> }> = {};
  for (const { server, tool } of names) {
    servers[server] ??= { tools: {} };
    servers[server].tools[tool] = { settle: 50 };
  }
  const guard = createGuard({ store, servers, sweepEvery: 50 });
  onTestFinished(() => guard.close({ within: 0 }).catch(() => {}));
  return guard;
}

/** Puts operations into the queue of a place. @returns their ids */
export async function doubts(place: Place, wanted: readonly Doubt[]): Promise<string[]> {
  const each = wanted.map(({ server = "billing", tool = "charge_card", arguments: args }, index) => ({
    server,
    tool,
    args: args ?? { order: `o-${index}`, cents: 9000 },
  }));
  const guard = guardOf(place.open(), each);
  const ids: string[] = [];
  for (const { server, tool, args } of each) {
    const lost = guardFunction(guard, { server, tool }, () => Promise.reject(new Error("the reply was lost")));
    ids.push((await lost(args)).operation ?? "");
  }
  for (let tries = 0; tries < 200; tries++) {
    await guard.sweep();
    if ((await guard.queue.list({ limit: 1000 })).items.length >= ids.length) break;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  await guard.close();
  return ids;
}
