import { expect, it } from "vitest";
import { memoryStore } from "../../adapters/stores/memory/index.ts";
import type { Wire } from "../../src/entries/wire.ts";
import { createGuard, guardFunction } from "../../src/index.ts";
import { handClock } from "../core/support/hand-clock.ts";
import { never, SECRET, world } from "./support.ts";

it("close({ within }) ends although recovery waits for a server that never answers", async () => {
  const { guard, hand } = world({ deadline: "60s", servers: { bank: { tools: { pay: {} } } } });
  const silent: Wire = {
    headers: false,
    async send(attempt) {
      return attempt.mayStart() ? never() : { kind: "not_sent", cause: "permit_lost" };
    },
  };
  guard.connected("bank", silent);
  const calling = guard.perform({ server: "bank", tool: "pay", arguments: { order: 1 }, deadline: 1_000 }, silent);
  await hand.move(90_000);
  const { operation } = await calling;
  const { version } = await guard.queue.show(operation);
  await guard.queue.resolve(operation, { verdict: "resend", version, actor: "ops", reason: "looked" });
  await hand.move(2_000);
  let isClosed = false;
  void guard.close({ within: 1_000 }).then(() => {
    isClosed = true;
  });
  await hand.move(10_000);
  expect(isClosed).toBe(true);
});

it("a listener that rejects is reported like one that throws; it does not end the process", async () => {
  const { guard, hand } = world();
  const unhandled: unknown[] = [];
  const earlier = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection");
  const hear = (reason: unknown) => unhandled.push(reason);
  process.on("unhandledRejection", hear);
  guard.on("outcome", async () => {
    throw new Error("the log is down");
  });
  const pay = guardFunction(guard, { server: "bank", tool: "pay" }, async () => ({ ok: true }));
  void pay({ order: 1 });
  await hand.move(500);
  process.off("unhandledRejection", hear);
  for (const listener of earlier) process.on("unhandledRejection", listener);
  expect(unhandled).toEqual([]);
});

it("I5: what a process left in flight when it died reaches the queue also where nobody calls start()", async () => {
  const hand = handClock();
  const store = memoryStore({ now: hand.now });
  const dead = createGuard({ store, secret: SECRET, clock: handClock().clock });
  void guardFunction(dead, { server: "bank", tool: "pay" }, () => never())({ order: 1 });
  await hand.move(1_000);
  // The three lines of the README: no start().
  const guard = createGuard({ store: store.another(), secret: SECRET, clock: hand.clock });
  const pay = guardFunction(guard, { server: "bank", tool: "pay" }, async () => ({ ok: true }));
  for (let order = 2; order < 6; order++) {
    void pay({ order });
    await hand.move(60_000);
  }
  expect((await guard.queue.list()).items.length).toBe(1);
});

it("verify: a watch that ends without a single look says so", async () => {
  const { guard, hand } = world({
    servers: {
      bank: {
        tools: {
          find: { effect: "read" },
          pay: {
            identityArgs: ["/order"],
            verify: "after_success",
            reconcile: {
              settle: "1s",
              staleness: "1s",
              look: async (_intent, { call }) => {
                await call("find");
                return { kind: "absent" };
              },
            },
          },
        },
      },
    },
  });
  const warnings: string[] = [];
  guard.on("warning", ({ message }) => warnings.push(message));
  await guard.start();
  warnings.length = 0;
  const pay = guardFunction(guard, { server: "bank", tool: "pay" }, async () => ({ ok: true }));
  const calling = pay({ order: "a" });
  await hand.move(60_000);
  const { operation } = await calling;
  const shown = await guard.queue.show(operation);
  expect(warnings.length > 0 || shown.conflict || (await guard.queue.list()).items.length > 0).toBe(true);
});
