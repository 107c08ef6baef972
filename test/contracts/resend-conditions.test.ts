/**
 * A resend under contract happens only if each condition holds at the moment of sending (C03, S11, S14, S22, I2): over
 * pins, lists, what happens between the two sends, the age of the intent, hints and the history. The oracle knows
 * nothing of the engine.
 */
import fc from "fast-check";
import { expect, it } from "vitest";
import type { ToolDefinition } from "../../src/entries/wire.ts";
import { contract, toolFingerprint } from "../../src/index.ts";
import { callOf, invoice, LOST, lockOf, OK, SERVER, sends, terms, timeless, wireOf } from "./support.ts";

const WINDOW = 3_600_000;
const MARGIN = 60_000;
const changed: ToolDefinition = { ...invoice, outputSchema: { type: "object" } };

/** `listed_late`: asked for before a change was announced, answered after; `changed_and_listed`: asked for after it. */
const BETWEEN = [
  "nothing",
  "listed_again",
  "changed_and_listed",
  "list_changed",
  "listed_late",
  "drift",
  "gone",
  "suspended",
] as const;

interface World {
  readonly pin: "own" | "lock" | "none" | "other";
  readonly listed: "yes" | "no" | "changed" | "gone" | "first_page_only";
  readonly between: (typeof BETWEEN)[number];
  /** ms since the issue of the intent. */
  readonly age: number;
  readonly before: "nothing" | "suspended" | "suspended_and_lifted";
  readonly serial: boolean;
  /** A departure from the review withdraws nothing; the pin is compared all the same. */
  readonly watch: "any" | "off";
  readonly hints: Readonly<Record<string, boolean>>;
}

/** Whether the second send may take place, by the words of the design. */
function allowed({ pin, listed, between, age, before }: World): boolean {
  const reviewed = pin === "own" || pin === "lock";
  const live = listed === "yes";
  const kept = ["nothing", "listed_again", "changed_and_listed"].includes(between);
  const inForce = before !== "suspended";
  return reviewed && live && kept && inForce && age < WINDOW - MARGIN;
}

const world = fc.record<World>({
  pin: fc.constantFrom("own", "own", "lock", "lock", "none", "other"),
  listed: fc.constantFrom("yes", "yes", "yes", "no", "changed", "gone", "first_page_only"),
  between: fc.constantFrom("nothing", ...BETWEEN),
  age: fc.constantFrom(0, 0, 60_000, WINDOW - MARGIN - 120_000, WINDOW - MARGIN + 1, WINDOW + 1),
  before: fc.constantFrom("nothing", "nothing", "suspended", "suspended_and_lifted"),
  serial: fc.boolean(),
  watch: fc.constantFrom("any", "off"),
  hints: fc.dictionary(
    fc.constantFrom("readOnlyHint", "idempotentHint", "destructiveHint", "openWorldHint"),
    fc.boolean(),
  ),
});

/** With nothing but the pin to say that the tool is another one. */
const ALL_HOLDS: World = {
  pin: "own",
  listed: "yes",
  between: "nothing",
  age: 0,
  before: "nothing",
  serial: false,
  watch: "off",
  hints: {},
};

async function sentIn(given: World): Promise<number> {
  const tool = { ...invoice, annotations: given.hints };
  const pins = { own: toolFingerprint(tool), other: toolFingerprint(changed), lock: undefined, none: undefined };
  const pin = pins[given.pin];
  const reviewed = contract({
    ...terms(),
    window: WINDOW,
    margin: MARGIN,
    concurrent: given.serial ? "serial" : "rejected",
    ...(pin && { pin: { tool: pin } }),
  });
  const { guard, run, time } = timeless({
    ...(given.pin === "lock" && { lock: lockOf([tool]) }),
    tools: {
      create_invoice: {
        identityArgs: ["/order"],
        contract: reviewed,
        settle: 500,
        validFor: "30d",
        drift: given.watch,
      },
    },
    maxIntentAge: "60d",
  });
  const see = (listed: World["listed"], asked = guard.toolsAsked(SERVER)) => {
    if (listed === "yes") guard.toolsSeen(SERVER, [tool], { asked });
    if (listed === "changed") guard.toolsSeen(SERVER, [{ ...tool, outputSchema: {} }], {});
    if (listed === "gone") guard.toolsSeen(SERVER, [], {});
    if (listed === "first_page_only") guard.toolsSeen(SERVER, [], { nextCursor: "2" });
  };
  const decision = { server: SERVER, tool: "create_invoice", actor: "ann", reason: "looked" };
  see(given.listed);
  await time.settle();
  if (given.before !== "nothing") await run(guard.suspensions.suspend(decision));
  if (given.before === "suspended_and_lifted") await run(guard.suspensions.lift(decision));
  const wire = wireOf(() => {
    if (sends(wire) > 1) return OK;
    if (given.between === "list_changed") guard.toolsChanged(SERVER);
    if (given.between === "changed_and_listed") {
      guard.toolsChanged(SERVER);
      see(given.listed);
    }
    if (given.between === "listed_late") {
      const asked = guard.toolsAsked(SERVER);
      guard.toolsChanged(SERVER);
      see("yes", asked);
    }
    if (given.between === "drift") see("changed");
    if (given.between === "gone") see("gone");
    if (given.between === "listed_again") see(given.listed);
    if (given.between === "suspended") void guard.suspensions.suspend(decision);
    return LOST;
  });
  guard.connected(SERVER, wire);
  await run(guard.perform({ ...callOf(), operationId: "op", issuedAt: time.now() - given.age, deadline: 5_000 }, wire));
  for (let round = 0; round < 4; round += 1) {
    await time.advance(1_000);
    await run(guard.sweep());
  }
  await run(guard.close({ within: 0 }));
  return sends(wire);
}

it("over all worlds: two sends exactly where every condition holds, one everywhere else", async () => {
  let twice = 0;
  await fc.assert(
    fc.asyncProperty(world, async (given) => {
      const sent = await sentIn(given);
      twice += sent === 2 ? 1 : 0;
      expect(sent).toBe(allowed(given) ? 2 : 1);
    }),
    { numRuns: 300, examples: [[{ ...ALL_HOLDS, pin: "other" }], [{ ...ALL_HOLDS, between: "drift" }]] },
  );
  // The test would say nothing if a resend never happened.
  expect(twice).toBeGreaterThan(10);
});
