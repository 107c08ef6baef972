import { expect, it } from "vitest";
import type { Wire } from "../../src/entries/wire.ts";
import { partial } from "../../src/index.ts";
import { never, PAY, payContract, world } from "./support.ts";

it("A2: an item that is missing before the settle window has passed is not told as absent, nor offered for repair", async () => {
  const landed = new Set<string>();
  const { guard, hand } = world({
    deadline: "1s",
    servers: {
      bank: {
        tools: {
          pay_all: {
            identityArgs: ["/run"],
            reconcile: {
              settle: "60s",
              staleness: "1s",
              look: () =>
                partial({
                  items: ["a", "b", "c"].map((item) => ({ item, verdict: landed.has(item) ? "applied" : "absent" })),
                }),
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
      landed.add("a").add("b");
      hand.clock.after(10_000, () => void landed.add("c"));
      return never();
    },
  };
  const calling = guard.perform({ server: "bank", tool: "pay_all", arguments: { run: "evening" } }, wire);
  await hand.move(5_000);
  const outcome = await calling;
  const said = outcome.kind === "partial" ? outcome.items.find(({ item }) => item === "c")?.verdict : outcome.kind;
  expect(said).not.toBe("absent");
});

it("A8: without a declared settle a serial contract does not overlap an attempt that may still run", async () => {
  const { guard, hand } = world({
    deadline: "1s",
    servers: {
      bank: {
        tools: {
          pay: {
            identityArgs: ["/order"],
            contract: payContract({ concurrent: "serial" }),
          },
        },
      },
    },
  });
  guard.toolsSeen("bank", [PAY]);
  const finished = new Set<unknown>();
  let effects = 0;
  // Collapses repeats of a finished request only; this one takes two minutes.
  const wire: Wire = {
    headers: false,
    async send(attempt) {
      if (!attempt.mayStart()) return { kind: "not_sent", cause: "permit_lost" };
      const { key } = attempt.arguments;
      if (finished.has(key)) return { kind: "result", result: { content: [] } };
      hand.clock.after(120_000, () => {
        effects += 1;
        finished.add(key);
      });
      return never();
    },
  };
  guard.connected("bank", wire);
  await guard.start();
  void guard.perform({ server: "bank", tool: "pay", arguments: { order: 1 } }, wire);
  await hand.move(400_000);
  expect(effects).toBe(1);
});
