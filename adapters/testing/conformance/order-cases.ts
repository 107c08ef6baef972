/** The order of the manual queue across tools: a person who turns its pages meets what waits longest first, or last. */
import assert from "node:assert/strict";
import type { Group, ListRequest, Store } from "../../../src/entries/store.ts";
import { created, idsOf, intent, newGroup, nowOf, type StoreCase, storeCase, swapOf, swapped } from "./harness.ts";

async function walk(store: Store, request: ListRequest): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < 200; page += 1) {
    const reply = await store.list(cursor === undefined ? request : { ...request, cursor });
    ids.push(...idsOf(reply.items));
    cursor = reply.nextCursor;
    if (cursor === undefined) return ids;
  }
  return assert.fail("the pages never end");
}

/** Puts a record into the queue whose place there is `since`. */
async function queued(store: Store, group: Group, since: number): Promise<string> {
  const request = intent(group, { due: null });
  await created(store, request);
  await swapped(store, swapOf(group, request.id, 1, { attention: true, since }));
  return request.id;
}

export const orderCases: readonly StoreCase[] = [
  storeCase("store", "The queue is ordered by `since` across tools, in either direction", async ({ store }) => {
    const groups = [newGroup(), newGroup("files", "write"), newGroup("files", "move")];
    const now = await nowOf(store);
    const ids = new Map<number, string>();
    for (const age of [50, 10, 40, 70, 20, 60, 30]) {
      ids.set(age, await queued(store, groups[age % 3] ?? newGroup(), now - age * 1_000));
    }
    const oldest = [70, 60, 50, 40, 30, 20, 10].map((age) => ids.get(age));
    for (const limit of [1, 2, 3, 7, 50]) {
      assert.deepEqual(await walk(store, { index: "attention", limit }), oldest);
      assert.deepEqual(await walk(store, { index: "attention", limit, order: "newest" }), [...oldest].reverse());
    }
  }),

  storeCase("store", "A record keeps its place in the queue as long as it stays there", async ({ store }) => {
    const group = newGroup();
    const now = await nowOf(store);
    const [first, second] = [await queued(store, group, now - 2_000), await queued(store, group, now - 1_000)];
    await swapped(store, swapOf(group, first, 2, { attention: true, since: now }));
    assert.deepEqual(await walk(store, { index: "attention" }), [first, second]);
    await swapped(store, swapOf(group, first, 3, { attention: false }));
    await swapped(store, swapOf(group, first, 4, { attention: true, since: now }));
    assert.deepEqual(await walk(store, { index: "attention" }), [second, first]);
  }),

  storeCase("store", "Many records of one place are all shown, once, in either direction", async ({ store }) => {
    const groups = [newGroup(), newGroup("files", "write")];
    const now = await nowOf(store);
    const ids = await Promise.all(
      Array.from({ length: 40 }, (_, n) => queued(store, groups[n % 2] ?? newGroup(), now - 5_000)),
    );
    for (const order of ["oldest", "newest"] as const) {
      const seen = await walk(store, { index: "attention", limit: 7, order });
      assert.deepEqual([...seen].sort(), [...ids].sort());
    }
  }),

  storeCase("I5", "Pages go on where they were when the record at their end has left", async ({ store }) => {
    const group = newGroup();
    const now = await nowOf(store);
    for (const order of ["oldest", "newest"] as const) {
      const ids: string[] = [];
      for (let n = 0; n < 12; n += 1) ids.push(await queued(store, group, now - 9_000));
      const request = { index: "attention", order, limit: 5 } as const;
      const first = await store.list(request);
      const last = first.items.at(-1);
      assert.ok(last && first.nextCursor, "there must be a second page");
      await swapped(store, swapOf(group, last.id, 2, { attention: false }));
      const rest = await walk(store, { ...request, cursor: first.nextCursor });
      assert.deepEqual([...idsOf(first.items), ...rest].sort(), [...ids].sort());
      for (const id of ids) if (id !== last.id) await swapped(store, swapOf(group, id, 2, { attention: false }));
    }
  }),

  storeCase("store", "The open list can be turned round, too", async ({ store }) => {
    const groups = [newGroup(), newGroup("files", "write")];
    for (let n = 0; n < 15; n += 1) await created(store, intent(groups[n % 2] ?? newGroup()));
    const oldest = await walk(store, { index: "open", limit: 4 });
    const newest = await walk(store, { index: "open", limit: 4, order: "newest" });
    assert.equal(oldest.length, 15);
    assert.deepEqual([...newest].reverse(), oldest);
  }),

  storeCase("store", "A list brings the payloads along when it is asked to", async ({ store }) => {
    const group = newGroup();
    await created(store, intent(group, { attention: true, payload: "sealed" }));
    await created(store, intent(group, { attention: true }));
    const { items } = await store.list({ index: "attention", payloads: true });
    assert.deepEqual(items.map(({ payload }) => payload).sort(), ["sealed", undefined]);
  }),
];
