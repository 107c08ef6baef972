/** Suspensions: durable, shared, the first one stays, and every group of the tool hears of it. */
import assert from "node:assert/strict";
import { created, intent, newGroup, nowOf, recordOf, type StoreCase, storeCase, swapOf, swapped } from "./harness.ts";

const drift = { server: "billing", tool: "create_invoice", reason: "drift", actor: "catalog", detail: '{"a":"ü"}' };

const conflict = { server: drift.server, tool: drift.tool, reason: "conflict", actor: "other" };

export const suspensionCases: readonly StoreCase[] = [
  storeCase("store", "A suspension keeps its reason, its actor and its time until it is lifted", async ({ store }) => {
    const before = await nowOf(store);
    await store.suspend(drift);
    const [suspension, ...more] = await store.suspensions();
    assert.ok(suspension && more.length === 0);
    const { at, ...rest } = suspension;
    assert.deepEqual(rest, drift);
    assert.ok(at >= before && at <= (await nowOf(store)), "stamped by the store");
    await store.lift(drift.server, drift.tool);
    assert.deepEqual(await store.suspensions(), []);
  }),

  storeCase("store", "The first suspension of a tool stays, later ones change nothing", async ({ store }) => {
    await store.suspend(drift);
    const first = await store.suspensions();
    assert.deepEqual([await store.suspend(conflict)], first, "it tells which one stands");
    assert.deepEqual(await store.suspensions(), first);
    assert.deepEqual([await store.suspend(drift)], first);
  }),

  storeCase("store", "A suspension takes the place of the one it was meant for, and of no other", async ({ store }) => {
    await store.suspend(drift);
    const first = await store.suspensions();
    for (const other of [
      { ...drift, detail: "{}" },
      { ...drift, actor: "ann" },
      { ...drift, reason: "expired" },
    ]) {
      assert.deepEqual([await store.suspend(conflict, other)], first);
      assert.deepEqual(await store.suspensions(), first);
    }
    const { at, ...stands } = await store.suspend(conflict, drift);
    assert.deepEqual(stands, conflict);
    assert.deepEqual(await store.suspensions(), [{ ...conflict, at }]);
    assert.deepEqual(await store.suspend(conflict, drift), { ...conflict, at }, "a repeat changes nothing");
  }),

  storeCase("store", "While one suspension takes the place of another the tool is never without", async ({ store }) => {
    const request = intent(newGroup());
    await store.suspend(drift);
    const { generation } = await created(store, request);
    const seen: number[] = [];
    let over = false;
    const watching = (async () => {
      while (!over) {
        seen.push((await store.suspensions()).length);
        await new Promise(setImmediate);
      }
    })();
    for (let turn = 0; turn < 20; turn += 1) {
      await store.suspend(conflict, drift);
      await store.suspend(drift, conflict);
    }
    over = true;
    await watching;
    assert.ok(seen.length > 0 && seen.every((count) => count === 1));
    assert.equal((await store.read(request.id)).generation, generation, "no resend was possible in between");
  }),

  storeCase("store", "What is there no more is suspended all the same", async ({ store }) => {
    const { at, ...stands } = await store.suspend(conflict, drift);
    assert.deepEqual(stands, conflict);
    assert.deepEqual(await store.suspensions(), [{ ...conflict, at }]);
  }),

  storeCase("store", "Lifting one suspension leaves another one in its place", async ({ store }) => {
    await store.suspend(conflict);
    assert.equal(await store.lift(drift.server, drift.tool, drift), false);
    assert.equal((await store.suspensions()).length, 1);
    assert.equal(await store.lift(drift.server, drift.tool, conflict), true);
    assert.deepEqual(await store.suspensions(), []);
    assert.equal(await store.lift(drift.server, drift.tool, conflict), true);
  }),

  storeCase("store", "Suspensions and their lifting concern one tool of one server", async ({ store }) => {
    await store.suspend(drift);
    await store.suspend({ server: "files", tool: drift.tool, reason: "drift", actor: "catalog" });
    await store.lift("billing", "another_tool");
    assert.equal((await store.suspensions()).length, 2);
    await store.lift("billing", drift.tool);
    assert.deepEqual(
      (await store.suspensions()).map(({ server, detail }) => [server, detail]),
      [["files", undefined]],
    );
    await store.lift("billing", drift.tool);
  }),

  storeCase("store", "A suspension stops the swaps of all tenants that were decided before it", async ({ store }) => {
    const [mine, theirs, other] = [newGroup(), newGroup(), newGroup("billing", "refund")];
    const requests = [intent(mine), intent(theirs), intent(other)] as const;
    const generations: number[] = [];
    for (const request of requests) generations.push((await created(store, request)).generation);
    await store.suspend(drift);
    for (const [n, request] of requests.entries()) {
      const ifGeneration = generations[n] ?? -1;
      const reply = await store.swap(swapOf(request.group, request.id, 1, { ifGeneration, history: ["resent"] }));
      if (request.group === other) {
        assert.equal(reply.kind, "swapped", "another tool is not concerned");
        continue;
      }
      assert.equal(reply.kind, "generation_changed");
      assert.ok(reply.kind === "generation_changed");
      assert.equal((await recordOf(store, request.id)).version, 1);
      assert.deepEqual(await store.history(request.id), []);
      const { generation } = await store.read(request.id);
      assert.equal(generation, reply.generation);
      await swapped(store, swapOf(request.group, request.id, 1, { ifGeneration: generation }));
    }
  }),

  storeCase(
    "store",
    "A swap that does not ask for the generation passes, and calls are still begun",
    async ({ store }) => {
      const request = intent(newGroup());
      await created(store, request);
      await store.suspend(drift);
      await swapped(store, swapOf(request.group, request.id, 1));
      await created(store, intent(request.group));
    },
  ),

  storeCase("store", "begin tells the generation that a swap then asks for, before and after", async ({ store }) => {
    const group = newGroup();
    for (let round = 0; round < 3; round += 1) {
      const request = intent(group);
      const { generation } = await created(store, request);
      assert.equal((await store.read(request.id)).generation, generation);
      await swapped(store, swapOf(group, request.id, 1, { ifGeneration: generation }));
      await store.suspend(drift);
      const late = await store.swap(swapOf(group, request.id, 2, { ifGeneration: generation }));
      assert.equal(late.kind, "generation_changed", "each new suspension raises the generation");
      await store.lift(drift.server, drift.tool);
    }
  }),

  storeCase("I8", "A repeated swap is answered the same although the tool was suspended since", async ({ store }) => {
    const request = intent(newGroup());
    const { generation } = await created(store, request);
    const swap = swapOf(request.group, request.id, 1, { ifGeneration: generation });
    const first = await store.swap(swap);
    await store.suspend(drift);
    assert.deepEqual(await store.swap(swap), first);
  }),

  storeCase(
    "store",
    "A suspension made in one process holds in all of them",
    async ({ store, reopen }) => {
      const other = await reopen();
      const request = intent(newGroup());
      const { generation } = await created(other, request);
      await store.suspend(drift);
      assert.deepEqual(await other.suspensions(), await store.suspensions());
      const reply = await other.swap(swapOf(request.group, request.id, 1, { ifGeneration: generation }));
      assert.equal(reply.kind, "generation_changed");
      await other.lift(drift.server, drift.tool);
      assert.deepEqual(await store.suspensions(), []);
    },
    ["reopen"],
  ),
];
