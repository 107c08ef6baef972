/**
 * What takes a contract out of force and what puts it back, looked at with ill will (S22, S23, S26, I2): nothing that
 * lifts itself may lift what waits for a person, and what was true at the start must be true at the hand-over.
 */
import { describe, expect, it } from "vitest";
import { memoryStore } from "../../adapters/stores/memory/index.ts";
import { sealedCard } from "../../src/card-file.ts";
import type { Card } from "../../src/entries/review.ts";
import type { ToolDefinition } from "../../src/entries/wire.ts";
import { contract, type JsonObject, toolFingerprint } from "../../src/index.ts";
import { reviewedLock } from "../../src/lock.ts";
import { virtualTime } from "../model/virtual-time.ts";
import {
  callOf,
  finder,
  type GuardSetup,
  guardOf,
  invoice,
  LOST,
  lockOf,
  OK,
  pinned,
  reviewOf,
  SERVER,
  sends,
  settled,
  terms,
  timeless,
  wireOf,
} from "./support.ts";

const FILE = "./cards/create_invoice.json";
const cited = (more: object = {}) =>
  contract(
    terms({
      pin: { tool: toolFingerprint(invoice) },
      review: { source: "https://billing.example/docs", by: "ann", on: "2026-11-30", card: FILE },
      ...more,
    }),
  );
const today = () => new Date().toISOString().slice(0, 10);
function card(more: Partial<Card> = {}): Card {
  const { digest: _digest, ...made } = {
    version: 1 as const,
    server: SERVER,
    tool: "create_invoice",
    environment: "test",
    fingerprint: toolFingerprint(invoice),
    contract: cited().fingerprint,
    on: today(),
    by: "ann",
    claim: [],
    controls: [],
    arguments: {},
    trials: [],
    contradictions: [],
    limits: [],
    uncertain: [],
    verdict: "passed" as const,
    digest: "",
    ...more,
  };
  return sealedCard(made);
}
const changed: ToolDefinition = { ...invoice, outputSchema: { type: "object" } };
const reasons = async (guard: { suspensions: { list(): Promise<readonly { tool: string; reason: string }[]> } }) =>
  (await guard.suspensions.list()).map(({ tool, reason }) => `${tool}: ${reason}`);

