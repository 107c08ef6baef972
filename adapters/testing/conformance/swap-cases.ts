/** `swap`: compare-and-set, its refusals, and what a repeat of it answers. */
import assert from "node:assert/strict";
import {
  assertNothing,
  assertUntouched,
  created,
  intent,
  newGroup,
  newId,
  nowOf,
  recordOf,
  type StoreCase,
  storeCase,
  swapOf,
  swapped,
} from "./harness.ts";

export const swapCases: readonly StoreCase[] = [
  storeCase("store", "A swap replaces the version it expects and adds one", async ({ store }) => {
    const request = intent(newGroup(), { payload: "first" });
    await created(store, request);
    const reply = await store.swap(swapOf(request.group, request.id, 1, { body: "second", payload: "result" }));
    assert.deepEqual([reply.kind, reply.kind === "swapped" && reply.version], ["swapped", 2]);
    const record = await recordOf(store, request.id);
    assert.deepEqual(
      [record.version, record.at, record.body, record.payload, record.digest],
      [2, reply.now, "second", "result", request.digest],
    );
  }),

  storeCase("store", "A swap of another version is refused and shows what is there", async ({ store }) => {
    const request = intent(newGroup());
    await created(store, request);
    const before = await recordOf(store, request.id);
    for (const expect of [0, 2, 7]) {
      const reply = await store.swap(swapOf(request.group, request.id, expect, { history: ["lost"] }));
      assert.equal(reply.kind, "stale");
      assert.ok(reply.kind === "stale" && reply.record.version === 1 && reply.record.body === request.body);
    }
    await assertUntouched(store, before);
    assert.deepEqual(await store.history(request.id), []);
  }),

  storeCase("store", "A swap never creates a record", async ({ store }) => {
    const group = newGroup();
    await created(store, intent(group));
    for (const expect of [0, 1]) {
      const id = newId(group);
      const reply = await store.swap(swapOf(group, id, expect, { addHolds: ["entry"], due: { after: 0 } }));
      assert.equal(reply.kind, "gone");
      await assertNothing(store, id);
    }
    assert.equal((await store.begin(intent(group, { blockedBy: ["entry"] }))).kind, "created");
  }),

  storeCase("I8", "A swap whose reply was lost may be sent again and is answered the same", async ({ store, pass }) => {
    const request = intent(newGroup());
    const { now, generation } = await created(store, request);
    const swap = swapOf(request.group, request.id, 1, {
      history: ["settled"],
      notAfter: now + 60_000_000,
      ifGeneration: generation,
    });
    const first = await store.swap(swap);
    assert.equal(first.kind, "swapped");
    await pass(30);
    assert.deepEqual(await store.swap(swap), first);
    assert.equal((await recordOf(store, request.id)).version, 2);
    assert.equal((await store.history(request.id)).length, 1, "the repeat must not add history");
  }),

  storeCase("I8", "A repeated swap is answered the same although its window has closed since", async (bench) => {
    const { store } = bench;
    const request = intent(newGroup());
    const { now } = await created(store, request);
    const swap = swapOf(request.group, request.id, 1, { notAfter: now + bench.brief });
    const first = await store.swap(swap);
    assert.equal(first.kind, "swapped");
    await bench.pass(bench.brief + 10);
    assert.deepEqual(await store.swap(swap), first);
  }),

  storeCase("I8", "A swap repeated after others moved on is stale, not written again", async ({ store }) => {
    const request = intent(newGroup());
    await created(store, request);
    const swap = swapOf(request.group, request.id, 1);
    await swapped(store, swap);
    await swapped(store, swapOf(request.group, request.id, 2, { body: "third" }));
    const reply = await store.swap(swap);
    assert.ok(reply.kind === "stale" && reply.record.version === 3 && reply.record.body === "third");
  }),

  storeCase("I8", "Another write of the same version is stale although it says the same", async ({ store }) => {
    const request = intent(newGroup());
    await created(store, request);
    await swapped(store, swapOf(request.group, request.id, 1));
    assert.equal((await store.swap(swapOf(request.group, request.id, 1))).kind, "stale");
  }),

  storeCase("I8", "A swap that arrives after its time writes nothing", async ({ store }) => {
    const request = intent(newGroup());
    await created(store, request);
    const before = await recordOf(store, request.id);
    const ghost = swapOf(request.group, request.id, 1, { within: -60_000, history: ["ghost"] });
    assert.equal((await store.swap(ghost)).kind, "late");
    await assertUntouched(store, before);
    assert.deepEqual(await store.history(request.id), []);
  }),

  storeCase(
    "store",
    "A swap is refused past its last instant on the store's clock, and allowed before",
    async (bench) => {
      const { store } = bench;
      const request = intent(newGroup());
      await created(store, request);
      const before = await recordOf(store, request.id);
      await bench.pass(20);
      const past = (await nowOf(store)) - 1;
      assert.equal((await store.swap(swapOf(request.group, request.id, 1, { notAfter: past }))).kind, "late");
      await assertUntouched(store, before);
      await swapped(store, swapOf(request.group, request.id, 1, { notAfter: past + 60_000 }));
    },
  ),

  storeCase("store", "A swap keeps, replaces or removes the payload, as told", async ({ store }) => {
    const request = intent(newGroup(), { payload: "arguments" });
    await created(store, request);
    await swapped(store, swapOf(request.group, request.id, 1, { body: "kept" }));
    assert.equal((await recordOf(store, request.id)).payload, "arguments");
    await swapped(store, swapOf(request.group, request.id, 2, { payload: "result" }));
    assert.equal((await recordOf(store, request.id)).payload, "result");
    await swapped(store, swapOf(request.group, request.id, 3, { payload: null }));
    const record = await recordOf(store, request.id);
    assert.deepEqual([record.version, record.payload], [4, undefined]);
  }),

  storeCase("store", "The store's clock never goes back", async ({ store, pass }) => {
    const request = intent(newGroup());
    let last = (await created(store, request)).now;
    for (let version = 1; version < 20; version += 1) {
      if (version % 5 === 0) await pass(3);
      const seen = [await nowOf(store), await swapped(store, swapOf(request.group, request.id, version))];
      for (const now of seen) {
        assert.ok(now >= last, `the clock went from ${last} back to ${now}`);
        last = now;
      }
    }
  }),
];
