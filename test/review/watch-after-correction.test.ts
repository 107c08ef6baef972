import { expect, it } from "vitest";
import { absent, guardFunction, unclear } from "../../src/index.ts";
import { world } from "./support.ts";

it("I5: a corrected record leaves the watch; the hook is not asked about it for ever", async () => {
  let looks = 0;
  const { guard, hand } = world({
    servers: {
      bank: {
        tools: {
          pay: {
            identityArgs: ["/order"],
            verify: "after_success",
            reconcile: {
              settle: "1s",
              staleness: "1s",
              look: () => {
                looks += 1;
                return looks < 3 ? unclear("busy") : absent();
              },
            },
          },
        },
      },
    },
  });
  const pay = guardFunction(guard, { server: "bank", tool: "pay" }, async () => ({ ok: true }));
  const calling = pay({ order: "o1" });
  await hand.move(100);
  const { operation } = await calling;
  await guard.start();
  const { version } = await guard.queue.show(operation);
  await guard.queue.correct(operation, { to: "failed", version, actor: "ops", reason: "the bank says no" });
  await hand.move(60_000);
  const before = looks;
  await hand.move(60_000);
  expect(looks).toBe(before);
  const { items } = await guard.queue.list({ index: "open" });
  expect(items).toEqual([]);
});
