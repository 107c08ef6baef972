/** Hooks that break their word: the write stays in doubt, is never sent again, and the reason is told. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { LookTools, Observation } from "../../src/index.ts";
import { INVOICE, scene } from "./support.ts";

type Hook = (intent: unknown, tools: LookTools) => unknown;
const HOOKS: [string, Hook, RegExp][] = [
  [
    "throws",
    () => {
      throw new Error("no database");
    },
    /no database/,
  ],
  [
    "rejects",
    async () => {
      throw new Error("no network");
    },
    /no network/,
  ],
  ["hangs", () => new Promise(() => {}), /took longer than [\d.]+ ms/],
  ["returns nothing", () => undefined, /malformed|no hook/],
  ["returns a word", () => "applied", /malformed/],
  ["returns a made-up kind", () => ({ kind: "maybe" }), /malformed/],
  ["returns a bad count", () => ({ kind: "applied", count: "two" }), /malformed/],
  [
    "calls a tool that is no declared read",
    (_i, { call }) => call("send_email", {}),
    /"send_email" is not: declare servers\.billing\.tools\.send_email as \{ effect: "read" \}/,
  ],
];

test.each(HOOKS)(
  "a hook that %s proves nothing: the write stays in doubt, once, and why is told",
  async (_what, hook, why) => {
    const given = await scene({
      server: { script: { create_invoice: [{ reply: "never" }, {}] } },
      tools: {
        create_invoice: {
          reconcile: { look: hook as () => Observation, within: 100, settle: 50, staleness: 1 },
          identityArgs: ["/order"],
          deadline: 400,
        },
      },
    });
    const observed: string[] = [];
    given.guard.on("observed", ({ reason }) => observed.push(reason ?? ""));
    const heard = await given.call(INVOICE);
    await sleep(120);
    await given.guard.sweep();
    const again = await given.call(INVOICE);

    expect(heard.outcome?.kind).toBe("uncertain");
    expect(again.outcome).toMatchObject({ kind: "uncertain", heldBy: heard.outcome?.operation });
    expect(observed.length).toBeGreaterThan(0);
    for (const reason of observed) expect(reason).toMatch(why);
    expect(given.log.arrivals()).toHaveLength(1);
    expect(given.log.effects()).toHaveLength(1);
  },
);

test("why a hook gave no clear answer is in the operation's history, where the operator looks", async () => {
  const given = await scene({
    server: { script: { create_invoice: [{ reply: "never" }] } },
    tools: {
      create_invoice: {
        reconcile: () => {
          throw new Error("no database");
        },
        identityArgs: ["/order"],
        deadline: 300,
      },
    },
  });
  const heard = await given.call(INVOICE);
  const { audit } = await given.guard.queue.show(heard.outcome?.operation ?? "");
  expect(JSON.stringify(audit)).toContain("no database");
});
