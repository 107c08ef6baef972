import { expect, it } from "vitest";
import type { Wire } from "../../src/entries/wire.ts";
import { absent, applied, type JsonObject } from "../../src/index.ts";
import { never, world } from "./support.ts";

it("a hook that looks by `businessName` gets it: no secret is in that word, and an absence that is none sends again (I2)", async () => {
  const paid: JsonObject[] = [];
  const { guard, hand } = world({
    deadline: "30s",
    servers: {
      bank: {
        tools: {
          pay: {
            identityArgs: ["/order"],
            reconcile: {
              settle: "1s",
              staleness: "1s",
              absentReads: 1,
              resendWhenAbsent: true,
              look: ({ arguments: { businessName } }) =>
                paid.some((one) => one.businessName === businessName) ? applied({ ref: "INV-1" }) : absent(),
            },
          },
        },
      },
    },
  });
  const wire: Wire = {
    headers: false,
    async send(attempt) {
      if (!attempt.mayStart()) return { kind: "not_sent", cause: "permit_lost" };
      paid.push(attempt.arguments);
      return never();
    },
  };
  await guard.start();
  const args = { order: 1, businessName: "Acme" };
  const calling = guard.perform({ server: "bank", tool: "pay", arguments: args }, wire);
  await hand.move(120_000);
  expect(await calling).toMatchObject({ kind: "applied", ref: "INV-1" });
  expect(paid).toHaveLength(1);
});
