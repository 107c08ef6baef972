import { expect, it } from "vitest";
import { contract, guardFunction, toolFingerprint, withCallContext } from "../../src/index.ts";
import { never, uuidv7, world } from "./support.ts";

const definition = { name: "pay", inputSchema: { type: "object" } };

it("A7: an id minted by a machine whose clock is ahead does not stretch the contract's window", async () => {
  const { guard, hand } = world({
    servers: {
      bank: {
        deadline: "1s",
        tools: {
          pay: {
            identityArgs: ["/order"],
            contract: contract({
              dedupes: "key",
              key: { argument: "/key" },
              window: "30s",
              margin: "1s",
              concurrent: "joined",
              mismatch: "rejected",
              replaysErrors: false,
              scope: { caller: "acme", downstream: "included" },
              review: { source: "docs", by: "ops", on: "2026-11-30" },
              pin: { tool: toolFingerprint(definition) },
            }),
          },
        },
      },
    },
  });
  guard.toolsSeen("bank", [definition]);
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