describe("a suspension that only a person lifts", () => {
  const withCard = (given: Card, more: GuardSetup = {}): GuardSetup => ({
    tools: { create_invoice: { identityArgs: ["/order"], contract: cited() } },
    cards: { [FILE]: given },
    ...more,
  });

  it.each([
    ["a card", { verdict: "failed" as const }],
    ["an old card", { on: "2020-01-01" }],
  ])("takes the place of %s: a new card does not lift it", async (_what, bad) => {
    const store = memoryStore();
    const { guard } = guardOf(withCard(card(bad), { store }));
    await settled();
    const decision = { server: SERVER, tool: "create_invoice", actor: "ann", reason: "two invoices" };
    await guard.suspensions.suspend(decision);
    expect(await reasons(guard)).toEqual(["create_invoice: two invoices"]);
    const later = guardOf(withCard(card(), { store: store.another() })).guard;
    await settled();
    expect(await reasons(later)).toEqual(["create_invoice: two invoices"]);
  });

  it("takes the place of drift: the review of the definition does not lift it", async () => {
    const tools = { create_invoice: { identityArgs: ["/order"], contract: terms() } };
    const { guard } = guardOf({ tools, lock: lockOf([invoice]), server: { identity: { url: "https://b.example/" } } });
    guard.toolsSeen(SERVER, [changed], {});
    await settled();
    const decision = { server: SERVER, tool: "create_invoice", actor: "ann", reason: "two invoices" };
    await guard.suspensions.suspend(decision);
    await guard.catalogue.review(SERVER, { actor: "bob" });
    expect(await reasons(guard)).toEqual(["create_invoice: two invoices"]);
  });

  it("takes the place of drift without a moment in which nothing stands", async () => {
    const store = memoryStore();
    const stood: number[] = [];
    const each = async <T>(work: Promise<T>): Promise<T> => {
      const result = await work;
      stood.push((await store.suspensions()).length);
      return result;
    };
    const watched = {
      ...store,
      suspend: (...given: Parameters<typeof store.suspend>) => each(store.suspend(...given)),
      lift: (...given: Parameters<typeof store.lift>) => each(store.lift(...given)),
    };
    const tools = { create_invoice: { identityArgs: ["/order"], contract: terms() } };
    const { guard } = guardOf({ store: watched, tools, lock: lockOf([invoice]) });
    guard.toolsSeen(SERVER, [changed], {});
    await settled();
    await guard.suspensions.suspend({ server: SERVER, tool: "create_invoice", actor: "ann", reason: "two invoices" });
    expect(await reasons(guard)).toEqual(["create_invoice: two invoices"]);
    expect(stood.length).toBeGreaterThan(1);
    expect(stood).not.toContain(0);
  });

  it("that came while drift was being lifted stays", async () => {
    const store = memoryStore();
    const theirs = { server: SERVER, tool: "create_invoice", actor: "ann", reason: "two invoices" };
    const raced = {
      ...store,
      async lift(...given: Parameters<typeof store.lift>) {
        const [stands] = await store.suspensions();
        await store.suspend(theirs, stands);
        return store.lift(...given);
      },
    };
    const tools = { create_invoice: { identityArgs: ["/order"], contract: terms() } };
    const { guard, events } = guardOf({ store: raced, tools, lock: lockOf([invoice]) });
    guard.toolsSeen(SERVER, [changed], {});
    await settled();
    await guard.catalogue.review(SERVER, { actor: "bob", identity: { url: "https://billing.example/mcp" } });
    expect(await reasons(guard)).toEqual(["create_invoice: two invoices"]);
    expect(events.lifted).toEqual([]);
  });

  it("that the store could not take while drift was being lifted stays, and is taken later", async () => {
    const store = memoryStore();
    const theirs = { server: SERVER, tool: "create_invoice", actor: "ann", reason: "two invoices" };
    let gone = false;
    const failing = {
      ...store,
      suspend: (...given: Parameters<typeof store.suspend>) =>
        gone ? Promise.reject(new Error("gone")) : store.suspend(...given),
      async lift(...given: Parameters<typeof store.lift>) {
        gone = true;
        await guard.suspensions.suspend(theirs).catch(() => {});
        gone = false;
        return store.lift(...given);
      },
    };
    const tools = { create_invoice: { identityArgs: ["/order"], contract: terms() } };
    const { guard } = guardOf({ store: failing, tools, lock: lockOf([invoice]) });
    guard.toolsSeen(SERVER, [changed], {});
    await settled();
    await guard.catalogue.review(SERVER, { actor: "bob", identity: { url: "https://billing.example/mcp" } });
    expect(await reasons(guard)).toEqual([]);
    await guard.describeCall(callOf());
    expect(await reasons(guard)).toEqual(["create_invoice: two invoices"]);
  });

  it("in words that this package uses too, it is still a person's", async () => {
    const tools = { create_invoice: { identityArgs: ["/order"], contract: terms() } };
    const { guard } = guardOf({ tools, lock: lockOf([invoice]) });
    guard.toolsSeen(SERVER, [invoice], {});
    await guard.suspensions.suspend({ server: SERVER, tool: "create_invoice", actor: "ann", reason: "drift" });
    await guard.catalogue.review(SERVER, { actor: "bob", identity: { url: "https://billing.example/mcp" } });
    expect(await reasons(guard)).toEqual(["create_invoice: drift"]);
  });

  it("drift that came while another suspension stood is on record once that one is lifted", async () => {
    const tools = { find_invoice: { effect: "read" as const } };
    const { guard } = guardOf({ tools, lock: lockOf([finder]) });
    const decision = { server: SERVER, tool: "find_invoice", actor: "ann", reason: "looked" };
    await guard.suspensions.suspend(decision);
    const other = { ...finder, annotations: {} };
    guard.toolsSeen(SERVER, [other], {});
    await settled();
    await guard.suspensions.lift(decision);
    guard.toolsSeen(SERVER, [other], {});
    await settled();
    expect(await reasons(guard)).toEqual(["find_invoice: drift"]);
  });
});

