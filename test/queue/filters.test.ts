/** Finding items: filters, both orders, pages that reach everything, a bounded look. */
import { describe, expect, test } from "vitest";
import { memoryStore } from "../../adapters/stores/memory/index.ts";
import { newToken, swapOf } from "../../adapters/testing/conformance/harness.ts";
import type { Queue, QueueFilter, QueueItem } from "../../src/entries/queue.ts";
import { BY, type Desk, deskOn, failure, onEachStore } from "./support.ts";

async function all(queue: Queue, filter: QueueFilter): Promise<QueueItem[]> {
  const items: QueueItem[] = [];
  let { cursor } = filter;
  do {
    const page = await queue.list({ ...filter, ...(cursor !== undefined && { cursor }) });
    items.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return items;
}

const ids = (items: readonly { id: string }[]): string[] => items.map(({ id }) => id);

async function fiveItems(desk: Desk) {
  const items = [];
  for (const order of ["red", "gr-een", "blue", "gr-ey", "black"]) {
    items.push(await desk.queued(order, order === "blue" ? { principal: "customer-a" } : {}));
  }
  return items;
}

onEachStore("The queue", (newDesk) => {
  test("is found by state, reason, age, principal, conflict and text, in either order, on pages of any size", async () => {
    const desk = newDesk();
    const [red, green, blue, grey, black] = await fiveItems(desk);
    const { queue } = desk.guard;
    const oldest = ids([red, green, blue, grey, black] as never);
    const find = async (filter: QueueFilter) => ids(await all(queue, filter));
    expect(await find({})).toEqual(oldest);
    expect(await find({ order: "newest" })).toEqual([...oldest].reverse());
    for (const limit of [1, 2, 3]) {
      expect(await find({ limit, order: "newest" })).toEqual([...oldest].reverse());
      expect(await find({ limit, text: "gr-" })).toEqual([green?.id, grey?.id]);
    }
    expect(await find({ text: "BLACK" })).toEqual([black?.id]);
    expect(await find({ text: blue?.id.slice(-8) as string })).toEqual([blue?.id]);
    expect(await find({ text: "no_way" })).toEqual(oldest);
    expect(await find({ text: "violet" })).toEqual([]);
    expect(await find({ principal: "customer-a" })).toEqual([blue?.id]);
    expect(await find({ principal: "finance" })).toEqual([]);
    expect(await find({ state: "unresolved", reason: "no_way_to_find_out" })).toEqual(oldest);
    expect(await find({ state: "partial" })).toEqual([]);
    expect(await find({ conflict: true })).toEqual([]);
    expect(await find({ conflict: false, server: "bank.acme", tool: "pay" })).toEqual(oldest);
    expect(await find({ server: "bank" })).toEqual([]);
    const { ageMs } = (await queue.list({ limit: 1, order: "newest" })).items[0] as QueueItem;
    expect(await find({ olderThan: ageMs + 3_600_000 })).toEqual([]);
    expect(await find({ newerThan: ageMs + 3_600_000 })).toEqual(oldest);
  });

  test("shows what is still on its way in the open list", async () => {
    const desk = newDesk({ tool: { settle: "1h" } });
    const id = await desk.pay("o-1");
    expect(await all(desk.guard.queue, {})).toEqual([]);
    expect(await all(desk.guard.queue, { index: "open", state: "uncertain" })).toMatchObject([
      { id, state: "uncertain" },
    ]);
    expect(await all(desk.guard.queue, { index: "open", state: "in_flight" })).toEqual([]);
  });

  test("refuses a filter that it does not understand, and changes nothing", async () => {
    const desk = newDesk();
    const { id, version } = await desk.queued("o-1");
    for (const [filter, cure] of [
      [{ sate: "unresolved" }, /filter.sate: unknown. There is index, server/],
      [{ state: "open" }, /filter.state: "open": use ready, in_flight/],
      [{ index: "all" }, /filter.index: "all": use attention, open/],
      [{ olderThan: "2h" }, /filter.olderThan: "2h" is no number/],
      [{ conflict: "yes" }, /filter.conflict: "yes" is neither true nor false/],
      [{ order: "random" }, /use oldest, newest/],
      [{ limit: 0 }, /1 to 1000/],
      [{ limit: 5_000 }, /1 to 1000/],
      [{ text: "" }, /1 to 200/],
      [{ server: 7 }, /filter.server: 7 is no text/],
    ] as const) {
      const asked = desk.guard.queue.list(filter as never);
      expect(await failure(asked)).toMatchObject({ code: "CONFIG_INVALID", message: expect.stringMatching(cure) });
      const decided = desk.guard.queue.resolveAll({ filter: filter as never, verdict: "abandon", ...BY, confirm: 1 });
      expect((await failure(decided)).code).toBe("CONFIG_INVALID");
    }
    expect(await desk.guard.queue.show(id)).toMatchObject({ version, state: "unresolved" });
  });
});

onEachStore("A cursor that this store never gave", (newDesk) => {
  const FOREIGN = [
    "not one of ours",
    "1",
    "1.2.3.4",
    "..",
    "-1.-1",
    "1e9.1",
    "9".repeat(100_000),
    "a.9.b'; DROP",
    "\u0000",
  ];

  test("is one error with its cure, in the list and in the journal", async () => {
    const { queue } = newDesk().guard;
    for (const cursor of FOREIGN) {
      for (const ask of [
        () => queue.list({ cursor }),
        () => queue.list({ cursor, index: "open" }),
        () => queue.journal({ cursor }),
      ]) {
        const told = await failure(ask());
        expect(told).toMatchObject({ code: "CONFIG_INVALID", details: { path: "cursor" } });
        expect(told.message).toBe("The cursor is not one of this store. Start again without a cursor.");
      }
    }
  });
});

describe("A filter that fits little", () => {
  test("looks at 2,000 records for each page at most, and the pages still reach the last one", async () => {
    const store = memoryStore();
    const desk = deskOn(store, () => store.another());
    const { id } = await desk.queued("needle");
    const { record } = await store.read(id);
    if (!record) throw new Error("no record");
    const { group, digest, body } = record;
    for (let n = 0; n < 2_500; n += 1) {
      const hay = `${group.tag}_${String(n).padStart(26, "a")}`;
      const begun = { group, id: hay, digest, token: newToken(), body, holds: [], blockedBy: [], acks: [] };
      await store.begin({ ...begun, due: null, within: 1_000, maxAge: 1e9 });
      await store.swap(swapOf(group, hay, 1, { body, attention: true, since: n }));
    }
    const first = await desk.guard.queue.list({ text: "needle" });
    expect([first.items, first.scanned]).toEqual([[], 2_000]);
    const second = await desk.guard.queue.list({ text: "needle", cursor: first.nextCursor as string });
    expect([ids(second.items), second.scanned, second.nextCursor]).toEqual([[id], 501, undefined]);
  });
});
