/** Proof that the conformance suite notices a broken script. */
import { readFileSync } from "node:fs";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ScriptTexts } from "../../../adapters/stores/redis/connection.ts";
import { redisStoreWith } from "../../../adapters/stores/redis/redis-store.ts";
import { type StoreCase, type StoreHarness, storeSuite } from "../../../adapters/testing/index.ts";
import { luaScripts } from "../../../scripts/generate-lua.ts";
import { type RedisServer, startRedis } from "../../support/redis.ts";
import { flush, rollBack } from "./losses.ts";
import { redisMutants } from "./mutants.ts";

const root = new URL("../../../", import.meta.url);
let redis: RedisServer;
let admin: Redis;
let count = 0;

beforeAll(async () => {
  redis = await startRedis({ appendfsync: "no" });
  admin = new Redis(redis.url);
});
afterAll(async () => {
  admin.disconnect();
  await redis.stop();
});

/** The scripts as they are when `file` says `text`. */
function scriptsWith(file: string, text: string): ScriptTexts {
  const read = (name: string) =>
    file.endsWith(`/${name}`) ? text : readFileSync(new URL(`adapters/stores/redis/lua/${name}`, root), "utf8");
  const entries = luaScripts(read, { strict: false }).map(({ name, lua }) => [name, { lua }]);
  return Object.fromEntries(entries) as ScriptTexts;
}

function harnessOf(scripts: ScriptTexts, lose: (admin: Redis) => Promise<void>): StoreHarness {
  const namespaces = new WeakMap<object, string>();
  const openIn = (namespace: string) => {
    const store = redisStoreWith({ url: redis.url, namespace }, scripts);
    namespaces.set(store, namespace);
    return store;
  };
  return {
    open: async () => openIn(`mutant-${++count}`),
    reopen: async (store) => openIn(namespaces.get(store) ?? ""),
    lose: () => lose(admin),
  };
}

/**
 * Names of the cases that fail. Most run side by side, so that their waits overlap; a case counts when it fails alone,
 * too. Cases that lose data run alone.
 */
async function failuresOf(scripts: ScriptTexts): Promise<string[]> {
  const failed: string[] = [];
  const passes = (each: StoreCase, lose = flush) =>
    each.run(harnessOf(scripts, lose)).then(
      () => true,
      () => false,
    );
  const [losing, others] = [storeSuite.filter(isLosing), storeSuite.filter((each) => !isLosing(each))];
  const results = await Promise.all(others.map((each) => passes(each)));
  for (const [n, each] of others.entries()) {
    if (failed.length === 0 && !results[n] && !(await passes(each))) failed.push(each.name);
  }
  for (const lose of [flush, rollBack]) {
    for (const each of losing) if (failed.length === 0 && !(await passes(each, lose))) failed.push(each.name);
  }
  return failed;
}

const isLosing = ({ needs }: StoreCase): boolean => needs.includes("lose");

describe("The conformance suite", () => {
  test("passes on the scripts as they are, run this way", async () => {
    expect(await failuresOf(scriptsWith("", ""))).toEqual([]);
  });

  test.each(redisMutants)("notices when $name", async ({ file, find, replace }) => {
    const text = readFileSync(new URL(file, root), "utf8");
    expect(text.split(find), "the text to replace must be there, once").toHaveLength(2);
    expect(
      await failuresOf(
        scriptsWith(
          file,
          text.replace(find, () => replace),
        ),
      ),
    ).not.toEqual([]);
  });
});
