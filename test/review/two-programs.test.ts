import { expect, it } from "vitest";
import { memoryStore } from "../../adapters/stores/memory/index.ts";
import { applied, createGuard, guardFunction, type ReconcileHook, unclear } from "../../src/index.ts";
import { handClock } from "../core/support/hand-clock.ts";
import { never, SECRET } from "./support.ts";

const pay = (reconcile: ReconcileHook) => ({ pay: { settle: 1_000, deadline: 1_000, reconcile } });

it("a program that does not know a server leaves its doubt to the one that does", async () => {
  const hand = handClock();
  const store = memoryStore({ now: hand.now });
  const common = { store, secret: SECRET, clock: hand.clock };
  let away = true;
  const look = async () => {
    if (away) throw new Error("not yet");
    return applied({ ref: "P-1" });
  };
  const bank = createGuard({ ...common, servers: { bank: { tools: pay(look) } } });
  const mail = createGuard({ ...common, servers: { mail: {} } });
  const calling = guardFunction(bank, { server: "bank", tool: "pay" }, never)({ order: "o1" });
  await hand.move(2_000);
  const { operation } = await calling;
  await hand.move(5_000);
  await mail.sweep();
  expect(await mail.queue.show(operation)).toMatchObject({ state: "uncertain" });
  away = false;
  await hand.move(60_000);
  await bank.sweep();
  expect(await bank.queue.show(operation)).toMatchObject({ state: "applied", ref: "P-1" });
});

it("I5: doubt that no program with its configuration comes for goes to a person all the same", async () => {
  const hand = handClock();
  const store = { ...memoryStore({ now: hand.now }), close: async () => {} };
  const common = { store, secret: SECRET, clock: hand.clock };
  const bank = createGuard({ ...common, servers: { bank: { tools: pay(async () => unclear("away")) } } });
  guardFunction(bank, { server: "bank", tool: "pay" }, never)({ order: "o1" }).catch(() => {});
  await hand.move(1);
  const dying = bank.close({ within: 0 });
  await hand.move(1);
  await dying;
  const mail = createGuard({ ...common, servers: { mail: {} } });
  const { items } = await mail.queue.list({ index: "open" });
  const id = items[0]?.id ?? "";
  const sweeps = async (minutes: number) => {
    for (let minute = 0; minute < minutes; minute++) {
      await mail.sweep();
      await hand.move(60_000);
    }
  };
  await sweeps(5);
  expect(await mail.queue.show(id)).toMatchObject({ state: "uncertain" });
  await sweeps(10);
  expect(await mail.queue.show(id)).toMatchObject({ state: "unresolved", reason: "no_way_to_find_out" });
});

it("a program that does not know a server leaves the watch after its resend to the one that does", async () => {
  const hand = handClock();
  const store = memoryStore({ now: hand.now });
  const common = { store, secret: SECRET, clock: hand.clock };
  const looks: string[] = [];
  const look: ReconcileHook = async () => {
    looks.push("bank");
    return looks.length < 3 ? unclear("not yet") : applied({ ref: "P-1", count: 2 });
  };
  const tools = { pay: { settle: 60_000, verify: "after_success" as const, reconcile: look } };
  const bank = createGuard({ ...common, servers: { bank: { tools } } });
  const mail = createGuard({ ...common, servers: { mail: {} } });
  const { operation } = await guardFunction(bank, { server: "bank", tool: "pay" }, async () => ({ content: [] }))({
    order: "o1",
  });
  await hand.move(10_000);
  await mail.sweep();
  for (let round = 0; round < 6; round++) {
    await hand.move(20_000);
    await bank.sweep();
  }

  expect(looks.length).toBeGreaterThan(2);
  expect(await bank.queue.show(operation)).toMatchObject({ conflict: true });
});
