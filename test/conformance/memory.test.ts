import assert from "node:assert/strict";
import { describe, expect, test } from "vitest";
import { type MemoryStore, memoryStore } from "../../adapters/stores/memory/index.ts";
import { describeStore } from "../../adapters/testing/index.ts";

let time = 1_800_000_000_000;

describeStore(
  "The memory store",
  {
    open: async () => memoryStore({ now: () => time }),
    reopen: async (store) => (store as MemoryStore).another(),
    advance: (ms) => {
      time += ms;
    },
    lose: async (store) => (store as MemoryStore).loseEverythingSince(0),
  },
  { describe, test },
);

describeStore(
  "The memory store on the clock of this machine",
  { open: async () => memoryStore(), reopen: async (store) => (store as MemoryStore).another() },
  { describe, test },
);

describe("The memory store", () => {
  const group = { tag: "aaaaaaaaaa", tenant: "t", server: "billing", tool: "create_invoice" };
  const intent = (id: string) => ({
    ...{ group, id, digest: "d", token: id, body: "begun", holds: [id], blockedBy: [], acks: [] },
    ...{ due: { after: 0 }, within: 1_000, maxAge: 1_000_000 },
  });

  test("says loudly that it forgets everything, with the cure", async () => {
    const { ok, warnings } = await memoryStore().health();
    expect(ok).toBe(true);
    expect(warnings.join()).toMatch(/forgotten.*sqliteStore\(\)/);
  });

  test("a loss takes back the newest writes only: older versions and their holds are there again", async () => {
    let now = 1_000_000;
    const store = memoryStore({ now: () => now });
    await store.begin(intent("old"));
    now += 1_000;
    const settle = { id: "old", expect: 1, token: "s", body: "settled", removeHolds: ["old"], due: null };
    await store.swap({ ...settle, group, attention: false, within: 1_000 });
    await store.begin(intent("new"));
    store.loseEverythingSince(now);
    const { record } = await store.read("old");
    expect([record?.version, record?.body]).toEqual([1, "begun"]);
    expect((await store.read("new")).record).toBeUndefined();
    const held = await store.begin({ ...intent("other"), blockedBy: ["new", "old"] });
    assert.ok(held.kind === "held" && held.entry === "old");
    expect(await store.begin({ ...intent("new"), issuedAt: now })).toMatchObject({ because: "store_loss" });
  });

  test("its clock does not follow a machine clock that goes back", async () => {
    let now = 1_000_000;
    const store = memoryStore({ now: () => now });
    await store.read("x");
    now -= 500_000;
    expect((await store.read("x")).now).toBe(1_000_000);
  });
});
