import { expect, it } from "vitest";
import { guardFunction, withCallContext } from "../../src/index.ts";
import { never, PAY, payContract, uuidv7, world } from "./support.ts";

it("A7: an id minted by a machine whose clock is ahead does not stretch the contract's window", async () => {
  const { guard, hand } = world({
    servers: {
      bank: {
        deadline: "1s",
        tools: {
          pay: {
            identityArgs: ["/order"],
            contract: payContract({ window: "30s", margin: "1s" }),
          },
        },
      },
    },
  });
  guard.toolsSeen("bank", [PAY]);
  // The destination keeps a key for 30 s, as the contract says, and loses every reply.
  const keys = new Map<unknown, number>();
  let effects = 0;
  const pay = guardFunction(guard, { server: "bank", tool: "pay" }, (args: { order: string; key?: string }) => {
    const seen = keys.get(args.key);
    if (seen === undefined || hand.now() - seen > 30_000) effects += 1;
    if (seen === undefined) keys.set(args.key, hand.now());
    return never();
  });
  const context = { operationId: uuidv7(hand.now() + 600_000) };
  void withCallContext(context, () => pay({ order: "o1" }));
  await hand.move(40_000);
  void withCallContext(context, () => pay({ order: "o1" }));
  await hand.move(5_000);
  expect(effects).toBe(1);
});
