/** What may be forgotten, when, and what never. */
import assert from "node:assert/strict";
import {
  assertNothing,
  created,
  intent,
  newGroup,
  newToken,
  recordOf,
  type StoreCase,
  storeCase,
  swapOf,
  swapped,
} from "./harness.ts";

export const expiryCases: readonly StoreCase[] = [
  storeCase("I4", "A record expires only when told so, with its history, holds and index entries", async (bench) => {
    const { store, brief } = bench;
    const group = newGroup();
    const request = intent(group, { holds: ["e"], history: ["begun"], payload: "sealed" });
    await created(store, request);
    const leftovers = { due: { after: 0 }, attention: true, history: ["settled"], payload: "result" };
    await swapped(store, swapOf(group, request.id, 1, { ...leftovers, expireIn: brief }));
    assert.equal((await recordOf(store, request.id)).version, 2);
    await bench.pass(brief + 50);
    await assertNothing(store, request.id);
    assert.deepEqual((await store.due(10)).items, []);
    assert.deepEqual((await store.list({ index: "attention" })).items, []);
    assert.equal((await store.swap(swapOf(group, request.id, 2))).kind, "gone");
    assert.equal((await store.begin(intent(group, { blockedBy: ["e"] }))).kind, "created");
  }),

  storeCase("I4", "An expired operation can be begun again, from version 1", async (bench) => {
    const { store, brief } = bench;
    const request = intent(newGroup(), { history: ["old"] });
    await created(store, request);
    await swapped(store, swapOf(request.group, request.id, 1, { expireIn: brief, payload: "old" }));
    await bench.pass(brief + 50);
    const again = { ...request, token: newToken(), digest: "digest-2", body: "new", history: ["new"] };
    const { now } = await created(store, again);
    const record = await recordOf(store, request.id);
    assert.deepEqual([record.version, record.body, record.payload, record.digest], [1, "new", undefined, "digest-2"]);
    assert.deepEqual(await store.history(request.id), [{ at: now, line: "new" }]);
  }),

  storeCase("I4", "Nothing else expires, however long it lies there", async (bench) => {
    const { store, brief } = bench;
    const group = newGroup();
    const requests = [
      intent(group, { holds: ["e"] }),
      intent(group, { attention: true }),
      intent(group, { due: null, payload: "sealed" }),
    ];
    for (const request of requests) await created(store, request);
    await swapped(store, swapOf(group, requests[1]?.id ?? "", 1, { attention: true }));
    await bench.pass(brief * 3);
    for (const request of requests) await recordOf(store, request.id);
    assert.equal((await recordOf(store, requests[2]?.id ?? "")).payload, "sealed");
    assert.equal((await store.begin(intent(group, { blockedBy: ["e"] }))).kind, "held");
  }),

  storeCase("I4", "A later version that must not expire takes the earlier time to live away", async (bench) => {
    const { store, brief } = bench;
    const request = intent(newGroup(), { payload: "sealed", history: ["begun"] });
    await created(store, request);
    await swapped(store, swapOf(request.group, request.id, 1, { expireIn: brief }));
    await swapped(store, swapOf(request.group, request.id, 2, { attention: true, history: ["conflict"] }));
    await bench.pass(brief + 50);
    const record = await recordOf(store, request.id);
    assert.deepEqual([record.version, record.payload], [3, "sealed"]);
    assert.equal((await store.history(request.id)).length, 2);
    assert.equal((await store.list({ index: "attention" })).items.length, 1);
  }),

  storeCase("I4", "A payload can expire before its record, and takes nothing with it", async (bench) => {
    const { store, brief } = bench;
    const request = intent(newGroup(), { holds: ["e"] });
    await created(store, request);
    const settled = { payload: "result", payloadExpireIn: brief, history: ["settled"] };
    await swapped(store, swapOf(request.group, request.id, 1, settled));
    assert.equal((await recordOf(store, request.id)).payload, "result");
    await bench.pass(brief + 50);
    const record = await recordOf(store, request.id);
    assert.deepEqual([record.version, record.payload], [2, undefined]);
    assert.equal((await store.history(request.id)).length, 1);
    assert.equal((await store.begin(intent(request.group, { blockedBy: ["e"] }))).kind, "held");
  }),

  storeCase("store", "A kept payload keeps its own end; a new one does not inherit it", async (bench) => {
    const { store, brief } = bench;
    const [kept, renewed] = [intent(newGroup()), intent(newGroup())];
    for (const request of [kept, renewed]) {
      await created(store, request);
      await swapped(store, swapOf(request.group, request.id, 1, { payload: "one", payloadExpireIn: brief }));
    }
    await swapped(store, swapOf(kept.group, kept.id, 2, { expireIn: brief * 100 }));
    await swapped(store, swapOf(renewed.group, renewed.id, 2, { payload: "two" }));
    assert.equal((await recordOf(store, kept.id)).payload, "one");
    await bench.pass(brief + 50);
    assert.equal((await recordOf(store, kept.id)).payload, undefined);
    assert.equal((await recordOf(store, renewed.id)).payload, "two");
  }),
];
