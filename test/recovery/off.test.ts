import { expect, it } from "vitest";
import { contract, guardFunction } from "../../src/index.ts";
import { never, world } from "../review/support.ts";

const expired = contract({
  preset: "stripe",
  scope: { caller: "acme", downstream: "included" },
  key: { argument: "/key" },
  review: {
    source: "https://docs.stripe.com/api/idempotent_requests",
    by: "ops",
    on: "2020-01-01",
    expires: "2020-06-01",
  },
});
const servers = { bank: { tools: { pay: { identityArgs: ["/order"], contract: expired } } } };

it("a guard that only looks opens the queue also on the day after a review is over, and moves nothing", async () => {
  expect(() => world({ servers })).toThrow(/review expired/);
  const { guard, hand } = world({ servers, recovery: "off", deadline: 1_000 });
  const calling = guardFunction(guard, { server: "mail", tool: "send" }, never)({ to: "a" });
  await hand.move(2_000);
  const { operation } = await calling;
  await guard.start();
  await hand.move(3_600_000);
  expect(await guard.queue.show(operation)).toMatchObject({ state: "uncertain" });
  await guard.sweep();
  expect(await guard.queue.show(operation), "a round that somebody asks for is one").toMatchObject({
    state: "unresolved",
  });
});

it("a mode of recovery that does not exist is refused", () => {
  expect(() => world({ recovery: "never" as "off" })).toThrow(/recovery: "never" is neither/);
});
