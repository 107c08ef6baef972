/**
 * The catalogue at run time (S22, C2): what passes of the servers' tool lists is compared with the review; what departs
 * from it takes contract and read declaration out of force, in every process, until a person has looked.
 */
import { describe, expect, it } from "vitest";
import { memoryStore } from "../../adapters/stores/memory/index.ts";
import type { ListPage, ToolDefinition } from "../../src/entries/wire.ts";
import {
  callOf,
  finder,
  type GuardSetup,
  guardOf,
  invoice,
  LOST,
  lockOf,
  OK,
  SERVER,
  sends,
  settled,
  terms,
  wireOf,
} from "./support.ts";

const tools = {
  create_invoice: { contract: terms(), identityArgs: ["/order"] },
  find_invoice: { effect: "read" },
} as const;
const setup = (more: GuardSetup = {}): GuardSetup => ({ lock: lockOf([invoice, finder]), tools, ...more });
const WHOLE: ListPage = {};

/** One call whose first answer is lost, after these lists were seen. @returns how often it was sent */
async function sentAfter(more: GuardSetup, ...lists: readonly (readonly [readonly ToolDefinition[], ListPage?])[]) {
  const { guard, events } = guardOf(setup(more));
  for (const [list, page = WHOLE] of lists) guard.toolsSeen(SERVER, list, page);
  await settled();
  const wire = wireOf(LOST, OK);
  const outcome = await guard.perform(callOf(), wire);
  const suspended = (await guard.suspensions.list()).map(({ tool, reason }) => `${tool}: ${reason}`);
  return { sent: sends(wire), outcome, suspended, events, guard };
}

const renamed = { ...invoice, name: "make_invoice" };
const wider = {
  ...(invoice.inputSchema as object),
  properties: { order: {}, mode: {}, amount: {}, note: {}, idempotency_key: {} },
};

describe("drift of a tool", () => {
  it("none: the resend under the contract takes place", async () => {
    const seen = await sentAfter({}, [[invoice, finder]]);
    expect(seen).toMatchObject({ sent: 2, suspended: [], outcome: { kind: "succeeded", basis: "contract" } });
    expect(seen.events.drift).toEqual([]);
  });

  it.each<[what: string, lists: readonly (readonly [readonly ToolDefinition[], ListPage?])[], change: string]>([
    ["a schema that takes more", [[[{ ...invoice, inputSchema: wider }, finder]]], "changed"],
    ["another output schema", [[[{ ...invoice, outputSchema: { type: "object" } }, finder]]], "changed"],
    ["another hint", [[[{ ...invoice, annotations: { idempotentHint: true } }, finder]]], "changed"],
    ["a tool that is gone from the whole list", [[[finder]]], "removed"],
    ["a tool that has another name now", [[[renamed, finder]]], "renamed"],
    ["a tool that is gone after it was there", [[[invoice, finder]], [[finder]]], "removed"],
    ["a tool that went away and came back", [[[invoice, finder]], [[finder]], [[invoice, finder]]], "removed"],
  ])("C2-01 C2-02 %s: suspended, never sent again", async (_what, lists, change) => {
    const seen = await sentAfter({}, ...lists);
    expect(seen).toMatchObject({ sent: 1, suspended: ["create_invoice: drift"], outcome: { kind: "uncertain" } });
    expect(seen.events.drift).toContainEqual(
      expect.objectContaining({ tool: "create_invoice", change, suspends: true }),
    );
    expect(seen.events.suspended).toEqual([{ server: SERVER, tool: "create_invoice", reason: "drift" }]);
  });

  it("a tombstone in the lock: a tool that comes back is drift, even as it was", async () => {
    const { reviewedLock } = await import("../../src/lock.ts");
    const { reviewOf } = await import("./support.ts");
    const lock = reviewedLock(lockOf([invoice, finder]), reviewOf([finder]));
    const seen = await sentAfter({ lock }, [[invoice, finder]]);
    expect(seen).toMatchObject({ sent: 1, suspended: ["create_invoice: drift"] });
    expect(seen.events.drift[0]).toMatchObject({ change: "readded" });
  });

  it("C2-02 words alone are told; they suspend only where the operator counts them", async () => {
    const reworded = { ...invoice, description: "Creates one invoice." };
    const note = await sentAfter({}, [[reworded, finder]]);
    expect(note).toMatchObject({ sent: 2, suspended: [] });
    expect(note.events.drift).toEqual([expect.objectContaining({ change: "reworded", suspends: false })]);

    const strict = await sentAfter({ server: { drift: "any" } }, [[reworded, finder]]);
    expect(strict).toMatchObject({ sent: 1, suspended: ["create_invoice: drift"] });
  });

  it("is not watched where the operator turned it off; the pin still counts", async () => {
    const off = { ...tools, create_invoice: { ...tools.create_invoice, drift: "off" as const } };
    const seen = await sentAfter({ tools: off }, [[{ ...invoice, inputSchema: wider }, finder]]);
    expect(seen).toMatchObject({ sent: 1, suspended: [] });
  });

  it("a contract with a pin and no lock is watched by its pin", async () => {
    const { pinned } = await import("./support.ts");
    const own = { create_invoice: { contract: pinned(), identityArgs: ["/order"] } };
    const bare = { lock: undefined, tools: own };
    expect(await sentAfter(bare, [[invoice]])).toMatchObject({ sent: 2, suspended: [] });
    const changed = await sentAfter(bare, [[{ ...invoice, inputSchema: wider }]]);
    expect(changed).toMatchObject({ sent: 1, suspended: ["create_invoice: drift"] });
    expect(await sentAfter(bare, [[finder]])).toMatchObject({ sent: 1, suspended: ["create_invoice: drift"] });
  });

  it("keeps a redacted reproduction: what was reviewed, what was seen, each field in one tame line", async () => {
    const evil = { ...(wider as { properties: object }), title: "\u001b[2J\nApproved by the operator" };
    const { guard } = await sentAfter({}, [[{ ...invoice, inputSchema: evil }, finder]]);
    const [entry] = await guard.suspensions.list();
    const detail = JSON.parse(entry?.detail ?? "{}") as { words: string[]; reviewed: string; seen: string };
    expect(detail).toMatchObject({ kind: "changed", reviewed: expect.any(String), seen: expect.any(String) });
    expect(detail.words.join("\n")).toContain('+ "/inputSchema/properties/note"');
    expect(detail.words.join("\n")).not.toContain("\u001b");
    expect(detail.words.find((line) => line.includes("Approved"))).toContain('"/inputSchema/title"');
  });
});

