/** Hold entries: who owns them, whom they block, when they end; and the deliveries that ride on `begin`. */
import assert from "node:assert/strict";
import {
  assertNothing,
  assertUntouched,
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

export const holdCases: readonly StoreCase[] = [
  storeCase("I1", "A call is held while another operation owns the entry", async ({ store }) => {
    const group = newGroup();
    const owner = intent(group, { holds: ["a", "b"], payload: "sealed" });
    await created(store, owner);
    const request = intent(group, { blockedBy: ["x", "b"], holds: ["b"], history: ["begun"] });
    const reply = await store.begin(request);
    assert.equal(reply.kind, "held");
    assert.ok(reply.kind === "held");
    assert.equal(reply.entry, "b");
    assert.deepEqual(reply.record, await recordOf(store, owner.id), "the reply shows the owner with its payload");
    await assertNothing(store, request.id);
  }),

  storeCase("store", "An entry that nobody owns blocks nobody", async ({ store }) => {
    const group = newGroup();
    await created(store, intent(group, { holds: ["a"] }));
    await created(store, intent(group, { holds: ["b"], blockedBy: ["b", "c"] }));
  }),

  storeCase("store", "Several operations may own one entry; the last to let go ends the hold", async ({ store }) => {
    const group = newGroup();
    const [first, second] = [intent(group, { holds: ["e"] }), intent(group, { holds: ["e"] })];
    await created(store, first);
    await created(store, second);
    const isHeld = async () => (await store.begin(intent(group, { blockedBy: ["e"] }))).kind === "held";
    assert.ok(await isHeld());
    await swapped(store, swapOf(group, first.id, 1, { removeHolds: ["e"] }));
    const reply = await store.begin(intent(group, { blockedBy: ["e"] }));
    assert.ok(reply.kind === "held" && reply.record.id === second.id, "the second still owns it");
    await swapped(store, swapOf(group, second.id, 1, { removeHolds: ["e"] }));
    assert.equal(await isHeld(), false);
  }),

  storeCase(
    "store",
    "A swap can add and remove entries, and removing one it does not own is no harm",
    async ({ store }) => {
      const group = newGroup();
      const [owner, other] = [intent(group), intent(group)];
      await created(store, owner);
      await created(store, other);
      await swapped(store, swapOf(group, owner.id, 1, { addHolds: ["late"] }));
      await swapped(store, swapOf(group, other.id, 1, { removeHolds: ["late"] }));
      assert.equal((await store.begin(intent(group, { blockedBy: ["late"] }))).kind, "held");
      await swapped(store, swapOf(group, owner.id, 2, { addHolds: ["late"], removeHolds: [] }));
      await swapped(store, swapOf(group, owner.id, 3, { removeHolds: ["late"] }));
      assert.equal((await store.begin(intent(group, { blockedBy: ["late"] }))).kind, "created");
    },
  ),

  storeCase("store", "A refused swap leaves the holds as they were", async ({ store }) => {
    const group = newGroup();
    const owner = intent(group, { holds: ["e"] });
    await created(store, owner);
    await store.swap(swapOf(group, owner.id, 5, { removeHolds: ["e"], addHolds: ["f"] }));
    assert.equal((await store.begin(intent(group, { blockedBy: ["e"] }))).kind, "held");
    assert.equal((await store.begin(intent(group, { blockedBy: ["f"] }))).kind, "created");
  }),

  storeCase("store", "A delivery that rides on a begin is applied before the hold is looked at", async ({ store }) => {
    const group = newGroup();
    const owner = intent(group, { holds: ["e"], payload: "sealed" });
    await created(store, owner);
    const ack = change(owner.id, 1, { body: "delivered", removeHolds: ["e"], history: ["delivered"] });
    const { now } = await created(store, intent(group, { blockedBy: ["e"], holds: ["e"], acks: [ack] }));
    const record = await recordOf(store, owner.id);
    assert.deepEqual([record.version, record.at, record.body, record.payload], [2, now, "delivered", "sealed"]);
    assert.deepEqual(await store.history(owner.id), [{ at: now, line: "delivered" }]);
  }),

  storeCase("store", "A delivery stays applied although its begin is held by another operation", async ({ store }) => {
    const group = newGroup();
    const [delivered, owner] = [intent(group, { holds: ["d"] }), intent(group, { holds: ["e"] })];
    await created(store, delivered);
    await created(store, owner);
    const ack = change(delivered.id, 1, { removeHolds: ["d"] });
    assert.equal((await store.begin(intent(group, { blockedBy: ["e"], acks: [ack] }))).kind, "held");
    assert.equal((await recordOf(store, delivered.id)).version, 2);
  }),

  storeCase("store", "Several deliveries are applied in order, each with all that a swap can do", async ({ store }) => {
    const group = newGroup();
    const owner = intent(group, { holds: ["e"] });
    await created(store, owner);
    const acks = [
      change(owner.id, 1, { body: "one", due: { after: 0 }, attention: true, addHolds: ["f"], history: ["one"] }),
      change(owner.id, 2, { body: "two", due: { after: 0 }, attention: true, payload: "p", history: ["two"] }),
    ];
    await created(store, intent(group, { acks }));
    const record = await recordOf(store, owner.id);
    assert.deepEqual([record.version, record.body, record.payload], [3, "two", "p"]);
    const lines = (await store.history(owner.id)).map(({ line }) => line);
    assert.deepEqual(lines, ["one", "two"]);
    assert.ok((await store.due(100)).items.some(({ id }) => id === owner.id));
    assert.ok((await store.list({ index: "attention" })).items.some(({ id }) => id === owner.id));
    assert.equal((await store.begin(intent(group, { blockedBy: ["f"] }))).kind, "held");
  }),

  storeCase("I8", "A delivery that is stale, repeated or for a forgotten record is skipped", async ({ store }) => {
    const group = newGroup();
    const owner = intent(group);
    await created(store, owner);
    const ack = change(owner.id, 1, { history: ["delivered"] });
    await created(store, intent(group, { acks: [ack] }));
    const before = await recordOf(store, owner.id);
    const gone = change(newId(group), 1, { addHolds: ["e"], due: { after: 0 }, history: ["never"] });
    const stale = change(owner.id, 1, { body: "stale", addHolds: ["e"], history: ["never"] });
    await created(store, intent(group, { acks: [gone, ack, stale], blockedBy: ["e"] }));
    await assertUntouched(store, before);
    await assertNothing(store, gone.id);
    assert.equal((await store.history(owner.id)).length, 1);
  }),
];
