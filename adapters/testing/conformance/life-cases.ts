/** Texts, history, opening and closing. */
import assert from "node:assert/strict";
import type { Store } from "../../../src/entries/store.ts";
import { isIndoubtError } from "../../../src/index.ts";
import {
  change,
  created,
  intent,
  newGroup,
  newId,
  recordOf,
  type StoreCase,
  storeCase,
  swapOf,
  swapped,
} from "./harness.ts";

const TEXTS: Readonly<Record<string, string>> = {
  quotes: `'"\`\\ -- ; DROP TABLE records; %s $1 ? :x`,
  lines: "a\nb\r\nc\td\u2028e\u0001f\u007f",
  unicode: "Grüße 東京 🚀 \u{1F468}\u200D\u{1F469} \uFEFFé e\u0301",
  looksLikeNumber: "0012e5",
  looksLikeNull: "null",
  large: `${"0123456789abcdeß".repeat(4096)}`,
};

const isUnavailable = (error: unknown): boolean => isIndoubtError(error) && error.code === "STORE_UNAVAILABLE";

export const lifeCases: readonly StoreCase[] = [
  storeCase("store", "Body, payload, history and hold entries come back as they were given", async ({ store }) => {
    for (const [name, text] of Object.entries(TEXTS)) {
      const group = newGroup();
      const entry = `entry-${text.slice(0, 100)}`;
      const request = intent(group, { body: text, payload: text, history: [text], holds: [entry] });
      await created(store, request);
      const seen = async () => {
        const record = await recordOf(store, request.id);
        assert.equal(record.body, text, `body: ${name}`);
        assert.equal(record.payload, text, `payload: ${name}`);
        assert.ok(
          (await store.history(request.id)).every(({ line }) => line === text),
          `history: ${name}`,
        );
      };
      await seen();
      await swapped(store, swapOf(group, request.id, 1, { body: text, payload: text, history: [text] }));
      await seen();
      const reply = await store.begin(intent(group, { blockedBy: [entry] }));
      assert.ok(reply.kind === "held" && reply.entry === entry && reply.record.body === text, `held: ${name}`);
    }
  }),

  storeCase("store", "Names of servers and tools come back as they were given", async ({ store }) => {
    const group = newGroup("sérver {1}:'x'", 'tool/"ü" %\n');
    const request = intent(group);
    await created(store, request);
    assert.deepEqual((await recordOf(store, request.id)).group, group);
    await store.suspend({ server: group.server, tool: group.tool, reason: "r", actor: "a" });
    const [suspension] = await store.suspensions();
    assert.deepEqual([suspension?.server, suspension?.tool], [group.server, group.tool]);
    const page = await store.list({ index: "open", server: group.server, tool: group.tool });
    assert.equal(page.items.length, 1);
  }),

  storeCase("store", "History is only ever added to, in order, each line with its time", async ({ store, pass }) => {
    const request = intent(newGroup(), { history: ["1", "2"] });
    const begun = await created(store, request);
    await pass(5);
    const first = await swapped(store, swapOf(request.group, request.id, 1, { history: ["3", "3"] }));
    await swapped(store, swapOf(request.group, request.id, 2));
    await pass(5);
    const ack = change(request.id, 3, { history: ["4"] });
    const { now } = await created(store, intent(request.group, { acks: [ack] }));
    assert.deepEqual(await store.history(request.id), [
      { at: begun.now, line: "1" },
      { at: begun.now, line: "2" },
      { at: first, line: "3" },
      { at: first, line: "3" },
      { at: now, line: "4" },
    ]);
  }),

  storeCase("store", "Reading what does not exist finds nothing and is no error", async ({ store }) => {
    const reply = await store.read(newId(newGroup()));
    assert.equal(reply.record, undefined);
    assert.ok(Number.isSafeInteger(reply.now) && reply.now > 0, "the clock counts whole milliseconds");
    assert.deepEqual(await store.history(newId(newGroup())), []);
    assert.deepEqual((await store.due(10)).items, []);
    for (const index of ["open", "attention"] as const) {
      const page = await store.list({ index });
      assert.deepEqual([page.items, page.nextCursor], [[], undefined]);
    }
    assert.deepEqual(await store.suspensions(), []);
  }),

  storeCase("store", "A working store says so and names what it does not protect against", async ({ store }) => {
    const health = await store.health();
    assert.deepEqual([health.kind, health.ok], [store.kind, true]);
    for (const warning of health.warnings) assert.ok(warning.length > 20, "a warning is a sentence with its cure");
  }),

  storeCase("store", "Opening and closing twice is no harm", async ({ store }) => {
    await Promise.all([store.open(), store.open()]);
    await created(store, intent(newGroup()));
    await store.open();
    await store.close();
    await store.close();
  }),

  storeCase("store", "A closed store refuses every call with STORE_UNAVAILABLE", async ({ store }) => {
    const request = intent(newGroup());
    await created(store, request);
    await store.close();
    const calls: Readonly<Record<string, (closed: Store) => Promise<unknown>>> = {
      begin: (closed) => closed.begin(intent(request.group)),
      swap: (closed) => closed.swap(swapOf(request.group, request.id, 1)),
      read: (closed) => closed.read(request.id),
      due: (closed) => closed.due(1),
      list: (closed) => closed.list({ index: "open" }),
      history: (closed) => closed.history(request.id),
      suspend: (closed) => closed.suspend({ server: "s", tool: "t", reason: "r", actor: "a" }),
      lift: (closed) => closed.lift("s", "t"),
      suspensions: (closed) => closed.suspensions(),
    };
    for (const [name, call] of Object.entries(calls)) {
      await assert.rejects(call(store), isUnavailable, `${name} on a closed store`);
    }
  }),

  storeCase("store", "Calls that are running when the store closes end, one way or the other", async ({ store }) => {
    const running = Array.from({ length: 20 }, () => store.begin(intent(newGroup())));
    await store.close();
    for (const result of await Promise.allSettled(running)) {
      if (result.status === "rejected") assert.ok(isUnavailable(result.reason), "the failure has its code");
      else assert.equal(result.value.kind, "created");
    }
  }),
];