describe("a card that a contract cites", () => {
  it("that grows old while the program runs puts its contract out of force", async () => {
    const { guard, run, time } = timeless({
      tools: { create_invoice: { identityArgs: ["/order"], contract: cited() } },
      cards: { [FILE]: card({ on: new Date(virtualTime().now()).toISOString().slice(0, 10) }) },
      cardFor: "2d",
    });
    const wall = () => guard.describeCall(callOf());
    guard.toolsSeen(SERVER, [invoice], {});
    expect((await run(wall())).operator.join(" ")).toContain("It is in force.");
    await time.advance(3 * 86_400_000);
    const wire = wireOf(LOST, OK);
    await run(guard.perform(callOf(), wire));
    expect(sends(wire)).toBe(1);
    expect(await reasons(guard)).toEqual(["create_invoice: card_stale"]);
  });

  it("is looked at where a rule on arguments cites it, too", async () => {
    const rule = { match: { "/mode": "x" }, contract: cited() };
    const tools = { create_invoice: { identityArgs: ["/order"], when: [rule] } };
    const { guard } = guardOf({ tools, cards: { [FILE]: card({ verdict: "failed" }) } });
    guard.toolsSeen(SERVER, [invoice], {});
    const wire = wireOf(LOST, OK);
    await guard.perform(callOf({ order: "o", mode: "x" }), wire);
    expect(sends(wire)).toBe(1);
    expect(await reasons(guard)).toEqual(["create_invoice: card_failed"]);
    expect(() => guardOf({ tools, cards: { [FILE]: card({ tool: "pay" }) } })).toThrow(
      "servers.billing.tools.create_invoice.when.0.contract.review.card",
    );
  });

  it("a store that fails while one card is lifted does not keep the next, failed card from its contract", async () => {
    const store = memoryStore();
    const broken = { ...store, lift: () => Promise.reject(new Error("gone")) };
    const first = { ...invoice, name: "a_first" };
    await store.open();
    await store.suspend({ server: SERVER, tool: "a_first", reason: "card_stale", actor: "indoubt" });
    const { guard } = guardOf({
      store: broken,
      tools: {
        a_first: {
          identityArgs: ["/order"],
          contract: { ...terms(), review: { ...cited().review, card: "./a.json" } },
        },
        create_invoice: { identityArgs: ["/order"], contract: cited() },
      },
      cards: {
        "./a.json": card({ tool: "a_first", fingerprint: toolFingerprint(first) }),
        [FILE]: card({ verdict: "failed" }),
      },
    });
    await settled();
    expect(await reasons(guard)).toEqual(["a_first: card_stale", "create_invoice: card_failed"]);
  });

  it("that nobody read, or that is of something else, keeps its contract out of force", async () => {
    const tools = { create_invoice: { identityArgs: ["/order"], contract: cited() } };
    const worlds = [{ tools }, { tools, cards: { [FILE]: card({ tool: "pay" }) }, recovery: "off" as const }];
    for (const world of worlds) {
      const { guard } = guardOf(world);
      guard.toolsSeen(SERVER, [invoice], {});
      expect(guard.warnings.join()).toContain("contract.review.card");
      expect((await guard.describeCall(callOf())).operator.join()).toContain("It is not in force: the evidence card");
      const wire = wireOf(LOST, OK);
      await guard.perform(callOf(), wire);
      expect([sends(wire), await guard.suspensions.list()]).toEqual([1, []]);
    }
  });

  it("of a test without any contract is not the card of this one", () => {
    const tools = { create_invoice: { identityArgs: ["/order"], contract: cited() } };
    const { contract: _none, digest: _digest, ...plain } = card();
    expect(() => guardOf({ tools, cards: { [FILE]: sealedCard(plain) } })).toThrow("of a test without a contract");
  });
});

