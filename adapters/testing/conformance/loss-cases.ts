/** A missing record is not proof of no attempt. */
import assert from "node:assert/strict";
import {
  assertNothing,
  created,
  intent,
  newGroup,
  newToken,
  nowOf,
  recordOf,
  type StoreCase,
  storeCase,
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
