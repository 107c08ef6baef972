/** Swaps that leave in one script: none is spoiled by another one. */
import { Redis } from "ioredis";
import { expect, test } from "vitest";
import { change, created, intent, newGroup, recordOf, swapOf } from "../../../adapters/testing/conformance/harness.ts";
import { countOf, keyOf, open, server, startPath, withoutRoom } from "./support.ts";

test("a record that the script cannot handle does not keep the others from being written", async () => {
  const { url } = await server();
  const store = await open(url);
  const admin = new Redis(url);
  const group = newGroup();
  const requests = Array.from({ length: 3 }, () => intent(group, { history: ["begun"] }));
  for (const request of requests) await created(store, request);
  const [before, broken, after] = requests.map(({ id }) => id) as [string, string, string];
  const [key = ""] = await admin.keys(`*:r:${broken.slice(group.tag.length + 1)}`);
  await admin.multi().del(key).rpush(key, "no record").exec();

  const swap = (id: string) => store.swap(swapOf(group, id, 1, { body: "settled", history: ["settled"] }));
  const [one, bad, two] = await Promise.allSettled([swap(before), swap(broken), swap(after)]);
  admin.disconnect();

  expect(bad).toMatchObject({ status: "rejected", reason: { code: "STORE_UNAVAILABLE", effect: "possible" } });
  for (const [reply, id] of [
    [one, before],
    [two, after],
  ] as const) {
    expect(reply).toMatchObject({ status: "fulfilled", value: { kind: "swapped", version: 2 } });
    expect(await recordOf(store, id)).toMatchObject({ version: 2, body: "settled" });
    expect(await store.history(id)).toHaveLength(2);
  }
});

test("a swap that the server breaks off midway is no swap, and is whole when it is sent again", async () => {
  const { url } = await server();
  const store = await open(url);
  const admin = new Redis(url);
  const group = newGroup();
  const requests = Array.from({ length: 2 }, () => intent(group));
  for (const request of requests) await created(store, request);
  const [sound, broken] = requests.map(({ id }) => id) as [string, string];
  const [key = ""] = await admin.keys(`*:r:${broken.slice(group.tag.length + 1)}`);
  await admin.set(key.replace(":r:", ":h:"), "no history");

  const count = await countOf(admin, group);
  const swaps = [sound, broken].map((id) => swapOf(group, id, 1, { due: { after: 0 }, history: ["settled"] }));
  const replies = await Promise.allSettled(swaps.map((swap) => store.swap(swap)));
  expect(replies.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
  expect((await countOf(admin, group)) - count, "the sound one counts, for a loss of it must be noticed").toBe(1);
  expect(await recordOf(store, broken)).toMatchObject({ version: 1 });

  await admin.del(key.replace(":r:", ":h:"));
  admin.disconnect();
  for (const swap of swaps) expect(await store.swap(swap)).toMatchObject({ kind: "swapped", version: 2 });
  const due = (await store.due(100)).items.map(({ id }) => id);
  expect(due).toEqual(expect.arrayContaining([sound, broken]));
  expect(await store.history(broken)).toHaveLength(1);
});

test("a begin that the server breaks off midway is no begin, and has its holds when it is sent again", async () => {
  const { url } = await server();
  const store = await open(url);
  const admin = new Redis(url);
  const group = newGroup();
  const request = intent(group, { holds: ["twin"], blockedBy: ["twin"], history: ["begun"] });
  await created(store, intent(group));
  const history = await keyOf(admin, "h", request);
  await admin.set(history, "no history");

  await expect(store.begin(request)).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  expect((await store.read(request.id)).record).toBeUndefined();
  await admin.del(history);
  admin.disconnect();
  await created(store, request);
  expect(await store.begin(intent(group, { holds: ["twin"], blockedBy: ["twin"] }))).toMatchObject({ kind: "held" });
  expect((await store.begin(request)).kind).toBe("created");
});

test("a server without room refuses a begin as a whole, also one that frees room on the way", async () => {
  const { url } = await server();
  const store = await open(url);
  const admin = new Redis(url);
  const group = newGroup();
  const earlier = intent(group);
  await created(store, earlier);
  const request = intent(group, { acks: [change(earlier.id, 1)] });
  await withoutRoom(admin, async () => {
    await expect(store.begin(request)).rejects.toMatchObject({ code: "STORE_UNAVAILABLE", effect: "none" });
  });
  admin.disconnect();
  expect(await recordOf(store, earlier.id)).toMatchObject({ version: 1 });
  await created(store, request);
});

test("a lost answer is told to each, and sent again they cost one round trip", async () => {
  const path = await startPath((await server()).port);
  const store = await open(path.url);
  const group = newGroup();
  const requests = Array.from({ length: 20 }, () => intent(group));
  for (const request of requests) await created(store, request);
  const swaps = requests.map(({ id }) => swapOf(group, id, 1));
  path.loseNextAnswer();

  const lost = await Promise.allSettled(swaps.map((swap) => store.swap(swap)));
  expect(lost.map(({ status }) => status)).toEqual(swaps.map(() => "rejected"));

  await recordOf(store, requests[0]?.id ?? ""); // the connection is back
  const before = path.roundTrips();
  const replies = await Promise.all(swaps.map((swap) => store.swap(swap)));
  expect(replies.map(({ kind }) => kind)).toEqual(swaps.map(() => "swapped"));
  expect(path.roundTrips() - before).toBe(1);
  expect((await recordOf(store, requests[7]?.id ?? "")).version).toBe(2);
});

test("one that came too late by its own limit does not make the others late", async () => {
  const path = await startPath((await server()).port);
  const store = await open(path.url);
  const group = newGroup();
  const [short, long] = [intent(group), intent(group)];
  for (const request of [short, long]) await created(store, request);
  path.freeze();
  const replies = Promise.all([
    store.swap(swapOf(group, short.id, 1, { within: 100 })),
    store.swap(swapOf(group, long.id, 1, { within: 10_000 })),
  ]);
  await new Promise((resolve) => setTimeout(resolve, 300));
  path.thaw();

  expect((await replies).map(({ kind }) => kind)).toEqual(["late", "swapped"]);
});
