import { Redis } from "ioredis";
import { describe, expect, test } from "vitest";
import {
  assertNothing,
  created,
  intent,
  newGroup,
  newToken,
  recordOf,
  swapOf,
} from "../../../adapters/testing/conformance/harness.ts";
import { open, pause, server, startPath } from "./support.ts";

const unknown = { name: "IndoubtError", code: "STORE_UNAVAILABLE", effect: "possible" };

describe("When the answer to a write is lost", () => {
  test("the begin says so, and sent again with its token it is written once", async () => {
    const path = await startPath((await server()).port);
    const store = await open(path.url);
    const group = newGroup();
    await created(store, intent(group));
    const request = intent(group, { history: ["begun"] });
    path.loseNextAnswer();
    await expect(store.begin(request)).rejects.toMatchObject(unknown);
    expect((await recordOf(store, request.id)).version).toBe(1);
    await created(store, request);
    expect(await store.history(request.id)).toHaveLength(1);
  });

  test("the swap says so, and sent again with its token it is written once", async () => {
    const path = await startPath((await server()).port);
    const store = await open(path.url);
    const request = intent(newGroup());
    await created(store, request);
    const swap = swapOf(request.group, request.id, 1, { history: ["settled"] });
    path.loseNextAnswer();
    await expect(store.swap(swap)).rejects.toMatchObject(unknown);
    expect(await store.swap(swap)).toMatchObject({ kind: "swapped", version: 2 });
    expect(await store.history(request.id)).toHaveLength(1);
  });

  test("a killed connection is told, comes back by itself, and nothing is sent twice", async () => {
    const { url } = await server();
    const store = await open(url);
    const admin = new Redis(url);
    const group = newGroup();
    await created(store, intent(group));
    const request = intent(group, { history: ["begun"] });
    await admin.call("CLIENT", "PAUSE", "300", "ALL");
    const begun = store.begin(request).catch((error: unknown) => error);
    await pause(20);
    await admin.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    const first = await begun;
    await pause(400);
    expect(first).toSatisfy(
      (reply: { kind?: string; code?: string }) => reply.kind === "created" || reply.code === unknown.code,
    );
    await created(store, request);
    expect(await store.history(request.id)).toHaveLength(1);
    admin.disconnect();
  });

  test("a ghost that arrives after its time is refused", async () => {
    const path = await startPath((await server()).port);
    const store = await open(path.url, { commandTimeout: 100 });
    const group = newGroup();
    await created(store, intent(group));
    const request = intent(group, { within: 200, holds: ["e"], history: ["begun"] });
    path.freeze();
    await expect(store.begin(request)).rejects.toMatchObject(unknown);
    await pause(250);
    path.thaw();
    await pause(100);
    await assertNothing(store, request.id);
    expect((await store.begin(intent(group, { blockedBy: ["e"] }))).kind).toBe("created");
  });

  test("a ghost that arrives in time is the same write as its repeat", async () => {
    const path = await startPath((await server()).port);
    const store = await open(path.url, { commandTimeout: 100 });
    const group = newGroup();
    await created(store, intent(group));
    const request = intent(group, { within: 5_000, history: ["begun"] });
    path.freeze();
    await expect(store.begin(request)).rejects.toMatchObject(unknown);
    path.thaw();
    await pause(50);
    await created(store, request);
    expect((await store.begin({ ...request, token: newToken() })).kind).toBe("exists");
    expect(await store.history(request.id)).toHaveLength(1);
  });
});

describe("When Redis is away", () => {
  test("a call waits for it, then fails without effect; later calls work again", async () => {
    const redis = await server();
    const store = await open(redis.url, { connectWithin: 200 });
    const group = newGroup();
    await created(store, intent(group));
    await redis.stop();
    await pause(50);
    const since = performance.now();
    await expect(store.begin(intent(group))).rejects.toMatchObject({ code: "STORE_UNAVAILABLE", effect: "none" });
    expect(performance.now() - since).toBeLessThan(1_900);
    await redis.restart();
    await expect
      .poll(
        () =>
          store.begin(intent(group)).then(
            ({ kind }) => kind,
            () => "away",
          ),
        { timeout: 8_000 },
      )
      .toBe("created");
  });

  test("opening fails with the address's error, and can be tried again", async () => {
    const redis = await server();
    await redis.stop();
    const { redisStore } = await import("../../../adapters/stores/redis/index.ts");
    const store = redisStore({ url: redis.url, namespace: "test", connectWithin: 150 });
    await expect(store.open()).rejects.toMatchObject({ code: "STORE_UNAVAILABLE", effect: "none" });
    await expect(store.open()).rejects.toThrow(/could not be reached within 150 ms.*ECONNREFUSED/);
    await redis.restart();
    await expect
      .poll(
        () =>
          store.open().then(
            () => "open",
            () => "away",
          ),
        { timeout: 8_000 },
      )
      .toBe("open");
    await store.close();
  });

  test("a server that stops answering ends no call later than its time limit allows", async () => {
    const path = await startPath((await server()).port);
    const store = await open(path.url, { commandTimeout: 150 });
    const group = newGroup();
    await created(store, intent(group));
    path.freeze();
    const since = performance.now();
    await expect(store.read(`${group.tag}_x`)).rejects.toMatchObject({ code: "STORE_UNAVAILABLE", effect: "none" });
    expect(performance.now() - since).toBeLessThan(1_500);
    path.thaw();
  });
});
