/** A missing record is not proof of no attempt. */
import assert from "node:assert/strict";
import {
  assertNothing,
  assertUntouched,
  change,
  created,
  intent,
  newGroup,
  newToken,
  nowOf,
  recordOf,
  type StoreCase,
  storeCase,
  swapOf,
  swapped,
} from "./harness.ts";

export const lossCases: readonly StoreCase[] = [
  storeCase("I7", "An intent older than its limit and without a record is suspect", async ({ store }) => {
    const issuedAt = (await nowOf(store)) - 10_000;
    const request = intent(newGroup(), { issuedAt, maxAge: 5_000, holds: ["e"], history: ["begun"] });
    const reply = await store.begin(request);
    assert.deepEqual([reply.kind, reply.kind === "suspect" && reply.because], ["suspect", "intent_too_old"]);
    await assertNothing(store, request.id);
    assert.equal((await store.begin(intent(request.group, { blockedBy: ["e"] }))).kind, "created");
  }),

  storeCase("I7", "A young intent, and one that does not say its age, is not suspect", async ({ store }) => {
    const issuedAt = (await nowOf(store)) - 10_000;
    await created(store, intent(newGroup(), { issuedAt, maxAge: 60_000 }));
    await created(store, intent(newGroup(), { maxAge: 0 }));
  }),

  storeCase("I7", "A suspect intent can be adopted, with the token of the refused begin", async ({ store }) => {
    const issuedAt = (await nowOf(store)) - 10_000;
    const request = intent(newGroup(), { issuedAt, maxAge: 5_000 });
    assert.equal((await store.begin(request)).kind, "suspect");
    await created(store, { ...request, adopting: true, body: "adopted" });
    assert.equal((await recordOf(store, request.id)).body, "adopted");
  }),

  storeCase(
    "I7",
    "Adopting skips only the doubt about the store: holds and other arguments still refuse",
    async (bench) => {
      const { store } = bench;
      const group = newGroup();
      const owner = intent(group, { holds: ["e"] });
      const { now } = await created(store, owner);
      const old = { issuedAt: now - 10_000, maxAge: 5_000, adopting: true };
      assert.equal((await store.begin(intent(group, { ...old, blockedBy: ["e"] }))).kind, "held");
      assert.equal((await store.begin({ ...owner, ...old, token: newToken(), digest: "digest-2" })).kind, "mismatch");
      assert.equal((await store.begin(intent(group, { ...old, within: -60_000 }))).kind, "late");
    },
  ),

  storeCase(
    "I7",
    "After a loss that the store noticed, older intents are suspect and newer ones are not",
    async ({ store, lose, pass }) => {
      const group = newGroup();
      const lost = intent(group);
      const { now } = await created(store, lost);
      await pass(20);
      await lose();
      const again = { ...lost, token: newToken(), issuedAt: now };
      const reply = await store.begin(again);
      assert.deepEqual([reply.kind, reply.kind === "suspect" && reply.because], ["suspect", "store_loss"]);
      await assertNothing(store, lost.id);
      await created(store, { ...again, adopting: true, body: "adopted" });
      await pass(20);
      await created(store, intent(group, { issuedAt: await nowOf(store) }));
      const other = await store.begin(intent(newGroup(), { issuedAt: now }));
      assert.equal(other.kind, "suspect", "every group may have lost something");
    },
    ["lose"],
  ),

  storeCase(
    "I7",
    "After a loss every record that is handed out says so, and so does a new one",
    async ({ store, lose, pass }) => {
      const group = newGroup();
      const before = await created(store, intent(group));
      assert.equal(before.lossAt, undefined, "nothing is lost yet");
      await pass(20);
      await lose();
      const request = intent(group, { holds: ["e"], attention: true, due: { after: 0 } });
      const { now, lossAt } = await created(store, request);
      assert.ok(lossAt !== undefined && lossAt > before.now, "the reply must tell of the loss");
      const again = await store.begin({ ...request, token: newToken() });
      const other = await store.begin({ ...request, token: newToken(), digest: "digest-2" });
      const held = await store.begin(intent(group, { blockedBy: ["e"] }));
      const stale = await store.swap(swapOf(group, request.id, 7, { lossAt }));
      assert.ok(again.kind === "exists" && other.kind === "mismatch" && held.kind === "held" && stale.kind === "stale");
      const lists = [
        await store.due(10),
        await store.list({ index: "open" }),
        await store.list({ index: "attention", payloads: true }),
      ];
      const listed = lists.flatMap(({ items }) => items).filter(({ id }) => id === request.id);
      assert.equal(listed.length, 3);
      for (const record of [again.record, other.record, held.record, stale.record, ...listed]) {
        assert.deepEqual([record.lossAt, record.at], [lossAt, now]);
      }
      assert.equal((await recordOf(store, request.id)).lossAt, lossAt);
    },
    ["lose"],
  ),

  storeCase(
    "I2",
    "A swap that was decided before a loss is stale although its version fits the record that came after it",
    async ({ store, lose, pass }) => {
      const request = intent(newGroup());
      await created(store, request);
      await pass(20);
      await lose();
      const adopted = { ...request, token: newToken(), adopting: true, body: "adopted" };
      const { lossAt } = await created(store, adopted);
      const before = await recordOf(store, request.id);
      const old = swapOf(request.group, request.id, 1, { body: "an old handle", history: ["old"] });
      const reply = await store.swap(old);
      assert.ok(reply.kind === "stale" && reply.record.body === "adopted" && reply.record.lossAt === lossAt);
      await assertUntouched(store, before);
      assert.deepEqual(await store.history(request.id), []);
      assert.ok(lossAt !== undefined, "the loss must be known");
      await swapped(store, { ...old, lossAt, history: [] });
    },
    ["lose"],
  ),

  storeCase(
    "I2",
    "A swap that comes first after a loss notices it",
    async ({ store, lose, pass }) => {
      const request = intent(newGroup());
      const { now } = await created(store, request);
      await pass(20);
      await lose();
      const reply = await store.swap(swapOf(request.group, request.id, 1));
      assert.ok(reply.kind === "gone" || (reply.kind === "stale" && (reply.record.lossAt ?? 0) > now));
      const { lossAt = 0 } = await created(store, intent(request.group));
      assert.ok(lossAt > now, "the loss must be known now");
    },
    ["lose"],
  ),

  storeCase(
    "I2",
    "A delivery that was decided before a loss is skipped",
    async ({ store, lose, pass }) => {
      const request = intent(newGroup());
      await created(store, request);
      await pass(20);
      await lose();
      const adopted = { ...request, token: newToken(), adopting: true, body: "adopted" };
      const { lossAt } = await created(store, adopted);
      const old = change(request.id, 1, { body: "an old handle" });
      await created(store, intent(request.group, { acks: [old] }));
      assert.equal((await recordOf(store, request.id)).body, "adopted");
      const fresh = change(request.id, 1, { body: "delivered", ...(lossAt !== undefined && { lossAt }) });
      await created(store, intent(request.group, { acks: [fresh] }));
      assert.equal((await recordOf(store, request.id)).body, "delivered");
    },
    ["lose"],
  ),

  storeCase(
    "I2",
    "Each loss has a time of its own, and what is written after one is younger than it",
    async ({ store, lose, pass }) => {
      const group = newGroup();
      await created(store, intent(group));
      await pass(20);
      await lose();
      const first = await created(store, intent(group));
      await lose();
      const second = await created(store, intent(group));
      assert.ok(first.lossAt !== undefined && second.lossAt !== undefined);
      assert.ok(first.lossAt < second.lossAt, "a second loss must not pass for the first");
      assert.ok(first.now > first.lossAt && second.now > second.lossAt);
    },
    ["lose"],
  ),

  storeCase(
    "I7",
    "A loss stays known to processes that come later",
    async ({ store, lose, pass, reopen }) => {
      const group = newGroup();
      const { now } = await created(store, intent(group));
      await pass(20);
      await lose();
      assert.equal((await store.begin(intent(group, { issuedAt: now }))).kind, "suspect");
      const other = await reopen();
      assert.equal((await other.begin(intent(group, { issuedAt: now }))).kind, "suspect");
    },
    ["lose", "reopen"],
  ),
];
