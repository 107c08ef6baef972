/** The due index, the manual queue and their pages: nothing open or doubtful is ever out of sight. */
import assert from "node:assert/strict";
import type { ListRequest, Store, StoredRecord } from "../../../src/entries/store.ts";
import {
  created,
  idsOf,
  intent,
  newGroup,
  nowOf,
  recordOf,
  type StoreCase,
  storeCase,
  swapOf,
  swapped,
} from "./harness.ts";

/** All pages; `between` runs after each page. */
async function allPages(store: Store, request: ListRequest, between?: (page: number) => Promise<void>) {
  const items: StoredRecord[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < 200; page += 1) {
    const reply = await store.list(cursor === undefined ? request : { ...request, cursor });
    assert.ok(reply.items.length <= (request.limit ?? 50), "a page must not be longer than its limit");
    items.push(...reply.items);
    cursor = reply.nextCursor;
    if (cursor === undefined) return items;
    await between?.(page);
  }
  return assert.fail("the pages never end");
}

const sorted = (ids: readonly string[]): string[] => [...ids].sort();

export const indexCases: readonly StoreCase[] = [
  storeCase("I5", "Records come due oldest first, whichever tool they belong to", async ({ store }) => {
    const groups = [newGroup(), newGroup("files", "write")];
    const now = await nowOf(store);
    const ids = new Map<number, string>();
    for (const age of [300, 600, 100, 500, 200, 400]) {
      const request = intent(groups[age % 200 === 0 ? 0 : 1] ?? newGroup(), { due: now - age });
      await created(store, request);
      ids.set(age, request.id);
    }
    const oldestFirst = [600, 500, 400, 300, 200, 100].map((age) => ids.get(age));
    assert.deepEqual(idsOf((await store.due(100)).items), oldestFirst);
    assert.deepEqual(idsOf((await store.due(3)).items), oldestFirst.slice(0, 3));
  }),

  storeCase("I5", "A due time is counted from the write that carries it", async (bench) => {
    const { store } = bench;
    const request = intent(newGroup(), { due: { after: bench.brief } });
    await created(store, request);
    assert.deepEqual((await store.due(10)).items, []);
    await bench.pass(bench.brief);
    const { items } = await store.due(10);
    assert.deepEqual(items.length > 0 && items[0], await recordOf(store, request.id));
    await swapped(store, swapOf(request.group, request.id, 1, { due: { after: bench.brief } }));
    assert.deepEqual((await store.due(10)).items, [], "a swap sets a new due time");
    await bench.pass(bench.brief);
    assert.deepEqual(idsOf((await store.due(10)).items), [request.id]);
  }),

  storeCase("I5", "A swap without a due time takes the record out of the due index", async ({ store, pass }) => {
    const group = newGroup();
    const [request, behind] = [intent(group, { due: { after: 0 } }), intent(group, { due: { after: 1 } })];
    await created(store, request);
    assert.deepEqual(idsOf((await store.due(10)).items), [request.id]);
    await swapped(store, swapOf(group, request.id, 1, { due: null }));
    assert.deepEqual((await store.due(10)).items, []);
    assert.deepEqual((await store.list({ index: "open" })).items, []);
    await created(store, behind);
    await pass(1);
    assert.deepEqual(idsOf((await store.due(1)).items), [behind.id], "it takes no room from those that are due");
  }),

  storeCase("I5", "A refused swap leaves the indexes as they were", async ({ store }) => {
    const request = intent(newGroup(), { due: { after: 0 }, attention: true });
    await created(store, request);
    await store.swap(swapOf(request.group, request.id, 4, { due: null, attention: false }));
    assert.deepEqual(idsOf((await store.due(10)).items), [request.id]);
    assert.deepEqual(idsOf((await store.list({ index: "attention" })).items), [request.id]);
  }),

  storeCase("I5", "The manual queue shows exactly the records that need a person", async ({ store }) => {
    const group = newGroup();
    const [born, later, never] = [intent(group, { attention: true }), intent(group), intent(group)];
    for (const request of [born, later, never]) await created(store, request);
    await swapped(store, swapOf(group, later.id, 1, { attention: true }));
    const queue = async () => sorted(idsOf(await allPages(store, { index: "attention" })));
    assert.deepEqual(await queue(), sorted([born.id, later.id]));
    await swapped(store, swapOf(group, born.id, 1, { attention: false }));
    assert.deepEqual(await queue(), [later.id]);
  }),

  storeCase("I5", "A record can wait for a person without being due", async ({ store }) => {
    const request = intent(newGroup(), { due: null, attention: true });
    await created(store, request);
    assert.deepEqual(idsOf(await allPages(store, { index: "attention" })), [request.id]);
    assert.deepEqual(await allPages(store, { index: "open" }), []);
  }),

  storeCase("I5", "The open list shows every record with a due time, also a far one", async ({ store }) => {
    const group = newGroup();
    const [soon, far, none] = [
      intent(group, { due: { after: 0 } }),
      intent(group, { due: { after: 86_400_000 } }),
      intent(group, { due: null }),
    ];
    for (const request of [soon, far, none]) await created(store, request);
    const items = await allPages(store, { index: "open" });
    assert.deepEqual(sorted(idsOf(items)), sorted([soon.id, far.id]));
    const one = items.find(({ id }) => id === far.id);
    assert.deepEqual([one?.version, one?.group, one?.body], [1, group, far.body]);
  }),

  storeCase("store", "Both lists can be narrowed to a server and a tool", async ({ store }) => {
    const [invoice, refund, files] = [newGroup(), newGroup("billing", "refund"), newGroup("files", "refund")];
    const of = new Map<unknown, string>();
    for (const group of [invoice, refund, files]) {
      const request = intent(group, { attention: true });
      await created(store, request);
      of.set(group, request.id);
    }
    for (const index of ["open", "attention"] as const) {
      const ids = async (filter: Partial<ListRequest>) => sorted(idsOf(await allPages(store, { index, ...filter })));
      assert.deepEqual(await ids({ server: "billing" }), sorted([of.get(invoice) ?? "", of.get(refund) ?? ""]));
      assert.deepEqual(await ids({ tool: "refund" }), sorted([of.get(refund) ?? "", of.get(files) ?? ""]));
      assert.deepEqual(await ids({ server: "billing", tool: "refund" }), [of.get(refund)]);
      assert.deepEqual(await ids({ server: "nobody" }), []);
    }
  }),

  storeCase(
    "store",
    "A page holds 50 records unless told otherwise, and the pages reach all of them",
    async ({ store }) => {
      const groups = [newGroup(), newGroup("files", "write"), newGroup()];
      const requests = Array.from({ length: 120 }, (_, n) =>
        intent(groups[n % 3] ?? newGroup(), { attention: n < 60 }),
      );
      await Promise.all(requests.map((request) => created(store, request)));
      const ids = requests.map(({ id }) => id);
      assert.ok((await store.list({ index: "open" })).items.length <= 50);
      assert.deepEqual(sorted(idsOf(await allPages(store, { index: "open" }))), sorted(ids));
      assert.deepEqual(sorted(idsOf(await allPages(store, { index: "open", limit: 7 }))), sorted(ids));
      assert.deepEqual(
        sorted(idsOf(await allPages(store, { index: "attention", limit: 1000 }))),
        sorted(ids.slice(0, 60)),
      );
    },
  ),

  storeCase("I5", "Pages show every record that stays, once, while others come and go", async ({ store }) => {
    const groups = [newGroup(), newGroup("files", "write")];
    const requests = Array.from({ length: 40 }, (_, n) => intent(groups[n % 2] ?? newGroup(), { attention: true }));
    for (const request of requests) await created(store, request);
    const leaving = requests.filter((_, n) => n % 4 === 1);
    const staying = requests.filter((request) => !leaving.includes(request));
    const items = await allPages(store, { index: "attention", limit: 6 }, async (page) => {
      const leaver = leaving[page];
      if (leaver) await swapped(store, swapOf(leaver.group, leaver.id, 1));
      const stayer = staying[page * 3];
      if (stayer) {
        const change = { attention: true, due: { after: 3_600_000 + page } };
        await swapped(store, swapOf(stayer.group, stayer.id, 1, change));
      }
      if (page < 4) await created(store, intent(groups[0] ?? newGroup(), { attention: true }));
    });
    const seen = idsOf(items);
    assert.equal(new Set(seen).size, seen.length, "no record may be shown twice");
    for (const { id } of staying) assert.ok(seen.includes(id), "a record that stays in the queue was left out");
  }),
];
