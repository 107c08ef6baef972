/** Evidence cards (S24, S25, S26, C1-06): a test that can fail, and contracts that depend on what it showed. */
import { describe, expect, it } from "vitest";
import { memoryStore } from "../../adapters/stores/memory/index.ts";
import { cardPage } from "../../src/card-page.ts";
import type { Card, CardPorts, CardSend } from "../../src/entries/review.ts";
import type { WireEvidence } from "../../src/entries/wire.ts";
import {
  absent,
  applied,
  contract,
  type GuardEvents,
  type JsonObject,
  type ReconcileHook,
  unclear,
} from "../../src/index.ts";
import {
  callOf,
  type GuardSetup,
  guardOf,
  invoice,
  LOST,
  lockOf,
  OK,
  pinned,
  SERVER,
  sends,
  settled,
  terms,
  wireOf,
} from "./support.ts";

interface World {
  /** What it makes of a key. */
  readonly keys: "honours" | "drops" | "drops_late" | "forgets_on_loss" | "no_lock" | "ignores_mismatch";
  readonly rights?: "checked" | "ignored" | "unheard";
}

const REJECTED: WireEvidence = { kind: "result", result: { isError: true, content: [] } };

/** A billing service behind a tool: its effects are the judge. */
function destination({ keys, rights = "checked" }: World) {
  const effects: JsonObject[] = [];
  const known = new Map<string, string>();
  const late: JsonObject[] = [];
  const take = async ({ arguments: { idempotency_key: key, ...args } }: CardSend): Promise<WireEvidence> => {
    const text = JSON.stringify(args);
    const before = key === undefined || keys === "drops" ? undefined : known.get(String(key));
    if (keys === "no_lock") await new Promise((resolve) => setTimeout(resolve, 5));
    if (before !== undefined && before !== text && keys !== "ignores_mismatch") return REJECTED;
    if (before !== undefined && before === text) {
      if (keys === "drops_late") late.push(args);
      return OK;
    }
    if (key !== undefined) known.set(String(key), text);
    effects.push(args);
    return OK;
  };
  const ports: CardPorts = {
    send: take,
    async lose(send, until) {
      await take(send);
      if (until) await until();
      if (keys === "forgets_on_loss") known.clear();
    },
    progress(line) {
      if (line.startsWith("wait")) effects.push(...late.splice(0));
    },
    denied: async (send) => (rights === "ignored" ? take(send) : rights === "unheard" ? LOST : REJECTED),
  };
  const look: ReconcileHook = async ({ arguments: { order } }) => {
    const found = effects.filter((effect) => effect.order === order);
    return found.length > 0 ? applied({ count: found.length }) : absent();
  };
  return { ports, look, effects };
}

const request = { server: SERVER, tool: "create_invoice", arguments: { order: "o-1", amount: 12 }, actor: "ann" };

function bench(world: World, more: GuardSetup = {}, terms = {}) {
  const { ports, look, effects } = destination(world);
  const create_invoice = {
    identityArgs: ["/order"],
    contract: pinned(invoice, terms),
    reconcile: { look, settle: 1 },
    redact: ["/amount"],
  };
  const heard = guardOf({ server: { environment: "test" }, tools: { create_invoice }, ...more });
  heard.guard.toolsSeen(SERVER, [invoice], { release: { name: "billing", version: "1.0.0" } });
  return { ...heard, ports, effects, card: (own: object = {}) => heard.guard.card({ ...request, ...own }, ports) };
}
const verdicts = ({ trials }: Card) => Object.fromEntries(trials.map(({ name, verdict }) => [name, verdict]));