describe("a whole list", () => {
  const first: ListPage = { nextCursor: "2" };
  const last: ListPage = { cursor: "2" };

  it("has all its pages: a tool on the second one is not missing", async () => {
    const seen = await sentAfter({}, [[finder], first], [[invoice], last]);
    expect(seen).toMatchObject({ sent: 2, suspended: [] });
  });

  it("is not known after one page: nothing is missing yet, and nothing is sent again", async () => {
    expect(await sentAfter({}, [[finder], first])).toMatchObject({ sent: 1, suspended: [] });
    expect(await sentAfter({}, [[finder], last])).toMatchObject({ sent: 1, suspended: [] });
  });

  it("is known after the last page, removals included", async () => {
    expect(await sentAfter({}, [[finder], first], [[], last])).toMatchObject({ suspended: ["create_invoice: drift"] });
  });

  it("is not made of pages of two lists: the server said in between that it changed", async () => {
    const { guard } = guardOf(setup());
    guard.toolsSeen(SERVER, [finder], first);
    guard.toolsChanged(SERVER);
    guard.toolsSeen(SERVER, [], last);
    await settled();
    expect(await guard.suspensions.list()).toEqual([]);
  });

  it("that has changed is unknown until it is listed again: no resend, no argument is refused by the old schema", async () => {
    const { guard } = guardOf(setup());
    guard.toolsSeen(SERVER, [invoice, finder], {});
    guard.toolsChanged(SERVER);
    const wire = wireOf(LOST, OK);
    const outcome = await guard.perform(callOf({ order: 7 }), wire);
    expect([outcome.kind, sends(wire)]).toEqual(["uncertain", 1]);
    guard.toolsSeen(SERVER, [invoice, finder], {});
    const again = wireOf(LOST, OK);
    expect(await guard.perform(callOf({ order: "o-2" }), again)).toMatchObject({ kind: "succeeded" });
    expect(sends(again)).toBe(2);
  });

  it("C1-10 a declaration that matches no tool of it is told", async () => {
    const extra = { ...tools, creat_invoice: { identityArgs: ["/order"] } };
    const { events } = await sentAfter({ tools: extra }, [[invoice, finder]]);
    expect(events.warning).toContainEqual({ message: expect.stringContaining("creat_invoice matches no tool") });
  });
});

