/** A real cluster of three primaries. */
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type RedisStore, redisStore } from "../../../adapters/stores/redis/index.ts";
import { created, intent, newGroup, newToken, swapOf, swapped } from "../../../adapters/testing/conformance/harness.ts";
import { type StoreHarness, storeSuite } from "../../../adapters/testing/index.ts";
import type { Group } from "../../../src/entries/store.ts";
import { type RedisServer, startRedis } from "../../support/redis.ts";
import { pause } from "./support.ts";

const SLOTS = 16_384;
let nodes: RedisServer[] = [];
let url = "";
let count = 0;

beforeAll(async () => {
  const args = ["--cluster-enabled", "yes", "--cluster-node-timeout", "2000"];
  nodes = await Promise.all([1, 2, 3].map(() => startRedis({ args })));
  const admins = nodes.map((node) => new Redis(node.url));
  const share = Math.ceil(SLOTS / nodes.length);
  for (const [n, admin] of admins.entries()) {
    await admin.call("CLUSTER", "ADDSLOTSRANGE", n * share, Math.min(SLOTS, (n + 1) * share) - 1);
    await admin.call("CLUSTER", "SET-CONFIG-EPOCH", n + 1);
    if (n > 0) await admin.call("CLUSTER", "MEET", "127.0.0.1", nodes[0]?.port ?? 0);
  }
  const isReady = async (admin: Redis) => String(await admin.call("CLUSTER", "INFO")).includes("cluster_state:ok");
  while (!(await Promise.all(admins.map(isReady))).every(Boolean)) await pause(50);
  for (const admin of admins) admin.disconnect();
  url = `redis+cluster://${nodes.map((node) => `127.0.0.1:${node.port}`).join(",")}`;
});
afterAll(async () => {
  await Promise.all(nodes.map((node) => node.kill9()));
});

const openIn = (namespace: string): RedisStore => redisStore({ url, namespace, clockSkew: 0 });

describe("The Redis store on a cluster keeps the promises of a store", () => {
  const namespaces = new WeakMap<object, string>();
  const remember = (namespace: string) => {
    const store = openIn(namespace);
    namespaces.set(store, namespace);
    return store;
  };
  const harness: StoreHarness = {
    open: async () => remember(`cluster-${++count}`),
    reopen: async (store) => remember(namespaces.get(store) ?? ""),
    lose: async () => {
      for (const node of nodes) {
        const admin = new Redis(node.url);
        await admin.flushall();
        admin.disconnect();
      }
    },
  };
  for (const { name, run } of storeSuite) test(name, () => run(harness));
});

/** The slot of this key is on its way to another node, and no key has moved yet. @returns ends it */
async function moving(key: string): Promise<() => Promise<void>> {
  const admins = nodes.map((node) => new Redis(node.url));
  const ids = await Promise.all(admins.map(async (admin) => String(await admin.call("CLUSTER", "MYID"))));
  const slot = Number(await admins[0]?.call("CLUSTER", "KEYSLOT", key));
  const from = Math.floor(slot / Math.ceil(SLOTS / nodes.length));
  const to = (from + 1) % nodes.length;
  await admins[to]?.call("CLUSTER", "SETSLOT", slot, "IMPORTING", ids[from] ?? "");
  await admins[from]?.call("CLUSTER", "SETSLOT", slot, "MIGRATING", ids[to] ?? "");
  return async () => {
    for (const n of [from, to]) await admins[n]?.call("CLUSTER", "SETSLOT", slot, "STABLE");
    for (const admin of admins) admin.disconnect();
  };
}

