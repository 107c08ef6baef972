import { expect, it } from "vitest";
import { memoryStore } from "../../adapters/stores/memory/index.ts";
import type { Wire } from "../../src/entries/wire.ts";
import { createGuard, guardFunction } from "../../src/index.ts";
import { handClock } from "../core/support/hand-clock.ts";
import { T0 } from "../core/support/machine.ts";
import { never, payContract, SECRET, world } from "./support.ts";

it("I5: five hundred doubts whose contract cannot be used here do not keep the sweeper from everything behind them", async () => {
  const servers = {
    bank: {
      deadline: "1s",
      tools: {
        pay: {
          identityArgs: ["/order"],
          settle: "24h",
          contract: payContract(),
        },
      },
    },
  } as const;
  let time = T0;
  const store = memoryStore({ now: () => time });
  const hand = handClock();
  const dying = createGuard({ store, secret: SECRET, clock: hand.clock, servers });
  const pay = guardFunction(dying, { server: "bank", tool: "pay" }, () => never());
  for (let order = 0; order < 505; order++) void pay({ order });
  await hand.move(1_100);
  void guardFunction(dying, { server: "bank", tool: "refund" }, () => never())({ order: 1 });
  await hand.settle();
  time += 60_000;
  // Another process: nothing of the dead one's connections is here.
  const guard = createGuard({ store: store.another(), secret: SECRET, clock: handClock().clock, servers });
  for (let round = 0; round < 5; round++) await guard.sweep();
  const { items } = await guard.queue.list({ index: "open", tool: "refund" });
  expect(items.map(({ state }) => state)).toEqual(["uncertain"]);
}, 60_000);

it("I5: one resend that the server does not answer does not stop the sweeper for everybody", async () => {
  const { guard, hand } = world({ deadline: "1s", servers: { bank: { tools: { pay: { deadline: "10m" } } } } });
  const silent: Wire = {
    headers: false,
    async send(attempt) {
      return attempt.mayStart() ? never() : { kind: "not_sent", cause: "permit_lost" };
    },
  };
  guard.connected("bank", silent);
  const first = guard.perform({ server: "bank", tool: "pay", arguments: { order: 1 }, deadline: 1_000 }, silent);
  await hand.move(90_000);
  const { operation } = await first;
  const { version } = await guard.queue.show(operation);
  await guard.queue.resolve(operation, { verdict: "resend", version, actor: "ops", reason: "looked" });
  await hand.move(3_000);
  const second = guard.perform({ server: "bank", tool: "refund", arguments: { order: 2 } }, silent);
  await hand.move(180_000);
  expect((await guard.queue.show((await second).operation)).state).toBe("unresolved");
});
