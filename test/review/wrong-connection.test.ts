import { expect, it } from "vitest";
import type { Wire, WireEvidence } from "../../src/entries/wire.ts";
import { never, PAY, payContract, world } from "./support.ts";

it("I2: recovery resends over a connection of the same principal, not over whichever connected last", async () => {
  const { guard, hand } = world({
    servers: {
      bank: {
        deadline: "1s",
        tools: {
          pay: {
            identityArgs: ["/order"],
            contract: payContract(),
          },
        },
      },
    },
  });
  guard.toolsSeen("bank", [PAY]);
  // The destination collapses repeats per account; each connection is signed in to its own.
  const effects: string[] = [];
  const keys = new Set<string>();
  const account = (name: string): Wire => ({
    headers: false,
    async send(attempt): Promise<WireEvidence> {
      if (!attempt.mayStart()) return { kind: "not_sent", cause: "permit_lost" };
      const key = `${name} ${String(attempt.arguments.key)}`;
      if (!keys.has(key)) effects.push(name);
      keys.add(key);
      return never();
    },
  });
  const alice = account("alice");
  guard.connected("bank", alice);
  guard.connected("bank", account("bob"));
  await guard.start();
  void guard.perform(
    { server: "bank", tool: "pay", arguments: { order: "o1" }, principal: "alice", deadline: 1 },
    alice,
  );
  await hand.move(10_000);
  expect(effects).toEqual(["alice"]);
});
