/** Begins that leave in one script: each has its own answer, and none is spoiled by another one. */
import { Redis } from "ioredis";
import { expect, test } from "vitest";
import {
  change,
  created,
  intent,
  newGroup,
  newToken,
  recordOf,
} from "../../../adapters/testing/conformance/harness.ts";
import type { BeginRequest, Store } from "../../../src/entries/store.ts";
import { countOf, keyOf, open, server, startPath, withoutRoom } from "./support.ts";

const begin = (store: Store, requests: readonly BeginRequest[]) =>
  Promise.all(requests.map((request) => store.begin(request)));
const kindsOf = (replies: readonly { readonly kind: string }[]): string[] => replies.map(({ kind }) => kind);

async function scriptsRun(admin: Redis): Promise<number> {
  const stats = await admin.info("commandstats");
  return Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1] ?? 0);
}

test("one script carries them, and of equal ones one is created", async () => {
  const { url } = await server();
  const store = await open(url);
  const admin = new Redis(url);
  const group = newGroup();
  await created(store, intent(group)); // from now on the server knows the script
  const [first, other] = [intent(group, { history: ["begun"] }), intent(group)];
  const before = await scriptsRun(admin);
  const replies = await begin(store, [
    first,
    { ...first, token: newToken(), body: "another" },
    { ...first, token: newToken(), digest: "digest-2" },
    first,
    other,
  ]);

  expect((await scriptsRun(admin)) - before).toBe(1);
  admin.disconnect();
  expect(kindsOf(replies)).toEqual(["created", "exists", "mismatch", "created", "created"]);
  expect(replies[1]).toMatchObject({ record: { id: first.id, version: 1, body: first.body } });
  expect(replies[3]).toEqual(replies[0]);
  expect(await store.history(first.id)).toHaveLength(1);
});

test("of two that block each other one is held, by the other", async () => {
  const { url } = await server();
  const store = await open(url);
  const group = newGroup();
  const [first, second, apart] = [
    intent(group, { holds: ["twin"], blockedBy: ["twin"], payload: "sealed" }),
    intent(group, { holds: ["twin"], blockedBy: ["none", "twin"] }),
    intent(group, { holds: ["apart"], blockedBy: ["apart"] }),
  ];
  const replies = await begin(store, [first, second, apart]);

  expect(kindsOf(replies)).toEqual(["created", "held", "created"]);
  expect(replies[1]).toMatchObject({ entry: "twin", record: { id: first.id, version: 1, payload: "sealed" } });
  expect((await store.read(second.id)).record).toBeUndefined();
});

test("each applies its own deliveries, and one that exists applies none", async () => {
  const { url } = await server();
  const store = await open(url);
  const group = newGroup();
  const earlier = [intent(group), intent(group), intent(group)];
  await begin(store, earlier);
  const [one, two, three] = earlier as [BeginRequest, BeginRequest, BeginRequest];
  const replies = await begin(store, [
    { ...three, token: newToken(), acks: [change(one.id, 1)] },
    intent(group, { acks: [change(two.id, 1, { history: ["delivered"] }), change(three.id, 1)] }),
  ]);

  expect(kindsOf(replies)).toEqual(["exists", "created"]);
  const versions = await Promise.all(earlier.map(async ({ id }) => (await recordOf(store, id)).version));
  expect(versions).toEqual([1, 2, 2]);
  expect(await store.history(two.id)).toHaveLength(1);
});

test("each is judged by its own time of issue", async () => {
  const { url } = await server();
  const store = await open(url);
  const group = newGroup();
  const { now } = await created(store, intent(group));
  const replies = await begin(store, [
    intent(group, { issuedAt: now - 10_000, maxAge: 5_000 }),
    intent(group, { issuedAt: now, maxAge: 60_000 }),
  ]);
  expect(replies).toMatchObject([{ kind: "suspect", because: "intent_too_old" }, { kind: "created" }]);
});

test("one that the server breaks off midway does not keep the others from being written, and each write counts", async () => {
  const { url } = await server();
  const store = await open(url);
  const admin = new Redis(url);
  const group = newGroup();
  await created(store, intent(group));
  const count = await countOf(admin, group);
  const requests = Array.from({ length: 3 }, () =>
    intent(group, { history: ["begun"], payload: "sealed", holds: ["shared"] }),
  );
  const [before, broken, after] = requests as [BeginRequest, BeginRequest, BeginRequest];
  const history = await keyOf(admin, "h", broken);
  await admin.set(history, "no history");

  const replies = await Promise.allSettled(requests.map((request) => store.begin(request)));
  expect(replies).toMatchObject([
    { status: "fulfilled", value: { kind: "created" } },
    { status: "rejected", reason: { code: "STORE_UNAVAILABLE", effect: "possible" } },
    { status: "fulfilled", value: { kind: "created" } },
  ]);
  for (const { id } of [before, after]) {
    expect(await recordOf(store, id)).toMatchObject({ version: 1, payload: "sealed" });
    expect(await store.history(id)).toHaveLength(1);
  }
  expect((await store.read(broken.id)).record).toBeUndefined();
  expect((await countOf(admin, group)) - count).toBe(2);

  await admin.del(history);
  admin.disconnect();
  expect(kindsOf(await begin(store, requests))).toEqual(["created", "created", "created"]);
  expect(await store.history(broken.id)).toHaveLength(1);
  expect(await recordOf(store, broken.id)).toMatchObject({ payload: "sealed" });
});

