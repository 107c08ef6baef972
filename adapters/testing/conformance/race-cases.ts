/** Many at once, in one process and through two handles. */
import assert from "node:assert/strict";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Store } from "../../../src/entries/store.ts";
import {
  created,
  intent,
  newGroup,
  newId,
  newToken,
  recordOf,
  type StoreCase,
  storeCase,
  swapOf,
  swapped,
} from "./harness.ts";

const MANY = 64;

function countKinds(replies: readonly { readonly kind: string }[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { kind } of replies) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

const pick = (stores: readonly Store[], n: number): Store => stores[n % stores.length] as Store;

async function raceOfBegins(stores: readonly Store[]): Promise<void> {
  const group = newGroup();
  const id = newId(group);
  const one = () => intent(group, { id, token: newToken(), history: ["begun"] });
  const replies = await Promise.all(Array.from({ length: MANY }, (_, n) => pick(stores, n).begin(one())));
  assert.deepEqual(countKinds(replies), { created: 1, exists: MANY - 1 });
  assert.equal((await pick(stores, 0).history(id)).length, 1);
}

async function raceOfSwaps(stores: readonly Store[]): Promise<void> {
  const request = intent(newGroup());
  await created(pick(stores, 0), request);
  for (let version = 1; version <= 3; version += 1) {
    const one = (n: number) => swapOf(request.group, request.id, version, { body: `${version}-${n}` });
    const swaps = Array.from({ length: MANY }, (_, n) => one(n));
    const replies = await Promise.all(swaps.map((swap, n) => pick(stores, n).swap(swap)));
    assert.deepEqual(countKinds(replies), { swapped: 1, stale: MANY - 1 });
    const winner = swaps[replies.findIndex(({ kind }) => kind === "swapped")];
    assert.equal((await recordOf(pick(stores, 1), request.id)).body, winner?.body, "the winner's body is there");
  }
}

async function raceForHold(stores: readonly Store[]): Promise<void> {
  const group = newGroup();
  const one = () => intent(group, { holds: ["e"], blockedBy: ["e"] });
  const replies = await Promise.all(Array.from({ length: MANY }, (_, n) => pick(stores, n).begin(one())));
  assert.deepEqual(countKinds(replies), { created: 1, held: MANY - 1 });
}

/** Records leave the lists while another handle reads them. */
async function raceOfLists(leaving: Store, listing: Store): Promise<void> {
  const requests = Array.from({ length: MANY }, () =>
    intent(newGroup(), { attention: true, due: { after: 0 }, body: "in" }),
  );
  await Promise.all(requests.map((request) => created(leaving, request)));
  let isOver = false;
  const leave = async () => {
    for (const { group, id } of requests) {
      await swapped(leaving, swapOf(group, id, 1, { attention: false, due: null, body: "out" }));
    }
    isOver = true;
  };
  const bodies: string[] = [];
  const look = async () => {
    for (let n = 0; !isOver; n += 1) {
      const { items } = await listing.list({ index: n % 2 ? "open" : "attention" });
      bodies.push(...items.map(({ body }) => body));
      await nextTurn();
    }
  };
  await Promise.all([leave(), look()]);
  assert.ok(!bodies.includes("out"), "a list shows what stands in it");
}

export const raceCases: readonly StoreCase[] = [
  storeCase("I1", "64 begins of one operation at once: exactly one is created", ({ store }) => raceOfBegins([store])),
  storeCase("I1", "64 swaps of one version at once: exactly one is written", ({ store }) => raceOfSwaps([store])),
  storeCase("I1", "64 calls that block each other at once: exactly one passes", ({ store }) => raceForHold([store])),

  storeCase("I8", "The same begin and the same swap sent many times at once count once", async ({ store }) => {
    const request = intent(newGroup(), { history: ["begun"] });
    const begins = await Promise.all(Array.from({ length: 8 }, () => store.begin(request)));
    assert.deepEqual(countKinds(begins), { created: 8 });
    const swap = swapOf(request.group, request.id, 1, { history: ["settled"] });
    const swaps = await Promise.all(Array.from({ length: 8 }, () => store.swap(swap)));
    assert.deepEqual(countKinds(swaps), { swapped: 8 });
    assert.equal((await recordOf(store, request.id)).version, 2);
    assert.equal((await store.history(request.id)).length, 2);
  }),

  storeCase("store", "Different operations at once do not disturb each other", async ({ store }) => {
    const groups = [newGroup(), newGroup("files", "write")];
    const requests = Array.from({ length: 200 }, (_, n) => intent(groups[n % 2] ?? newGroup(), { body: `${n}` }));
    await Promise.all(requests.map((request) => created(store, request)));
    await Promise.all(requests.map(({ group, id }, n) => swapped(store, swapOf(group, id, 1, { body: `s${n}` }))));
    for (const [n, { id }] of requests.entries()) {
      const record = await recordOf(store, id);
      assert.deepEqual([record.version, record.body], [2, `s${n}`]);
    }
  }),

  storeCase("I1", "Swaps of one group at once are judged each for itself", async ({ store, pass }) => {
    const group = newGroup();
    const requests = Array.from({ length: 6 }, () => intent(group, { history: ["begun"] }));
    const [first] = await Promise.all(requests.map((request) => created(store, request)));
    const [plain, stale, repeated, tooLate, overtaken, other] = requests.map(({ id }) => id);
    assert.ok(first && plain && stale && repeated && tooLate && overtaken && other);
    const again = swapOf(group, repeated, 1, { history: ["settled"] });
    await swapped(store, again);
    await pass(5);
    const swaps = [
      swapOf(group, plain, 1, { body: "plain" }),
      swapOf(group, stale, 7, { body: "stale" }),
      swapOf(group, newId(group), 1),
      again,
      { ...swapOf(group, tooLate, 1, { body: "too late" }), notAfter: first.now },
      { ...swapOf(group, overtaken, 1, { body: "overtaken" }), ifGeneration: first.generation + 1 },
      swapOf(group, other, 1, { body: "other" }),
    ];
    const replies = await Promise.all(swaps.map((swap) => store.swap(swap)));
    const kinds = ["swapped", "stale", "gone", "swapped", "late", "generation_changed", "swapped"];
    assert.deepEqual(
      replies.map(({ kind }) => kind),
      kinds,
    );
    const bodies = await Promise.all([plain, stale, tooLate, overtaken, other].map((id) => recordOf(store, id)));
    const untouched = requests[0]?.body;
    assert.deepEqual(
      bodies.map(({ body, version }) => [body, version]),
      [
        ["plain", 2],
        [untouched, 1],
        [untouched, 1],
        [untouched, 1],
        ["other", 2],
      ],
    );
    assert.equal((await store.history(repeated)).length, 2, "the repeat is written once");
  }),

  storeCase(
    "I1",
    "Two processes at once: one begin, one swap, one hold wins",
    async ({ store, reopen }) => {
      const stores = [store, await reopen()];
      await raceOfBegins(stores);
      await raceOfSwaps(stores);
      await raceForHold(stores);
    },
    ["reopen"],
  ),

  storeCase(
    "store",
    "What one process wrote, another one reads, lists and blocks on at once",
    async ({ store, reopen }) => {
      const other = await reopen();
      const request = intent(newGroup(), { holds: ["e"], attention: true, due: { after: 0 }, history: ["begun"] });
      await created(store, request);
      assert.deepEqual(await recordOf(other, request.id), await recordOf(store, request.id));
      assert.equal((await other.history(request.id)).length, 1);
      assert.equal((await other.due(10)).items.length, 1);
      assert.equal((await other.list({ index: "attention" })).items.length, 1);
      assert.equal((await other.begin(intent(request.group, { blockedBy: ["e"] }))).kind, "held");
      await swapped(other, swapOf(request.group, request.id, 1, { removeHolds: ["e"] }));
      assert.equal((await store.swap(swapOf(request.group, request.id, 1))).kind, "stale");
      assert.equal((await store.begin(intent(request.group, { blockedBy: ["e"] }))).kind, "created");
    },
    ["reopen"],
  ),

  storeCase(
    "store",
    "A list shows nothing that has left it while it was read",
    async ({ store, reopen }) => raceOfLists(store, await reopen()),
    ["reopen"],
  ),

  storeCase(
    "store",
    "A store that was closed is found again as it was",
    async ({ store, reopen }) => {
      const request = intent(newGroup(), { payload: "sealed", attention: true, history: ["begun"] });
      await created(store, request);
      const before = await recordOf(store, request.id);
      const other = await reopen();
      await store.close();
      assert.deepEqual(await recordOf(other, request.id), before);
      assert.equal((await other.list({ index: "attention" })).items.length, 1);
      assert.equal((await other.list({ index: "open" })).items.length, 1);
      assert.equal((await other.history(request.id)).length, 1);
    },
    ["reopen"],
  ),
];
