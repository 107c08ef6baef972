import { describe, expect, test } from "vitest";
import {
  change,
  created,
  intent,
  newGroup,
  newToken,
  swapOf,
  swapped,
} from "../../../adapters/testing/conformance/harness.ts";
import { open, server, startPath } from "./support.ts";

/** A store behind a counting path, with a group that this process has used before. */
async function counted() {
  const path = await startPath((await server()).port);
  const store = await open(path.url);
  const group = newGroup();
  await created(store, intent(group));
  await swapped(
    store,
    swapOf(group, intentOf(await created(store, { ...intent(group), id: `${group.tag}_warm` }), group), 1),
  );
  const trips = async (work: () => Promise<unknown>) => {
    const before = path.roundTrips();
    await work();
    return path.roundTrips() - before;
  };
  return { store, group, trips };
}
const intentOf = (_: unknown, group: { tag: string }) => `${group.tag}_warm`;

describe("On a connection in use", () => {
  test("a clean write costs two round trips: one for begin, one for swap", async () => {
    const { store, group, trips } = await counted();
    const request = intent(group, { holds: ["e"], blockedBy: ["e"], payload: "p", history: ["begun"] });
    expect(await trips(() => created(store, request))).toBe(1);
    const swap = swapOf(group, request.id, 1, { removeHolds: ["e"], expireIn: 60_000, history: ["settled"] });
    expect(await trips(() => swapped(store, swap))).toBe(1);
  });

  test("a held call and a known operation cost one, with the record and its payload", async () => {
    const { store, group, trips } = await counted();
    const owner = intent(group, { holds: ["e"], payload: "sealed" });
    await created(store, owner);
    const ask = async (request: ReturnType<typeof intent>) => {
      const reply = await store.begin(request);
      expect(reply).toMatchObject({ record: { id: owner.id, payload: "sealed" } });
    };
    expect(await trips(() => ask(intent(group, { blockedBy: ["e"] })))).toBe(1);
    expect(await trips(() => ask({ ...owner, token: newToken() }))).toBe(1);
  });

  test("a delivery rides on the next begin for nothing", async () => {
    const { store, group, trips } = await counted();
    const earlier = intent(group);
    await created(store, earlier);
    const acks = [change(earlier.id, 1)];
    expect(await trips(() => created(store, intent(group, { acks })))).toBe(1);
  });
});