describe("a card", () => {
  it("S24 S26 of a destination that keeps the promise: passed, with claim, controls, trials, limits and doubts", async () => {
    const lines: string[] = [];
    const { card, ports } = bench({ keys: "honours" });
    Object.assign(ports, { progress: (line: string) => lines.push(line) });
    const made = await card();
    expect(verdicts(made)).toEqual({
      once: "passed",
      control: "passed",
      repeat: "passed",
      changed_arguments: "passed",
      concurrent: "passed",
      lost_at_once: "passed",
      lost_after_effect: "passed",
      end_of_window: "not_tested",
      after_window: "not_tested",
      without_key: "observed",
      without_right: "passed",
    });
    expect(made).toMatchObject({
      verdict: "passed",
      by: "ann",
      release: { version: "1.0.0" },
      arguments: { order: "o-1", amount: "[redacted]" },
    });
    expect(made.trials.find(({ name }) => name === "without_key")?.effects).toBe(2);
    expect(made.claim.join()).toContain("https://billing.example/docs, read by ann");
    expect(made.controls.join()).toContain("could have failed");
    expect(made.limits).toContain("Not tested: after_window (the window is too long to wait for).");
    expect(lines).toHaveLength(12);
    expect(lines.at(-1)).toBe("wait 0.001 s, then count again");
    const page = cardPage(made);
    for (const heading of [
      "Claim",
      "Independent controls",
      "Tested behaviour",
      "Limits of the test",
      "What remains uncertain",
    ]) {
      expect(page).toContain(`## ${heading}`);
    }
  });

  it.each<[what: string, world: World, failing: string, terms?: object]>([
    ["R16 drops the key without a word", { keys: "drops" }, "repeat"],
    ["forgets its keys when a connection is lost", { keys: "forgets_on_loss" }, "lost_after_effect"],
    ["takes the same key with other arguments", { keys: "ignores_mismatch" }, "changed_arguments"],
    ["lets overlapping repeats through", { keys: "no_lock" }, "concurrent"],
    ["lets a sign-in write that may not", { keys: "honours", rights: "ignored" }, "without_right"],
  ])("C1-06 of a server that %s: failed", async (_what, world, failing, own) => {
    const made = await bench(world, {}, own).card();
    expect(made.verdict).toBe("failed");
    expect(verdicts(made)[failing]).toBe("failed");
  });

  it("S24 of a server that applies the repeat late: failed, once it has landed", async () => {
    const made = await bench({ keys: "drops_late" }).card();
    expect(made.verdict).toBe("failed");
    expect(made.trials.find(({ name }) => name === "repeat")).toMatchObject({
      effects: 2,
      verdict: "failed",
      why: "2 seen; a repeat must add nothing (0.001 s later; 1 at first)",
    });
    expect(made.limits.join()).toContain("counted again 0.001 s after the last trial");
    expect(made.trials.filter(({ verdict }) => verdict === "failed").map(({ name }) => name)).toEqual([
      "repeat",
      "concurrent",
      "lost_at_once",
      "lost_after_effect",
    ]);
  });

  it("S24 what was one effect too many stays so, whatever is seen later", async () => {
    const { card, ports, effects } = bench({ keys: "drops" });
    const progress = (line: string) => {
      if (line.startsWith("wait")) effects.length = 0;
    };
    Object.assign(ports, { progress });
    expect(verdicts(await card())).toMatchObject({ once: "failed", repeat: "failed" });
  });

  it("whose look always finds one effect could not have failed: inconclusive", async () => {
    const { ports } = destination({ keys: "drops" });
    const look: ReconcileHook = async () => applied({ count: 1 });
    const { guard } = guardOf({
      server: { environment: "test" },
      tools: { create_invoice: { identityArgs: ["/order"], contract: pinned(), reconcile: { look, settle: 1 } } },
    });
    guard.toolsSeen(SERVER, [invoice]);
    const made = await guard.card(request, ports);
    expect(made.verdict).toBe("inconclusive");
    expect(verdicts(made)).toMatchObject({ once: "inconclusive", control: "inconclusive" });
  });

  it("whose look could not say anything before the send is not told that it saw the effect", async () => {
    const { ports } = destination({ keys: "honours" });
    let looks = 0;
    const look: ReconcileHook = async () => {
      looks += 1;
      return looks <= 3 ? unclear("away") : applied({ count: 1 });
    };
    const { guard } = guardOf({
      server: { environment: "test" },
      tools: { create_invoice: { identityArgs: ["/order"], contract: pinned(), reconcile: { look, settle: 1 } } },
    });
    guard.toolsSeen(SERVER, [invoice]);
    const [once] = (await guard.card(request, ports)).trials;
    expect(once).toMatchObject({
      name: "once",
      verdict: "inconclusive",
      why: expect.stringContaining("could not say"),
    });
  });

  it("whose sign-in without the right got no answer was not denied: inconclusive", async () => {
    const made = await bench({ keys: "honours", rights: "unheard" }).card();
    expect([verdicts(made).without_right, made.verdict]).toEqual(["inconclusive", "inconclusive"]);
  });

  it("with a look by our key the effects are counted under each key", async () => {
    const effects: JsonObject[] = [];
    const ports: CardPorts = {
      async send({ arguments: args }) {
        if (!effects.some((effect) => effect.idempotency_key === args.idempotency_key)) effects.push(args);
        return OK;
      },
      async lose(send) {
        await ports.send(send);
      },
    };
    const look: ReconcileHook = async ({ key }) => {
      const found = effects.filter((effect) => effect.idempotency_key === key);
      return found.length > 0 ? applied({ count: found.length }) : absent();
    };
    const { guard } = guardOf({
      server: { environment: "test" },
      tools: {
        create_invoice: {
          identityArgs: ["/order"],
          contract: pinned(invoice, { mismatch: "ignored" }),
          reconcile: { look, settle: 1 },
        },
      },
    });
    guard.toolsSeen(SERVER, [invoice]);
    expect(verdicts(await guard.card(request, ports))).toMatchObject({
      once: "passed",
      control: "passed",
      repeat: "passed",
      without_right: "not_tested",
    });
  });

  it("S23 tells which hints the observations contradict", async () => {
    const { look, ports } = destination({ keys: "honours" });
    const liar = { ...invoice, annotations: { readOnlyHint: false, idempotentHint: true } };
    const { guard } = guardOf({
      server: { environment: "test" },
      tools: { create_invoice: { identityArgs: ["/order"], contract: pinned(liar), reconcile: { look, settle: 1 } } },
    });
    guard.toolsSeen(SERVER, [liar]);
    expect((await guard.card(request, ports)).contradictions).toEqual([
      expect.stringContaining("idempotentHint: true, but 2 effects"),
    ]);
  });

  it.each<[what: string, setup: GuardSetup, told: string]>([
    ["in production", { server: { environment: "production" } }, 'environment must be "test". It is "production"'],
    ["where nobody said what it is", { server: {} }, 'It is "not set"'],
    [
      "of a tool whose effects nothing can count",
      { tools: { create_invoice: { identityArgs: ["/order"] } } },
      "Nothing can count",
    ],
    [
      "whose trials cannot be told apart",
      { tools: { create_invoice: { reconcile: { look: async () => absent(), settle: 1 } } } },
      "identityArgs",
    ],
  ])("%s is refused before anything is sent", async (_what, setup, told) => {
    const { card, effects } = bench({ keys: "honours" }, { server: { environment: "test" }, ...setup });
    await expect(card()).rejects.toMatchObject({ code: "CONFIG_INVALID", message: expect.stringContaining(told) });
    expect(effects).toEqual([]);
  });
});

