/** A payment agent: a declined card, without configuration, with a hook, and with the rule that says what a decline is. */
import { expect, test } from "vitest";
import type { FaultTool, Step } from "../../adapters/testing/index.ts";
import { absent, applied, contract, type ReconcileHook, toolFingerprint } from "../../src/index.ts";
import { scriptedServer } from "./stage/servers.ts";
import { type SessionOptions, session } from "./stage/session.ts";
import { transcript } from "./stage/transcript.ts";

const CHARGE: FaultTool = { effect: "write", name: "charge", idPrefix: "ch", inputSchema: { type: "object" } };
const FIND: FaultTool = {
  effect: "read",
  name: "find_charge",
  of: "charge",
  as: "charges",
  inputSchema: { type: "object" },
};
const DECLINED = {
  content: [{ type: "text", text: "Card declined." }],
  isError: true,
  structuredContent: { code: "card_declined" },
};
const decline = { commit: "none" as const, reply: { result: DECLINED } };
const KEYED = contract({
  dedupes: "key",
  key: { argument: "/idempotency_key" },
  window: "24h",
  concurrent: "rejected",
  mismatch: "rejected",
  replaysErrors: true,
  scope: { caller: "shop", downstream: "included" },
  review: { source: "https://psp.example/docs", by: "an operator", on: "2026-11-30" },
  pin: { tool: toolFingerprint(CHARGE) },
});
const page = transcript("A payment agent: a declined card");

/** As a user would write it first: look the charge up by its order. */
const byOrder: ReconcileHook = async (intent, { call }) => {
  const { structuredContent } = await call("find_charge", { order: intent.arguments.order ?? "" });
  const { charges } = structuredContent as { charges: { id: string }[] };
  return charges[0] ? applied({ ref: charges[0].id }) : absent();
};

async function shop(scene: string, options: SessionOptions, charge: Step[] = [decline, {}]) {
  page.scene(scene);
  const stage = await session("", { ...options, page });
  const script = { charge };
  const payments = await stage.connect("psp", scriptedServer({ script, tools: [CHARGE, FIND] }));
  return { stage, payments };
}

const first = { order: "o-1", amount: 50, card: "visa" };
const second = { ...first, card: "master" };

test("a declined card never stops the next card, unless a hook is asked first: then the texts name the rule", async () => {
  const bare = await shop("No configuration", {});
  await bare.payments.call("charge", first);
  await bare.payments.call("charge", second);
  await bare.stage.queue();
  expect(bare.payments.effects()).toBe(1);

  const tools = { find_charge: { effect: "read" as const }, charge: { reconcile: byOrder, identityArgs: ["/order"] } };
  const hooked = await shop("With a reconcile hook and identityArgs", { servers: { psp: { tools } } });
  const declined = await hooked.payments.call("charge", first);
  await hooked.payments.call("charge", second);
  await hooked.stage.queue();
  expect(declined.text).toContain("Card declined.");
  expect(hooked.payments.effects()).toBe(0);
  await hooked.stage.passes("Five minutes later: an answer came, so two looks that find nothing are believed", 300_000);
  hooked.payments.readPast();
  page.line("  looks", "find_charge, until two absences count");
  await hooked.payments.call("charge", second);
  await hooked.stage.queue();
  expect(hooked.payments.effects()).toBe(1);

  const promised = await shop(
    "With a contract and no rule: the decline is sent again under its key, and the stored answer comes back",
    {
      servers: { psp: { tools: { charge: { contract: KEYED, identityArgs: ["/order"] } } } },
    },
    [decline],
  );
  await promised.payments.call("charge", first);
  await promised.stage.passes("A minute later", 60_000);
  await promised.stage.queue();
  expect(promised.payments.effects()).toBe(0);

  const toolErrors = [{ at: "/structuredContent/code", equals: "card_declined", means: "no_effect" as const }];
  const ruled = await shop("With the hook and the rule that the text named", {
    servers: { psp: { tools: { ...tools, charge: { ...tools.charge, toolErrors } } } },
  });
  await ruled.payments.call("charge", first);
  await ruled.payments.call("charge", second);
  await ruled.stage.queue();
  expect(ruled.payments.effects()).toBe(1);
  await ruled.stage.ends("03-declined-card.txt");
});
