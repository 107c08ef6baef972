/** A guard on a real store, operations that wait in it, and a page that shows them. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { redisStore } from "../../../adapters/stores/redis/index.ts";
import { sqliteStore } from "../../../adapters/stores/sqlite/index.ts";
import { type Page, type PageOptions, startPage } from "../../../adapters/surfaces/page/index.ts";
import type { Store } from "../../../src/entries/store.ts";
import { createGuard, type Guard, type GuardOptions, type JsonObject } from "../../../src/index.ts";
import { type RedisServer, startRedis } from "../../support/redis.ts";
import { type CallOptions, callTool, untilUnresolved } from "./calls.ts";

export type StoreName = "sqlite" | "redis";
export const STORES: readonly StoreName[] = ["sqlite", "redis"];

export interface WorldOptions {
  /** @default "sqlite" */
  readonly store?: StoreName;
  readonly page?: Omit<PageOptions, "guard">;
  readonly guard?: Partial<GuardOptions>;
  /** Stands between guard and store. */
  readonly wrap?: (store: Store) => Store;
}

export interface World {
  readonly guard: Guard;
  readonly page: Page;
  /** Only with `store: "redis"`. */
  readonly redis: RedisServer | undefined;
  /** A call that ended in silence. @returns the operation's id */
  doubt(tool: string, args?: JsonObject, options?: CallOptions): Promise<string>;
  /** The same, and no write can land any more: it waits for a person. */
  waiting(tool: string, args?: JsonObject): Promise<string>;
}

const SECRET = "a secret of the tests of the page";
/** Short limits, so that what takes minutes in life takes moments here. */
export const QUICK = { deadline: 400, settle: 20 } as const;
export const SERVER = "billing";

export async function world(options: WorldOptions = {}): Promise<World> {
  const { store, redis } = await openStore(options.store ?? "sqlite");
  const tools = {
    charge_card: QUICK,
    create_invoice: QUICK,
    send_email: QUICK,
    slow_export: { deadline: 400, settle: "10m" },
  } as const;
  const guard = createGuard({
    sweepEvery: "1h",
    servers: { [SERVER]: { tools } },
    ...options.guard,
    store: options.wrap ? options.wrap(store) : store,
    secret: SECRET,
  });
  onTestFinished(() => guard.close({ within: 0 }).catch(() => {}));
  const page = await startPage({ port: 0, operator: "on-call", everyMs: 100, ...options.page, guard });
  onTestFinished(() => page.close());
  let number = 0;
  const doubt = async (tool: string, args: JsonObject = { order: `o-${++number}` }, call: CallOptions = {}) =>
    (await callTool(guard, [SERVER, tool], args, call)).operation;
  return {
    guard,
    page,
    redis,
    doubt,
    async waiting(tool, args) {
      const id = await doubt(tool, args);
      await untilUnresolved(guard, id);
      return id;
    },
  };
}

async function openStore(name: StoreName): Promise<{ store: Store; redis: RedisServer | undefined }> {
  if (name === "redis") {
    const redis = await startRedis();
    onTestFinished(() => redis.stop());
    return { store: redisStore({ url: redis.url, namespace: "page" }), redis };
  }
  const folder = mkdtempSync(join(tmpdir(), "indoubt-page-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return { store: sqliteStore({ file: join(folder, "indoubt.db") }), redis: undefined };
}
