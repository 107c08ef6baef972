/** The journal: what is notable about any operation, newest first, for longer than the records themselves. */
import assert from "node:assert/strict";
import type { JournalEntry, JournalRequest, Store } from "../../../src/entries/store.ts";
import {
  change,
  created,
  intent,
  newGroup,
  newToken,
  nowOf,
  type StoreCase,
  storeCase,
  swapOf,
  swapped,
} from "./harness.ts";

const linesOf = (entries: readonly JournalEntry[]): string[] => entries.map(({ line }) => line);

async function walk(store: Store, request: JournalRequest, between?: () => Promise<void>): Promise<JournalEntry[]> {
  const entries: JournalEntry[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < 500; page += 1) {
    const reply = await store.journal(cursor === undefined ? request : { ...request, cursor });
    assert.ok(reply.entries.length <= (request.limit ?? 50), "a page must not be longer than its limit");
    entries.push(...reply.entries);
    cursor = reply.nextCursor;
    if (cursor === undefined) return entries;
    await between?.();
  }
  return assert.fail("the pages never end");
}

export const journalCases: readonly StoreCase[] = [
  storeCase(
    "store",
    "The journal shows what begins and swaps brought, newest first, with time, id and group",
    async (bench) => {
      const { store } = bench;
      const [group, other] = [newGroup(), newGroup("files", "write")];
      const [one, two] = [intent(group, { journal: ["one adopted"] }), intent(other)];
      const born = (await created(store, one)).now;
      await created(store, two);
      await bench.pass(5);
      const at = await swapped(store, swapOf(other, two.id, 1, { journal: ["two in doubt", "two settled"] }));
      const { entries } = await store.journal({});
      assert.deepEqual(entries, [
        { at, id: two.id, group: other, line: "two settled" },
        { at, id: two.id, group: other, line: "two in doubt" },
        { at: born, id: one.id, group, line: "one adopted" },
      ]);
      assert.ok((await store.journal({})).now >= at, "the page says the store's time");
    },
  ),

  storeCase("I8", "A write that is sent twice leaves its journal lines once", async ({ store }) => {
    const group = newGroup();
    const request = intent(group, { journal: ["begun"] });
    await created(store, request);
    await created(store, request);
    const swap = swapOf(group, request.id, 1, { journal: ["doubt"] });
    await swapped(store, swap);
    await swapped(store, swap);
    assert.deepEqual(linesOf((await store.journal({})).entries), ["doubt", "begun"]);
  }),

  storeCase("I8", "A refused write leaves no journal line", async ({ store }) => {
    const group = newGroup();
    const request = intent(group);
    await created(store, request);
    await store.swap(swapOf(group, request.id, 7, { journal: ["stale"] }));
    await store.swap(swapOf(group, request.id, 1, { journal: ["late"], within: -1 }));
    await store.begin(intent(group, { id: request.id, digest: "digest-2", journal: ["mismatch"] }));
    assert.deepEqual((await store.journal({})).entries, []);
  }),

  storeCase("store", "A change that rides on a begin brings its journal lines along", async ({ store }) => {
    const group = newGroup();
    const earlier = intent(group);
    await created(store, earlier);
    const ack = change(earlier.id, 1, { token: newToken(), journal: ["rode along"] });
    await created(store, intent(group, { acks: [ack] }));
    const { entries } = await store.journal({});
    assert.deepEqual([entries[0]?.id, ...linesOf(entries)], [earlier.id, "rode along"]);
  }),

  storeCase("store", "The journal can be narrowed to a server and a tool", async ({ store }) => {
    const groups = [newGroup(), newGroup("billing", "refund"), newGroup("files", "refund")];
    for (const [n, group] of groups.entries()) await created(store, intent(group, { journal: [`line ${n}`] }));
    const lines = async (request: JournalRequest) => linesOf(await walk(store, request)).sort();
    assert.deepEqual(await lines({ server: "billing" }), ["line 0", "line 1"]);
    assert.deepEqual(await lines({ tool: "refund" }), ["line 1", "line 2"]);
    assert.deepEqual(await lines({ server: "files", tool: "refund" }), ["line 2"]);
    assert.deepEqual(await lines({ server: "nobody" }), []);
  }),

  storeCase("store", "The pages of the journal show each line once while new ones come", async ({ store }) => {
    const groups = [newGroup(), newGroup("files", "write"), newGroup("files", "move")];
    for (let n = 0; n < 30; n += 1) {
      const group = groups[n % 3] ?? newGroup();
      await created(store, intent(group, { journal: [`${n} a`, `${n} b`] }));
    }
    const entries = await walk(store, { limit: 7 }, async () => {
      await created(store, intent(groups[0] ?? newGroup(), { journal: ["new"] }));
    });
    const lines = linesOf(entries);
    assert.equal(new Set(lines).size, 60);
    assert.equal(lines.length, 60, "a line that came while the pages were turned must not be in them");
    for (const [n, entry] of entries.entries()) {
      assert.ok(n === 0 || entry.at <= (entries[n - 1]?.at ?? 0), "newer lines come first");
    }
  }),

  storeCase("store", "Lines of one and the same moment are all shown, once", async ({ store }) => {
    const groups = [newGroup(), newGroup("files", "write")];
    const begins = Array.from({ length: 80 }, (_, n) =>
      created(store, intent(groups[n % 2] ?? newGroup(), { journal: [`${n}`] })),
    );
    await Promise.all(begins);
    for (const limit of [1, 3]) {
      const lines = linesOf(await walk(store, { limit }));
      assert.equal(new Set(lines).size, 80);
      assert.equal(lines.length, 80);
    }
  }),

  storeCase("store", "A journal line outlives the record that it is about", async (bench) => {
    const { store } = bench;
    const group = newGroup();
    const request = intent(group);
    await created(store, request);
    await swapped(store, swapOf(group, request.id, 1, { expireIn: bench.brief, journal: ["settled"] }));
    await bench.pass(bench.brief + 1);
    assert.equal((await store.read(request.id)).record, undefined);
    assert.deepEqual(linesOf((await store.journal({})).entries), ["settled"]);
  }),

  storeCase("store", "The journal of a group keeps the newest 10,000 lines", async ({ store }) => {
    const [group, other] = [newGroup(), newGroup("files", "write")];
    const batch = (n: number) => Array.from({ length: 1_001 }, (_, line) => `${n * 1_001 + line}`);
    await created(store, intent(other, { journal: ["of another group"] }));
    for (let n = 0; n < 10; n += 1) await created(store, intent(group, { journal: batch(n) }));
    const entries = await walk(store, { tool: group.tool, limit: 1_000 });
    assert.equal(entries.length, 10_000);
    assert.deepEqual([entries[0]?.line, entries.at(-1)?.line], ["10009", "10"]);
    assert.deepEqual(linesOf((await store.journal({ server: "files" })).entries), ["of another group"]);
  }),

  storeCase(
    "store",
    "What was never written costs nothing: a store without lines has an empty journal",
    async ({ store }) => {
      const group = newGroup();
      const request = intent(group);
      await created(store, request);
      await swapped(store, swapOf(group, request.id, 1));
      assert.deepEqual((await store.journal({})).entries, []);
      assert.ok((await nowOf(store)) > 0);
    },
  ),
];
