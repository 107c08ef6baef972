import { Redis } from "ioredis";
import { expect, onTestFinished, test } from "vitest";
import { created, intent, newGroup, newToken, swapOf, swapped } from "../../../adapters/testing/conformance/harness.ts";
import { open, pause, server } from "./support.ts";

async function expired() {
  const { url } = await server();
  const client = new Redis(url);
  onTestFinished(() => client.disconnect());
  const store = await open(url);
  const group = newGroup();
  const request = intent(group, { holds: ["e"], history: ["begun"], payload: "sealed" });
  await created(store, request);
  const leftovers = { due: { after: 0 }, attention: true, expireIn: 50 };
  await swapped(store, swapOf(group, request.id, 1, leftovers));
  await pause(80);
  return { store, client, group, request };
}

test("An operation begun again after it expired is in no index that only its former life was in", async () => {
  const { store, group, request } = await expired();
  await created(store, { ...request, token: newToken(), due: null, history: [] });
  expect((await store.list({ index: "attention" })).items).toEqual([]);
  expect((await store.list({ index: "open" })).items).toEqual([]);
  expect(await store.history(request.id)).toEqual([]);
  await created(store, intent(group));
});

test("What an expired record left is swept out by the next look", async () => {
  const { store, client, group } = await expired();
  expect((await store.due(10)).items).toEqual([]);
  await created(store, intent(group, { blockedBy: ["e"], due: null }));
  expect((await client.keys("*")).filter((key) => /:[oad]$/.test(key))).toEqual([]);
});