describe("a contract that cites a card", () => {
  let orders = 0;
  const file = "./cards/create_invoice.json";
  const citing = (more = {}) => contract({ ...terms({ review: { ...terms().review, card: file }, ...more }) });
  const setup = (card: unknown, more: GuardSetup = {}): GuardSetup => ({
    lock: lockOf([invoice]),
    tools: { create_invoice: { identityArgs: ["/order"], contract: citing() } },
    cards: { [file]: card },
    ...more,
  });
  const passed = () => bench({ keys: "honours" }).card();
  const failed = () => bench({ keys: "drops" }).card();

  async function resent(
    given: GuardSetup,
  ): Promise<{ sent: number; suspended: string[]; events: { lifted: GuardEvents["lifted"][] } }> {
    const { guard, events } = guardOf(given);
    guard.toolsSeen(SERVER, [invoice], {});
    await settled();
    const wire = wireOf(LOST, OK);
    orders += 1;
    await guard.perform({ ...callOf({ order: `o-${orders}` }), deadline: 1_000 }, wire);
    return { sent: sends(wire), suspended: (await guard.suspensions.list()).map(({ reason }) => reason), events };
  }

  it("that passed is in force", async () => {
    expect(await resent(setup(await passed()))).toMatchObject({ sent: 2, suspended: [] });
  });

  it("C1-06 that failed, or could not tell, is out of force in every process; a new card puts it back", async () => {
    const store = memoryStore();
    expect(await resent(setup(await failed(), { store }))).toMatchObject({ sent: 1, suspended: ["card_failed"] });
    const { cards: _none, ...without } = setup(undefined, { store: store.another() });
    expect(await resent(without)).toMatchObject({ sent: 1 });
    const later = await resent(setup(await passed(), { store: store.another() }));
    expect(later.suspended).toEqual([]);
    expect(later.events.lifted).toEqual([expect.objectContaining({ actor: "ann" })]);
  });

  it("that is too old is out of force", async () => {
    const old = await resent(setup(await passed(), { cardFor: "0ms" }));
    expect(old).toMatchObject({ sent: 1, suspended: ["card_stale"] });
  });

  it.each<[what: string, change: (card: Card) => object, told: string]>([
    ["edited by hand", (card) => ({ ...card, verdict: "passed", by: "eve" }), "was changed after the test"],
    ["that is no card", () => ({ hello: 1 }), "is no evidence card"],
  ])("%s is refused at start", async (_what, change, told) => {
    const card = await failed();
    expect(() => guardOf(setup(change(card)))).toThrow(told);
  });

  it.each<[what: string, make: () => Promise<Card>, more: GuardSetup, told: string]>([
    [
      "another definition",
      passed,
      { lock: lockOf([{ ...invoice, annotations: { readOnlyHint: false } }]) },
      "of another definition",
    ],
    [
      "another release",
      passed,
      { lock: lockOf([invoice], { release: { name: "billing", version: "2.0.0" } }) },
      "of another release",
    ],
    [
      "a contract with other terms",
      passed,
      { tools: { create_invoice: { identityArgs: ["/order"], contract: citing({ window: "12h" }) } } },
      "with other terms",
    ],
    [
      "another tool",
      passed,
      { tools: { make_invoice: { identityArgs: ["/order"], contract: citing() } } },
      "of another tool",
    ],
  ])("of %s is refused at start", async (_what, make, more, told) => {
    const card = await make();
    expect(() => guardOf(setup(card, more))).toThrow(told);
    expect(() => guardOf(setup(card, more))).toThrow("contract.review.card");
  });

  it("that nobody read is a warning", () => {
    expect(guardOf({ ...setup(undefined), cards: {} }).guard.warnings).toEqual([
      expect.stringContaining("which was not read"),
    ]);
  });
});
