/** The queue as a stream, and the events that tell people: each once, for what it is about. */
import { expect, test } from "vitest";
import { memoryStore } from "../../adapters/stores/memory/index.ts";
import { swapOf } from "../../adapters/testing/conformance/harness.ts";
import type { QueueChange, QueueNotice } from "../../src/entries/queue.ts";
import { guardFunction } from "../../src/index.ts";
import { fragile } from "../cases/stores.ts";
import { world } from "../review/support.ts";
import { BY, type Desk, deskOn, onEachStore } from "./support.ts";

/** Reads the stream until it is ended; `of` tells what it said of one item. */
function follow(desk: Desk) {
  const stop = new AbortController();
  const changes: QueueChange[] = [];
  const reading = (async () => {
    for await (const change of desk.guard.queue.watch({ everyMs: 50, signal: stop.signal })) changes.push(change);
  })();
  return {
    of: (id: string) => changes.filter(({ item }) => item.id === id).map(({ kind }) => kind),
    end: () => {
      stop.abort();
      return reading;
    },
  };
}

/** A write that leaves it in the queue, as when a loss of the store is counted. */
async function touch({ store }: Desk, id: string): Promise<void> {
  const { record } = await store.read(id);
  if (!record) throw new Error("it is not there");
  const { group, version, body } = record;
  const change = swapOf(group, id, version, { body, attention: true, since: record.at });
  expect((await store.swap(change)).kind).toBe("swapped");
}

onEachStore("A watch", (newDesk) => {
  test("tells what is there, what comes, what changes and what leaves", async () => {
    const desk = newDesk();
    const other = desk.another();
    const first = await desk.queued("o-1");
    const stream = follow(desk);
    await expect.poll(() => stream.of(first.id)).toContain("added");
    const { id: second } = await other.queued("o-2");
    await expect.poll(() => stream.of(second)).toContain("added");
    await touch(desk, second);
    await expect.poll(() => stream.of(second)).toContain("changed");
    const { version } = await other.guard.queue.show(first.id);
    await other.guard.queue.resolve(first.id, { verdict: "applied", version, ...BY });
    await expect.poll(() => stream.of(first.id).at(-1)).toBe("removed");
    await stream.end();
    for (const id of [first.id, second]) {
      const said = stream.of(id).filter((kind) => kind !== "changed");
      expect(said).toEqual(id === second ? ["added"] : ["added", "removed"]);
    }
  });
});

test("A watch goes on when the store was away", async () => {
  const inner = memoryStore();
  const { store, down, up } = fragile(inner);
  const desk = deskOn(store, () => inner.another());
  const { id, version } = await desk.queued("o-1");
  const stream = follow(desk);
  await expect.poll(() => stream.of(id)).toContain("added");
  down("list");
  await new Promise((done) => setTimeout(done, 200));
  up();
  await new Promise((done) => setTimeout(done, 200));
  await desk.guard.queue.resolve(id, { verdict: "abandon", version, ...BY });
  await expect.poll(() => stream.of(id).at(-1)).toBe("removed");
  expect(stream.of(id).filter((kind) => kind !== "changed")).toEqual(["added", "removed"]);
  await stream.end();
});

test("A watch of a bad filter or pause is refused at once", () => {
  const store = memoryStore();
  const desk = deskOn(store, () => store.another());
  expect(() => desk.guard.queue.watch({ filter: { stat: 1 } as never })).toThrow(/filter.stat: unknown/);
  expect(() => desk.guard.queue.watch({ everyMs: 1 })).toThrow(/everyMs: 50/);
});

function inHand() {
  const made = world({
    deadline: "10s",
    oldAfter: "1h",
    servers: { bank: { tools: { pay: { settle: "1s" } } } },
  });
  const answers: ((value: unknown) => void)[] = [];
  const pay = guardFunction(
    made.guard,
    { server: "bank", tool: "pay" },
    () => new Promise((done) => answers.push(done)),
  );
  const heard: [string, QueueNotice][] = [];
  for (const name of ["queued", "aged", "conflict"] as const) {
    made.guard.on(name, (notice) => heard.push([name, notice]));
  }
  const lost = async (order: number) => {
    const paying = pay({ order });
    await made.hand.move(15_000);
    return (await paying).operation;
  };
  return { ...made, heard, lost, answers };
}

test("What enters the queue is told once, with the version and the reason", async () => {
  const { guard, heard, lost, hand } = inHand();
  const id = await lost(1);
  const { version } = await guard.queue.show(id);
  await hand.move(60_000);
  const notice = {
    operation: id,
    version,
    server: "bank",
    tool: "pay",
    state: "unresolved",
    reason: "no_way_to_find_out",
  };
  expect(heard).toEqual([["queued", expect.objectContaining(notice)]]);
  expect(heard[0]?.[1].ageMs).toBeGreaterThanOrEqual(10_000);
});

test("What grows old in the queue is told once, and not what has left it", async () => {
  const { guard, heard, lost, hand } = inHand();
  const [old, closed] = [await lost(1), await lost(2)];
  const { version } = await guard.queue.show(closed);
  await guard.queue.resolve(closed, { verdict: "abandon", version, ...BY });
  heard.splice(0);
  await hand.move(3_500_000);
  expect(heard).toEqual([]);
  await hand.move(7_200_000);
  expect(heard.map(([name, { operation }]) => [name, operation])).toEqual([["aged", old]]);
  expect(heard[0]?.[1].ageMs).toBeGreaterThanOrEqual(3_600_000);
});

test("A conflict is told as such, and as something new in the queue", async () => {
  const { guard, heard, lost, hand, answers } = inHand();
  const id = await lost(1);
  const { version } = await guard.queue.show(id);
  await guard.queue.resolve(id, { verdict: "not_applied", version, ...BY });
  heard.splice(0);
  answers[0]?.({ paid: 1 });
  await hand.move(1_000);
  expect(heard.map(([name, { operation, reason }]) => [name, operation, reason])).toEqual([
    ["conflict", id, "success_after_no_effect"],
    ["queued", id, "success_after_no_effect"],
  ]);
});
