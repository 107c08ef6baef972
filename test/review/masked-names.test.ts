import { expect, it } from "vitest";
import type { Wire } from "../../src/entries/wire.ts";
import { absent, applied, type JsonObject } from "../../src/index.ts";
import { never, world } from "./support.ts";

/** A bank that never answers, and a hook that looks for the payment by one of its arguments. */
async function pay(name: string, args: JsonObject, redacted: string[] = []) {
  const paid: JsonObject[] = [];
  const { guard, hand } = world({
    deadline: "30s",
    servers: {
      bank: {
        tools: {
          pay: {
            identityArgs: ["/order"],
            redact: redacted,
            reconcile: {
              settle: "1s",
              staleness: "1s",
              absentReads: 1,
              look: ({ arguments: wanted }) =>
                paid.some((one) => one[name] === wanted[name]) ? applied({ ref: "INV-1" }) : absent(),
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
  const once = async () => {
    const calling = guard.perform({ server: "bank", tool: "pay", arguments: { order: 1, ...args } }, wire);
    await hand.move(32_000);
    return calling;
  };
  // The agent asks again while the doubt is looked into.
  await once();
  await once();
  return { outcome: await once(), paid };
}

it("I2: a hook that looks by `businessName` gets it: there is no secret in that word", async () => {
  const { outcome, paid } = await pay("businessName", { businessName: "Acme" });
  expect(outcome).toMatchObject({ kind: "applied", ref: "INV-1" });
  expect(paid).toHaveLength(1);
});

it.each<[string, JsonObject, string[]]>([
  ["iban", { iban: "DE02120300000000202051" }, []],
  ["memo", { memo: "rent" }, ["/memo"]],
  ["memo", { memo: "x".repeat(5_000) }, []],
])(
  "I2: what a hook does not find by a masked or cut %s is not absent, and nothing is sent again",
  async (name, args, redacted) => {
    const { outcome, paid } = await pay(name, args, redacted);
    expect(paid).toHaveLength(1);
    expect(outcome.kind).toMatch(/^(uncertain|unresolved)$/);
  },
);
