import { expect, it } from "vitest";
import { guardFunction, withCallContext } from "../../src/index.ts";
import { never, uuidv7, world } from "./support.ts";

it("I7: after a known loss an intent older than validFor is told as uncertain, never as not done", async () => {
  const { guard, hand, store } = world({ deadline: "1s" });
  let effects = 0;
  const pay = guardFunction(guard, { server: "bank", tool: "pay" }, () => {
    effects += 1;
    return never();
  });
  const context = { operationId: uuidv7(hand.now()) };
  void withCallContext(context, () => pay({ order: 1 }));
  await hand.move(1_200_000);
  store.loseEverythingSince(0);
  const again = withCallContext(context, () => pay({ order: 1 }));
  await hand.move(5_000);
  const outcome = await again;
  expect(effects).toBe(1);
  expect(outcome.kind === "refused" ? outcome.detail : "").not.toContain("mint a new operationId");
  expect(outcome.kind).toBe("uncertain");
});

it("I7: a call that waits for an attempt in flight does not send when that attempt's record vanishes", async () => {
  const { guard, hand, store } = world();
  let effects = 0;
  const pay = guardFunction(guard, { server: "bank", tool: "pay" }, () => {
    effects += 1;
    return never();
  });
  void pay({ order: 1 });
  await hand.move(100);
  void pay({ order: 1 });
  await hand.move(100);
  expect(effects).toBe(1);
  store.loseEverythingSince(0);
  await hand.move(2_000);
  expect(effects).toBe(1);
});

it("I12: an answer whose record vanished during the call is told and kept, not turned into doubt without a word", async () => {
  const { guard, hand, store } = world();
  const events: string[] = [];
  guard.on("unrecorded", () => events.push("unrecorded"));
  guard.on("warning", () => events.push("warning"));
  const pay = guardFunction(guard, { server: "bank", tool: "pay" }, async () => {
    store.loseEverythingSince(0);
    return { id: "INV-1" };
  });
  const calling = pay({ order: 1 });
  await hand.move(1_000);
  const outcome = await calling;
  expect({ kind: outcome.kind, recorded: outcome.recorded, heard: events.length > 0 }).toEqual({
    kind: "succeeded",
    recorded: false,
    heard: true,
  });
});
