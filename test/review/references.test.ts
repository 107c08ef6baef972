import { expect, it } from "vitest";
import type { Wire } from "../../src/entries/wire.ts";
import { applied, guardFunction, unclear } from "../../src/index.ts";
import { never, world } from "./support.ts";

it("A5: a reference that a person gave to one operation does not settle a second one", async () => {
  const sees = { it: false };
  const { guard, hand } = world({
    deadline: "1s",
    servers: {
      bank: {
        tools: {
          pay: {
            identityArgs: ["/order"],
            reconcile: { settle: "10m", look: () => (sees.it ? applied({ ref: "INV-1" }) : unclear("busy")) },
          },
        },
      },
    },
  });
  const pay = guardFunction(guard, { server: "bank", tool: "pay" }, () => never());
  const calls = [pay({ order: "a" }), pay({ order: "b" })];
  await hand.move(5_000);
  const [a, b] = await Promise.all(calls);
  const { version } = await guard.queue.show(a?.operation ?? "");
  const by = { version, actor: "ops", reason: "found it" };
  await guard.queue.resolve(a?.operation ?? "", { ...by, verdict: "applied", ref: "INV-1" });
  sees.it = true;
  await hand.move(60_000);
  expect((await guard.queue.show(b?.operation ?? "")).state).not.toBe("applied");
});

it("a record that no process could look at is not told as `asked several times`", async () => {
  const { guard, hand } = world({
    deadline: "1s",
    servers: {
      bank: {
        tools: {
          find: { effect: "read" },
          pay: {
            identityArgs: ["/order"],
            reconcile: async (_intent, { call }) => {
              await call("find");
              return unclear("not reached");
            },
          },
        },
      },
    },
  });
  const pay = guardFunction(guard, { server: "bank", tool: "pay" }, () => never());
  const calling = pay({ order: "a" });
  await hand.move(5_000);
  const { operation } = await calling;
  await hand.move(3_700_000);
  const shown = await guard.queue.show(operation);
  expect(shown.state).toBe("unresolved");
  expect(shown.reason).not.toBe("probes_used_up");
}, 60_000);

it("I2: a look over another principal's connection is no look at this principal's account", async () => {
  const { guard, hand } = world({
    deadline: "1s",
    servers: {
      bank: {
        tools: {
          find: { effect: "read" },
          pay: {
            identityArgs: ["/order"],
            reconcile: {
              settle: "1s",
              staleness: "1s",
              absentReads: 1,
              look: async (_intent, { call }) => {
                const { found } = await call("find");
                return found === true ? applied() : { kind: "absent" };
              },
            },
          },
        },
      },
    },
  });
  const made = { alice: 0, bob: 0 };
  const account = (name: "alice" | "bob"): Wire => ({
    headers: false,
    async send(attempt) {
      if (!attempt.mayStart()) return { kind: "not_sent", cause: "permit_lost" };
      if (attempt.tool === "find") return { kind: "result", result: { content: [], found: made[name] > 0 } };
      made[name] += 1;
      return never();
    },
  });
  const alice = account("alice");
  guard.connected("bank", alice);
  guard.connected("bank", account("bob"));
  const calling = guard.perform({ server: "bank", tool: "pay", arguments: { order: "a" }, principal: "alice" }, alice);
  await hand.move(20_000);
  const { operation } = await calling;
  expect(made.alice).toBe(1);
  expect((await guard.queue.show(operation)).state).not.toBe("not_applied");
});
