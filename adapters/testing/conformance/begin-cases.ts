/** The steps of `begin`, their order, and what a repeat of it answers. */
import assert from "node:assert/strict";
import {
  assertNothing,
  assertUntouched,
  change,
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

const OVER = -60_000;

export const beginCases: readonly StoreCase[] = [
  storeCase("store", "A new intent is written as version 1, exactly as given", async ({ store }) => {
    const request = intent(newGroup(), { payload: "sealed", history: ["begun"] });
    const reply = await created(store, request);
    const record = await recordOf(store, request.id);
    assert.deepEqual(record, {
      id: request.id,
      group: request.group,
      version: 1,
      at: reply.now,
      digest: request.digest,
      body: request.body,
      payload: "sealed",
    });
    assert.deepEqual(await store.history(request.id), [{ at: reply.now, line: "begun" }]);
  }),

  storeCase(
    "I8",
    "A begin whose reply was lost may be sent again and is answered the same",
    async ({ store, pass }) => {
      const request = intent(newGroup(), { history: ["begun"] });
      const first = await created(store, request);
      await pass(30);
      assert.deepEqual(await store.begin(request), first);
      assert.equal((await recordOf(store, request.id)).version, 1);
      assert.equal((await store.history(request.id)).length, 1, "the repeat must not add history");
    },
  ),

  storeCase("I8", "A repeated begin does not apply its deliveries twice", async ({ store }) => {
    const group = newGroup();
    const earlier = intent(group);
    await created(store, earlier);
    const request = intent(group, { acks: [change(earlier.id, 1, { history: ["delivered"] })] });
    await created(store, request);
    await created(store, request);
    assert.equal((await recordOf(store, earlier.id)).version, 2);
    assert.equal((await store.history(earlier.id)).length, 1);
  }),

  storeCase("I8", "A begin repeated after the record moved on reads the record", async ({ store }) => {
    const request = intent(newGroup());
    await created(store, request);
    await swapped(store, swapOf(request.group, request.id, 1, { token: request.token }));
    const reply = await store.begin(request);
    assert.equal(reply.kind, "exists");
    assert.ok(reply.kind === "exists" && reply.record.version === 2);
  }),

  storeCase(
    "store",
    "The same operation begun by someone else reads the record with its payload",
    async ({ store }) => {
      const request = intent(newGroup(), { payload: "sealed" });
      await created(store, request);
      const reply = await store.begin({ ...request, token: newToken(), body: "other", payload: "other" });
      assert.equal(reply.kind, "exists");
      assert.ok(reply.kind === "exists");
      assert.deepEqual(reply.record, await recordOf(store, request.id));
      assert.equal(reply.record.payload, "sealed");
      assert.equal(reply.record.body, request.body);
    },
  ),

  storeCase("I10", "The same operation with other arguments is refused and writes nothing", async ({ store }) => {
    const group = newGroup();
    const earlier = intent(group);
    await created(store, earlier);
    const request = intent(group);
    await created(store, request);
    const [before, beforeEarlier] = [await recordOf(store, request.id), await recordOf(store, earlier.id)];
    const reply = await store.begin({
      ...request,
      token: newToken(),
      digest: "digest-2",
      body: "other",
      holds: ["entry"],
      history: ["other"],
      acks: [change(earlier.id, 1)],
    });
    assert.equal(reply.kind, "mismatch");
    await assertUntouched(store, before);
    await assertUntouched(store, beforeEarlier);
    assert.deepEqual(await store.history(request.id), []);
    assert.equal((await store.begin(intent(group, { blockedBy: ["entry"] }))).kind, "created");
  }),

  storeCase("I10", "Other arguments are refused also after the operation is settled", async ({ store }) => {
    const request = intent(newGroup());
    await created(store, request);
    await swapped(store, swapOf(request.group, request.id, 1));
    const reply = await store.begin({ ...request, token: newToken(), digest: "digest-2" });
    assert.equal(reply.kind, "mismatch");
  }),

  storeCase("I8", "A begin that arrives after its time writes nothing", async ({ store }) => {
    const group = newGroup();
    const earlier = intent(group);
    await created(store, earlier);
    const before = await recordOf(store, earlier.id);
    const request = intent(group, { within: OVER, history: ["begun"], acks: [change(earlier.id, 1)] });
    assert.equal((await store.begin(request)).kind, "late");
    await assertNothing(store, request.id);
    await assertUntouched(store, before);
  }),

  storeCase("store", "Late comes before everything else, also before an existing record", async ({ store }) => {
    const request = intent(newGroup());
    await created(store, request);
    assert.equal((await store.begin({ ...request, within: OVER })).kind, "late");
    assert.equal((await store.begin({ ...request, digest: "digest-2", token: newToken(), within: OVER })).kind, "late");
  }),

  storeCase("store", "An existing record comes before holds and before the age of the intent", async ({ store }) => {
    const group = newGroup();
    const owner = intent(group, { holds: ["entry"] });
    await created(store, owner);
    const request = intent(group);
    const { now } = await created(store, request);
    const again = { ...request, token: newToken(), blockedBy: ["entry"], issuedAt: now - 10_000, maxAge: 5_000 };
    assert.equal((await store.begin(again)).kind, "exists");
  }),

  storeCase("store", "A hold comes before the age of the intent", async ({ store }) => {
    const group = newGroup();
    const { now } = await created(store, intent(group, { holds: ["entry"] }));
    const old = intent(group, { blockedBy: ["entry"], issuedAt: now - 10_000, maxAge: 5_000 });
    assert.equal((await store.begin(old)).kind, "held");
  }),

  storeCase("store", "Operations of two tools, servers and tenants never meet", async ({ store }) => {
    const groups = [newGroup(), newGroup("billing", "refund"), newGroup("files"), newGroup()];
    const suffix = "zzzzzzzzzzzzzzzzzzzzzzzzzz";
    for (const group of groups) {
      const request = intent(group, { id: `${group.tag}_${suffix}`, body: group.tag, holds: ["e"], blockedBy: ["e"] });
      await created(store, request);
    }
    for (const group of groups) {
      const record = await recordOf(store, `${group.tag}_${suffix}`);
      assert.deepEqual([record.group, record.body], [group, group.tag]);
    }
  }),
];