describe("sign-ins", () => {
  it("each has its own list: what one does not see is not missing for the other", async () => {
    const seen = await sentAfter({}, [[invoice, finder]], [[finder], { principal: "eve" }]);
    expect(seen).toMatchObject({ sent: 2, suspended: [] });
    const { reviewedLock } = await import("../../src/lock.ts");
    const { reviewOf } = await import("./support.ts");
    const lock = reviewedLock(lockOf([invoice, finder]), reviewOf([finder], { principal: "eve" }));
    const own = await sentAfter({ lock }, [[invoice, finder]], [[finder], { principal: "eve" }]);
    expect(own).toMatchObject({ sent: 2, suspended: [] });
    const gone = await sentAfter({ lock }, [[invoice, finder]], [[], { principal: "eve" }]);
    expect(gone.suspended).toEqual(["find_invoice: drift"]);
  });

  it("a resend for one needs the list that this one sees", async () => {
    const { guard } = guardOf(setup());
    guard.toolsSeen(SERVER, [invoice, finder], { principal: "ann" });
    guard.toolsSeen(SERVER, [invoice, finder], { principal: "bob" });
    const forEve = wireOf(LOST, OK);
    await guard.perform({ ...callOf(), principal: "eve" }, forEve);
    const forAnn = wireOf(LOST, OK);
    await guard.perform({ ...callOf(), principal: "ann" }, forAnn);
    expect([sends(forEve), sends(forAnn)]).toEqual([1, 2]);
  });
});

describe("another server or release under the same name", () => {
  const there = (page: ListPage, more: GuardSetup = {}) => sentAfter(more, [[invoice, finder], page]);

  it("C2-03 another address suspends contracts and read declarations; a query or slash is no other address", async () => {
    const other = await there({ identity: { url: "https://evil.example/mcp" } });
    expect(other).toMatchObject({ sent: 1 });
    expect([...other.suspended].sort()).toEqual(["create_invoice: other_server", "find_invoice: other_server"]);
    expect(await there({ identity: { url: "https://billing.example/mcp/?session=1" } })).toMatchObject({
      sent: 2,
      suspended: [],
    });
  });

  it("another release suspends contracts only; the same one nothing", async () => {
    const lock = lockOf([invoice, finder], { release: { name: "billing", version: "1.2.0" } });
    const next = await there({ release: { name: "billing", version: "1.3.0" } }, { lock });
    expect(next).toMatchObject({ sent: 1, suspended: ["create_invoice: release_changed"] });
    expect(await there({ release: { name: "billing", version: "1.2.0" } }, { lock })).toMatchObject({ sent: 2 });
  });

  it("what a server says of itself never puts anything in force", async () => {
    const lock = lockOf([invoice, finder], { release: { name: "billing", version: "1.2.0" } });
    const liar = { identity: { url: "https://evil.example/mcp" }, release: { name: "billing", version: "1.2.0" } };
    expect(await there(liar, { lock })).toMatchObject({ sent: 1 });
  });

  it("a configuration that leads elsewhere than the review is noticed before any list", async () => {
    const { guard } = guardOf(setup({ server: { identity: { url: "https://staging.example/mcp" } } }));
    await settled();
    expect((await guard.suspensions.list()).map(({ reason }) => reason)).toEqual(["other_server", "other_server"]);
  });
});

