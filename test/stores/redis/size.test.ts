import { Redis } from "ioredis";
import { expect, onTestFinished, test } from "vitest";
import { inBatches } from "../../../adapters/stores/redis/batches.ts";
import { created, intent, newGroup, swapOf, swapped } from "../../../adapters/testing/conformance/harness.ts";
import { open, server } from "./support.ts";

async function started() {
  const { url } = await server({ appendfsync: "no" });
  const client = new Redis(url);
  onTestFinished(() => client.disconnect());
  return { url, client };
}

test("A settled record without payload takes at most 300 bytes", async () => {
  const { url, client } = await started();
  const store = await open(url, { namespace: "acme-agents" });
  const request = intent(newGroup(), { digest: "d".repeat(16), holds: ["e"] });
  await created(store, request);
  const settled = { body: "b".repeat(60), removeHolds: ["e"], expireIn: 2_592_000_000 };
  await swapped(store, swapOf(request.group, request.id, 1, settled));
  const keys = await client.keys(`*${request.id.slice(11)}*`);
  expect(keys).toHaveLength(1);
  const bytes = await client.memory("USAGE", keys[0] ?? "");
  expect(bytes).toBeLessThanOrEqual(300);
  expect(await client.pttl(keys[0] ?? "")).toBeGreaterThan(2_591_000_000);
});

test("A thousand groups are swept oldest first, with one short script for each", async () => {
  const { url, client } = await started();
  const store = await open(url);
  const groups = Array.from({ length: 1000 }, (_, n) => newGroup("server", `tool-${n}`));
  const now = Date.now();
  await inBatches(groups, (group) => created(store, intent(group, { due: now - Number(group.tool.slice(5)) })));
  const sweeper = await open(url);
  await sweeper.due(1);
  await client.config("RESETSTAT");
  const { items } = await sweeper.due(5);
  expect(items.map(({ group }) => group.tool)).toEqual(["tool-999", "tool-998", "tool-997", "tool-996", "tool-995"]);
  const calls = Number(/cmdstat_evalsha:calls=(\d+)/.exec(await client.info("commandstats"))?.[1]);
  expect(calls).toBeLessThanOrEqual(1000 + 5);
});