test("a server without room refuses each before anything is written, and still tells of what exists", async () => {
  const { url } = await server();
  const store = await open(url);
  const admin = new Redis(url);
  const group = newGroup();
  const earlier = intent(group);
  await created(store, earlier);
  const requests = [intent(group, { acks: [change(earlier.id, 1)] }), intent(group, { history: ["begun"] })];
  await withoutRoom(admin, async () => {
    const all = [requests[0], { ...earlier, token: newToken() }, requests[1]] as BeginRequest[];
    const replies = await Promise.allSettled(all.map((request) => store.begin(request)));
    expect(replies).toMatchObject([
      { status: "rejected", reason: { code: "STORE_UNAVAILABLE", effect: "none" } },
      { status: "fulfilled", value: { kind: "exists" } },
      { status: "rejected", reason: { code: "STORE_UNAVAILABLE", effect: "none" } },
    ]);
  });
  admin.disconnect();
  expect(await recordOf(store, earlier.id)).toMatchObject({ version: 1 });
  expect(kindsOf(await begin(store, requests))).toEqual(["created", "created"]);
});

test("a lost answer is told to each, and sent again they cost one round trip and are written once", async () => {
  const path = await startPath((await server()).port);
  const store = await open(path.url);
  const group = newGroup();
  const first = intent(group);
  await created(store, first);
  const requests = Array.from({ length: 20 }, (_, n) =>
    intent(group, { history: ["begun"], holds: [`hold ${n}`], blockedBy: [`hold ${n}`] }),
  );
  path.loseNextAnswer();
  const lost = await Promise.allSettled(requests.map((request) => store.begin(request)));
  for (const reply of lost) {
    expect(reply).toMatchObject({ status: "rejected", reason: { code: "STORE_UNAVAILABLE", effect: "possible" } });
  }

  await recordOf(store, first.id); // the connection is back
  const before = path.roundTrips();
  const replies = await begin(store, requests);
  expect(kindsOf(replies)).toEqual(requests.map(() => "created"));
  expect(path.roundTrips() - before).toBe(1);
  for (const { id } of requests) expect(await store.history(id)).toHaveLength(1);
  const again = await begin(
    store,
    requests.map((request) => ({ ...request, token: newToken() })),
  );
  expect(kindsOf(again)).toEqual(requests.map(() => "exists"));
});

test("one that came too late by its own limit does not make the others late", async () => {
  const path = await startPath((await server()).port);
  const store = await open(path.url);
  const group = newGroup();
  await created(store, intent(group));
  path.freeze();
  const [short, long] = [intent(group, { within: 100 }), intent(group, { within: 10_000 })];
  const replies = begin(store, [short, long]);
  await new Promise((resolve) => setTimeout(resolve, 300));
  path.thaw();

  expect(kindsOf(await replies)).toEqual(["late", "created"]);
  expect((await store.read(short.id)).record).toBeUndefined();
});

test("they are sent again as a whole when the marks have changed meanwhile", async () => {
  const { url } = await server();
  const [store, other] = [await open(url), await open(url)];
  const group = newGroup();
  const { generation } = await created(store, intent(group));
  await created(other, intent(group));
  const { server: name, tool } = group;
  await other.suspend({ server: name, tool, reason: "drift", actor: "ops" });
  const replies = await begin(store, [intent(group), intent(group)]);
  await other.lift(name, tool);

  expect(kindsOf(replies)).toEqual(["created", "created"]);
  for (const reply of replies) expect("generation" in reply && reply.generation).toBeGreaterThan(generation);
});

test("groups do not share a script", async () => {
  const { url } = await server();
  const store = await open(url);
  const requests = [newGroup(), newGroup()].flatMap((group) => [intent(group), intent(group)]);
  expect(kindsOf(await begin(store, requests))).toEqual(requests.map(() => "created"));
  for (const { id, group } of requests) expect(await recordOf(store, id)).toMatchObject({ group });
});