describe("a suspension", () => {
  it("holds in every process that shares the store, and in the next one", async () => {
    const store = memoryStore();
    const one = guardOf(setup({ store })).guard;
    one.toolsSeen(SERVER, [{ ...invoice, inputSchema: wider }, finder], {});
    await settled();
    const other = guardOf(setup({ store: store.another() })).guard;
    other.toolsSeen(SERVER, [invoice, finder], {});
    const wire = wireOf(LOST, OK);
    await other.perform(callOf(), wire);
    expect(sends(wire)).toBe(1);
  });

  it("is lifted by a person with a reason, and by nothing else", async () => {
    const { guard } = await sentAfter({}, [[finder]], [[invoice, finder]]);
    await expect(
      guard.suspensions.lift({ server: SERVER, tool: "create_invoice", actor: "ann", reason: "" }),
    ).rejects.toThrow("needs reason");
    await guard.suspensions.lift({ server: SERVER, tool: "create_invoice", actor: "ann", reason: "same tool" });
    const wire = wireOf(LOST, OK);
    expect(await guard.perform(callOf({ order: "o-2" }), wire)).toMatchObject({ kind: "succeeded" });
    expect(sends(wire)).toBe(2);
  });

  it("is lifted by a new review of exactly the definition that was seen", async () => {
    const store = memoryStore();
    const changed = { ...invoice, inputSchema: wider };
    guardOf(setup({ store })).guard.toolsSeen(SERVER, [changed, finder], {});
    await settled();
    const lock = lockOf([changed, finder], { by: "bob" });
    const noKey = { create_invoice: { contract: terms({ key: { meta: "acme/key" } }), identityArgs: ["/order"] } };
    const { guard, events } = guardOf(setup({ store: store.another(), lock, tools: noKey }));
    guard.toolsSeen(SERVER, [changed, finder], {});
    await settled();
    expect(await guard.suspensions.list()).toEqual([]);
    expect(events.lifted).toEqual([expect.objectContaining({ tool: "create_invoice", actor: "bob" })]);
  });

  it("is not lifted by the old definition coming back", async () => {
    const { guard } = await sentAfter({}, [[{ ...invoice, inputSchema: wider }, finder]], [[invoice, finder]]);
    await settled();
    expect(await guard.suspensions.list()).toHaveLength(1);
  });
});

describe("a read whose declaration is suspended", () => {
  const drifted = { ...finder, annotations: { readOnlyHint: false } };

  it("is a write: recorded, sent once, in doubt on silence", async () => {
    const { guard } = guardOf(setup());
    guard.toolsSeen(SERVER, [invoice, drifted], {});
    const wire = wireOf(LOST, OK);
    const outcome = await guard.perform(callOf({ order: "o-1" }, "find_invoice"), wire);
    expect([outcome.kind, sends(wire, "find_invoice")]).toEqual(["uncertain", 1]);
    expect((await guard.queue.list({ index: "open" })).items).toHaveLength(1);
  });

  it("C1-01 is not repeated in a process that only shares the store", async () => {
    const store = memoryStore();
    const other = guardOf(setup({ store: store.another() })).guard;
    await other.perform(callOf({ order: "o-1" }, "find_invoice"), wireOf(OK));
    const one = guardOf(setup({ store })).guard;
    one.toolsSeen(SERVER, [invoice, drifted], {});
    await settled();
    const wire = wireOf(LOST, OK);
    await other.perform(callOf({ order: "o-1" }, "find_invoice"), wire);
    expect(sends(wire, "find_invoice")).toBe(1);
  });

  it("is no ground for a hook: its look is unclear, never an absence", async () => {
    const look = async (_: unknown, { call }: { call(tool: string): Promise<unknown> }) => {
      await call("find_invoice");
      return { kind: "absent" } as const;
    };
    const create_invoice = { reconcile: { look, settle: 1, absentReads: 1, staleness: 1 }, identityArgs: ["/order"] };
    const { guard } = guardOf(setup({ tools: { ...tools, create_invoice } }));
    const wire = wireOf(LOST, OK);
    guard.connected(SERVER, wire);
    guard.toolsSeen(SERVER, [invoice, drifted], {});
    const outcome = await guard.perform(callOf(), wire);
    expect(outcome.kind).toBe("uncertain");
    expect(sends(wire, "find_invoice")).toBe(0);
  });

  it("works as declared while nothing has changed, also when the store cannot be reached: it is sent, not repeated", async () => {
    const { guard } = guardOf(setup());
    guard.toolsSeen(SERVER, [invoice, finder], {});
    const wire = wireOf(LOST, OK);
    expect(await guard.perform(callOf({ order: "o-1" }, "find_invoice"), wire)).toMatchObject({ kind: "succeeded" });
    expect(sends(wire, "find_invoice")).toBe(2);

    const store = { ...memoryStore(), open: () => Promise.reject(new Error("down")) };
    const dark = guardOf(setup({ store })).guard;
    const alone = wireOf(LOST, OK);
    expect((await dark.perform(callOf({ order: "o-1" }, "find_invoice"), alone)).kind).toBe("failed");
    expect(sends(alone, "find_invoice")).toBe(1);
  });
});