describe("On a cluster", () => {
  async function opened(namespace: string): Promise<RedisStore> {
    const store = openIn(namespace);
    onTestFinished(() => store.close());
    await store.open();
    return store;
  }

  test("groups lie on all nodes and are swept from all of them", async () => {
    const store = await opened("spread");
    const groups = Array.from({ length: 30 }, () => newGroup());
    for (const group of groups) await created(store, intent(group, { due: { after: 0 } }));
    const sizes = await Promise.all(
      nodes.map(async (node) => {
        const admin = new Redis(node.url);
        const keys = await admin.keys("in1:{spread.*:r:*");
        admin.disconnect();
        return keys.length;
      }),
    );
    expect(sizes.every((size) => size > 0)).toBe(true);
    expect((await (await opened("spread")).due(100)).items).toHaveLength(30);
  });

  test("a node that restarts is noticed by the scripts themselves", async () => {
    const store = await opened("restart");
    const groups = Array.from({ length: 12 }, () => newGroup());
    const before = new Map<string, number>();
    for (const group of groups) before.set(group.tag, (await created(store, intent(group))).now);
    await pause(1_100);
    await nodes[1]?.kill9();
    await nodes[1]?.restart();
    const seen = new Map<string, Group>();
    for (const group of groups) {
      const request = intent(group, { issuedAt: before.get(group.tag) ?? 0 });
      let kind = "away";
      const begin = async () => {
        kind = await store.begin({ ...request, token: newToken() }).then(
          (reply) => reply.kind,
          () => "away",
        );
        return kind;
      };
      await expect.poll(begin).not.toBe("away");
      seen.set(kind === "suspect" ? "lost" : "kept", group);
    }
    expect([...seen.keys()].sort()).toEqual(["kept", "lost"]);
    for (const group of seen.values()) {
      const request = intent(group);
      const { lossAt } = await created(store, request);
      await swapped(store, { ...swapOf(group, request.id, 1), ...(lossAt && { lossAt }) });
    }
  });

  test("while its slot moves, a swap is whole or not at all", async () => {
    const store = await opened("moves");
    const group = newGroup();
    const requests = Array.from({ length: 2 }, () => intent(group));
    for (const request of requests) await created(store, request);
    const other = intent(group, { holds: ["other"], due: { after: 60_000 }, attention: true });
    await created(store, other); // so that each index is there
    const changes = { body: "in doubt", due: { after: 0 }, attention: true, history: ["doubt"] } as const;
    const swaps = requests.map(({ id }) => swapOf(group, id, 1, changes));
    const endMove = await moving(`in1:{moves.${group.tag}}:m`);
    const first = await Promise.allSettled(swaps.map((swap) => store.swap(swap)));
    await endMove();
    const after = await Promise.all(requests.map(async ({ id }) => (await store.read(id)).record?.version));

    expect(first.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(after).toEqual([1, 1]);
    for (const swap of swaps) await swapped(store, swap);
    for (const { id } of requests) expect(await store.history(id)).toHaveLength(1);
    expect((await store.due(100)).items.map(({ id }) => id).sort()).toEqual(requests.map(({ id }) => id).sort());
  });

  test("while its slot moves, begins of one turn are refused before anything is written", async () => {
    const store = await opened("moves");
    const group = newGroup();
    // so that each index is there
    await created(store, intent(group, { holds: ["other"], attention: true, history: ["begun"], journal: ["begun"] }));
    const requests = ["one", "two"].map((hold) =>
      intent(group, { holds: [hold], blockedBy: [hold], history: ["begun"], payload: "sealed" }),
    );
    const endMove = await moving(`in1:{moves.${group.tag}}:m`);
    const first = await Promise.allSettled(requests.map((request) => store.begin(request)));
    await endMove();

    const refused = { code: "STORE_UNAVAILABLE", message: expect.stringMatching(/TRYAGAIN|redirections/) };
    for (const reply of first) expect(reply).toMatchObject({ status: "rejected", reason: refused });
    for (const { id } of requests) expect((await store.read(id)).record).toBeUndefined();
    for (const request of requests) await created(store, request);
    for (const { id } of requests) expect(await store.history(id)).toHaveLength(1);
  });

  test("durability on a replica is refused, since WAIT cannot be told which node to ask", () => {
    expect(() => redisStore({ url, namespace: "wait", durability: "replica" })).toThrow(/Redis Cluster/);
  });
});
