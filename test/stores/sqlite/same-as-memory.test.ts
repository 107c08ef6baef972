import fc from "fast-check";
import { expect, test } from "vitest";
import { memoryStore } from "../../../adapters/stores/memory/index.ts";
import { sqliteStore } from "../../../adapters/stores/sqlite/index.ts";
import type { Change, Group, Store } from "../../../src/entries/store.ts";
import { newFile } from "./support.ts";

const START = 1_800_000_000_000;
const groups: readonly Group[] = [
  { tag: "aaaaaaaaaa", tenant: "one", server: "billing", tool: "create_invoice" },
  { tag: "bbbbbbbbbb", tenant: "two", server: "billing", tool: "create_invoice" },
  { tag: "cccccccccc", tenant: "one", server: "files", tool: "write" },
];

/** One step, the same for every store. `now` is the clock when it is taken. */
type Step = (store: Store, now: number) => Promise<unknown>;

const few = fc.constantFrom(...["a", "b", "c"]);
const entries = fc.array(few, { maxLength: 2 });
const group = fc.constantFrom(...groups);
const token = fc.constantFrom("t1", "t2", "t3", "t4");
const version = fc.integer({ min: 1, max: 4 });
const within = fc.constantFrom(1_000, 1_000, 1_000, -1);
const span = fc.constantFrom(0, 5, 20, 100);
const due = fc.oneof(
  span.map((after) => ({ after })),
  span.map((ms) => START + ms),
  fc.constant(null),
);
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

/** Leaves out what is undefined: the port's optional properties are absent, not undefined. */
const tidy = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as T;

const change = (owner: Group) =>
  fc
    .record({
      id: few.map((name) => `${owner.tag}_${name}`),
      expect: version,
      token,
      body: fc.string(),
      payload: maybe(fc.constantFrom("p1", "p2", null)),
      payloadExpireIn: maybe(span),
      addHolds: maybe(entries),
      removeHolds: maybe(entries),
      due,
      attention: fc.boolean(),
      expireIn: maybe(span),
      history: maybe(fc.array(fc.string(), { maxLength: 2 })),
    })
    .map((draft) => tidy(draft) as Change);

const begin = group.chain((owner) =>
  fc
    .record({
      group: fc.constant(owner),
      id: few.map((name) => `${owner.tag}_${name}`),
      digest: fc.constantFrom("d1", "d1", "d1", "d2"),
      token,
      body: fc.string(),
      payload: maybe(fc.constant("p0")),
      holds: entries,
      blockedBy: entries,
      acks: fc.array(change(owner), { maxLength: 2 }),
      due,
      attention: maybe(fc.boolean()),
      history: maybe(fc.array(fc.string(), { maxLength: 2 })),
      within,
      age: maybe(span),
      maxAge: fc.constantFrom(10, 1_000),
      adopting: maybe(fc.boolean()),
    })
    .map(({ age, ...draft }): Step => {
      const request = tidy(draft) as Parameters<Store["begin"]>[0];
      return (store, now) => store.begin(age === undefined ? request : { ...request, issuedAt: now - age });
    }),
);

const swap = group.chain((owner) =>
  fc
    .record({
      change: change(owner),
      within,
      notAfter: maybe(span.map((ms) => START + ms)),
      ifGeneration: maybe(fc.integer({ min: 0, max: 2 })),
    })
    .map(({ change: fields, ...rest }): Step => {
      const request = tidy({ ...fields, group: owner, ...rest }) as Parameters<Store["swap"]>[0];
      return (store) => store.swap(request);
    }),
);

const reason = fc.constantFrom("drift", "conflict");
const suspension: fc.Arbitrary<Step> = fc
  .tuple(group, fc.boolean(), reason, fc.option(reason))
  .map(([{ server, tool }, lift, reason, other]) => (store) => {
    const of = (reason: string) => ({ server, tool, reason, actor: "test" });
    const seen = other === null ? undefined : of(other);
    return lift ? store.lift(server, tool, seen) : store.suspend(of(reason), seen);
  });

const steps = fc.array(
  fc
    .oneof({ weight: 4, arbitrary: begin }, { weight: 6, arbitrary: swap }, { weight: 1, arbitrary: suspension })
    .chain((step) => fc.record({ step: fc.constant(step), wait: fc.constantFrom(0, 0, 1, 7, 30) })),
  { minLength: 1, maxLength: 40 },
);

/** Everything that a store shows. */
async function everything(store: Store): Promise<unknown> {
  const ids = groups.flatMap(({ tag }) => ["a", "b", "c"].map((name) => `${tag}_${name}`));
  return {
    records: await Promise.all(ids.map((id) => store.read(id))),
    histories: await Promise.all(ids.map((id) => store.history(id))),
    due: await store.due(100),
    open: (await store.list({ index: "open" })).items,
    attention: (await store.list({ index: "attention", server: "billing" })).items,
    suspensions: (await store.suspensions()).map(({ server, reason, at }) => [server, reason, at]).sort(),
  };
}

test("whatever is done to it, the SQLite store answers as the memory store does", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (run) => {
      let now = START;
      const reference = memoryStore({ now: () => now });
      const clock = { wall: () => now, monotonic: () => now };
      const store = sqliteStore({ file: newFile(), synchronous: "NORMAL", clock });
      await store.open();
      try {
        for (const { step, wait } of run) {
          now += wait;
          expect(await step(store, now)).toEqual(await step(reference, now));
        }
        expect(await everything(store)).toEqual(await everything(reference));
        now += 50;
        expect(await everything(store)).toEqual(await everything(reference));
      } finally {
        await store.close();
      }
    }),
    { numRuns: 300 },
  );
}, 120_000);