describe("between the word for a resend and its hand-over", () => {
  const tools = { create_invoice: { identityArgs: ["/order"], contract: pinned() } };

  it.each<[what: string, happens: (guard: ReturnType<typeof guardOf>["guard"]) => void]>([
    ["the server says that its list changed", (guard) => guard.toolsChanged(SERVER)],
    ["a changed definition is listed", (guard) => void guard.toolsSeen(SERVER, [changed], {})],
    ["the tool is gone from the list", (guard) => void guard.toolsSeen(SERVER, [], {})],
  ])("I2 %s: nothing is sent", async (_what, happens) => {
    const store = memoryStore();
    const { guard } = guardOf({
      tools,
      store: {
        ...store,
        async swap(request) {
          const reply = await store.swap(request);
          if (request.body.includes('"contract"')) happens(guard);
          return reply;
        },
      },
    });
    guard.toolsSeen(SERVER, [invoice], {});
    const wire = wireOf(LOST, OK);
    const outcome = await guard.perform(callOf(), wire);
    expect([sends(wire), outcome.kind]).toEqual([1, "uncertain"]);
  });
});

describe("lists of several sign-ins", () => {
  const alices = reviewOf([changed], { principal: "alice" });
  const lock = reviewedLock(lockOf([invoice, finder]), alices);
  const read = { find_invoice: { effect: "read" as const } };

  it("a tool that the review of a sign-in does not cover has no pin there", async () => {
    const only = reviewedLock(lockOf([invoice]), reviewOf([finder], { principal: "alice" }));
    const { guard } = guardOf({
      lock: only,
      tools: { create_invoice: { identityArgs: ["/order"], contract: terms() } },
    });
    guard.toolsSeen(SERVER, [invoice, finder], { principal: "alice" });
    await settled();
    const wire = wireOf(LOST, OK);
    await guard.perform({ ...callOf(), principal: "alice" }, wire);
    expect(sends(wire)).toBe(1);
  });

  it("a pin that the operator wrote down stays, whatever was reviewed for a sign-in", async () => {
    const tools = { create_invoice: { identityArgs: ["/order"], contract: pinned({ ...invoice, outputSchema: {} }) } };
    const { guard } = guardOf({ lock, tools });
    guard.toolsSeen(SERVER, [changed], { principal: "alice" });
    await settled();
    const wire = wireOf(LOST, OK);
    await guard.perform({ ...callOf(), principal: "alice" }, wire);
    expect(sends(wire)).toBe(1);
  });

  it("what is as reviewed for one lifts no drift of another", async () => {
    const twoFinders = reviewedLock(lockOf([finder]), reviewOf([{ ...finder, annotations: {} }], { principal: "bob" }));
    const { guard } = guardOf({ lock: twoFinders, tools: read });
    const bobs = { ...finder, annotations: {} };
    guard.toolsSeen(SERVER, [bobs], {});
    await settled();
    expect(await reasons(guard)).toEqual(["find_invoice: drift"]);
    guard.toolsSeen(SERVER, [bobs], { principal: "bob" });
    await settled();
    expect(await reasons(guard)).toEqual(["find_invoice: drift"]);
    await guard.catalogue.review(SERVER, { actor: "ann", principal: "bob", identity: { url: "https://x.example/" } });
    expect(await reasons(guard)).toEqual(["find_invoice: drift"]);
  });

  it("a store that cannot lift is told, not thrown at the program", async () => {
    const store = memoryStore();
    const broken = { ...store, lift: () => Promise.reject(new Error("gone")) };
    const sight: JsonObject = { kind: "changed", seen: toolFingerprint(finder) };
    await store.open();
    await store.suspend({
      server: SERVER,
      tool: "find_invoice",
      reason: "drift",
      actor: "indoubt",
      detail: JSON.stringify(sight),
    });
    const { guard, events } = guardOf({ store: broken, lock: lockOf([finder]), tools: read });
    guard.toolsSeen(SERVER, [finder], {});
    await settled();
    expect(events.warning).toContainEqual({ message: expect.stringContaining("find_invoice stays suspended") });
  });
});
