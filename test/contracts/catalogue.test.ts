/** Reviewing a server (S22, S26, S27): what is listed beside what was reviewed, and a review that puts things back. */
import { describe, expect, it } from "vitest";
import { memoryStore } from "../../adapters/stores/memory/index.ts";
import type { ToolDefinition } from "../../src/entries/wire.ts";
import { parseLock } from "../../src/lock.ts";
import {
  callOf,
  finder,
  guardOf,
  invoice,
  LOST,
  lockOf,
  OK,
  SERVER,
  sends,
  settled,
  terms,
  URL_IDENTITY,
  wireOf,
} from "./support.ts";

const tools = {
  create_invoice: { contract: terms(), identityArgs: ["/order"] },
  find_invoice: { effect: "read" },
} as const;
const page = { identity: URL_IDENTITY, release: { name: "billing", version: "1.0.0" } };
const changed = { ...invoice, annotations: { idempotentHint: true } };

describe("what is shown of a server", () => {
  it("its tools with claims, faults, declaration and review; where it is, what it calls itself", async () => {
    const { guard } = guardOf({ lock: lockOf([invoice, finder]), tools });
    guard.toolsSeen(SERVER, [invoice, finder], page);
    const account = await guard.catalogue.show(SERVER);
    expect(account).toMatchObject({
      server: SERVER,
      identity: URL_IDENTITY,
      release: page.release,
      whole: true,
      reviewed: true,
      drift: [],
    });
    expect(account.tools.map(({ tool, declared, claimsReadOnly }) => [tool, declared, claimsReadOnly])).toEqual([
      ["create_invoice", "write", false],
      ["find_invoice", "read", true],
    ]);
    expect(account.tools[0]).toMatchObject({ review: { by: "ann", on: "2026-11-30" }, faults: [] });
    expect(account.tools[1]?.claims[0]).toContain("The publisher declares readOnlyHint: true");
    expect(account.tools[1]?.faults).toEqual(["there is no description"]);
  });

  it("drift in words and as fields, what counts and what is only told", async () => {
    const { guard } = guardOf({ lock: lockOf([invoice, finder], { release: page.release }), tools });
    guard.toolsSeen(
      SERVER,
      [
        { ...changed, description: "x" },
        { ...finder, description: "now" },
      ],
      {
        ...page,
        release: { name: "billing", version: "2.0.0" },
      },
    );
    const { drift, notes, tools: shown } = await guard.catalogue.show(SERVER);
    expect(drift.map(({ tool, kind, counts }) => [tool, kind, counts])).toEqual([
      ["create_invoice", "changed", true],
      ["find_invoice", "reworded", false],
    ]);
    expect(drift[0]?.words).toContain('+ "/annotations": "{"idempotentHint":true}"');
    expect(notes).toEqual(['"billing 1.0.0" was reviewed; the server now calls itself "billing 2.0.0".']);
    expect(shown[0]?.suspended).toBe("release_changed");
  });

  it("no removal before the whole list was seen", async () => {
    const { guard } = guardOf({ lock: lockOf([invoice, finder]), tools });
    guard.toolsSeen(SERVER, [finder], { ...page, nextCursor: "2" });
    expect(await guard.catalogue.show(SERVER)).toMatchObject({ whole: false, drift: [] });
  });

  it.each<[what: string, definition: ToolDefinition, fault: string]>([
    ["a name that clients may not take", { ...invoice, name: "create invoice!" }, "characters or a length"],
    ["no input schema", { name: "t", description: "d" }, "there is no inputSchema"],
    ["an input schema of another type", { ...invoice, inputSchema: { type: "array" } }, 'is not of type "object"'],
    [
      "a required field that is not described",
      { ...invoice, inputSchema: { type: "object", required: ["x"] } },
      'requires "x"',
    ],
    ["characters that are not seen", { ...invoice, description: "Creates\u200b \u202einvoices" }, "not seen"],
    ["a description that is a book", { ...invoice, description: "x".repeat(5_000) }, "5000 characters"],
    [
      "a hint of another spelling",
      { ...invoice, annotations: { readonly_hint: true, readOnly: true } },
      "readOnlyHint is",
    ],
  ])("S27 a fault in the form is told: %s", async (_what, definition, fault) => {
    const { guard } = guardOf();
    guard.toolsSeen(SERVER, [definition], {});
    expect((await guard.catalogue.show(SERVER)).tools[0]?.faults.join()).toContain(fault);
  });
});

describe("a review", () => {
  it("makes the lock that a program starts with, and puts back what drift had suspended, everywhere", async () => {
    const store = memoryStore();
    const { guard, events } = guardOf({ store, lock: lockOf([invoice, finder]), tools });
    guard.toolsSeen(SERVER, [changed, finder], page);
    await settled();
    expect(await guard.suspensions.list()).toHaveLength(1);
    const lock = await guard.catalogue.review(SERVER, { actor: "bob", reason: "read the release notes" });
    expect(parseLock(JSON.parse(JSON.stringify(lock)))).toEqual(lock);
    expect(lock.servers[SERVER]).toMatchObject({ identity: URL_IDENTITY, release: page.release });
    expect(await guard.suspensions.list()).toEqual([]);
    expect(events.lifted).toEqual([
      { server: SERVER, tool: "create_invoice", actor: "bob", reason: "read the release notes" },
    ]);

    const next = guardOf({ store: store.another(), lock, tools }).guard;
    next.toolsSeen(SERVER, [changed, finder], page);
    const wire = wireOf(LOST, OK);
    expect(await next.perform(callOf(), wire)).toMatchObject({ kind: "succeeded", basis: "contract" });
    expect(sends(wire)).toBe(2);
  });

  it("of one tool leaves the other's suspension and review", async () => {
    const { guard } = guardOf({ lock: lockOf([invoice, finder]), tools });
    guard.toolsSeen(SERVER, [changed, { ...finder, annotations: {} }], page);
    await settled();
    await guard.catalogue.review(SERVER, { actor: "bob", accepted: ["find_invoice"] });
    expect((await guard.suspensions.list()).map(({ tool }) => tool)).toEqual(["create_invoice"]);
  });

  it("does not lift what an observation or a person suspended", async () => {
    const { guard } = guardOf({ lock: lockOf([invoice]), tools });
    guard.toolsSeen(SERVER, [invoice], page);
    await guard.suspensions.suspend({ server: SERVER, tool: "create_invoice", actor: "ann", reason: "two invoices" });
    await guard.catalogue.review(SERVER, { actor: "bob" });
    expect(await guard.suspensions.list()).toHaveLength(1);
  });

  it.each<
    [
      what: string,
      list: Parameters<ReturnType<typeof guardOf>["guard"]["toolsSeen"]>[2],
      decision: object,
      told: string,
    ]
  >([
    ["of a list that is not whole", { ...page, nextCursor: "2" }, { actor: "bob" }, "was not seen"],
    ["of a server that is nowhere", {}, { actor: "bob" }, "is not known"],
    ["by nobody", page, { actor: " " }, "needs actor"],
    ["of a tool that is not there", page, { actor: "bob", accepted: ["x"] }, 'does not list "x"'],
  ])("%s is refused", async (_what, list, decision, told) => {
    const { guard } = guardOf({ tools });
    guard.toolsSeen(SERVER, [invoice], list);
    await expect(guard.catalogue.review(SERVER, decision as never)).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.stringContaining(told),
    });
  });
});

describe("a probe before it is needed", () => {
  const reconcile = {
    tool: "find_invoice",
    arguments: { order: "{{arguments/order}}" },
    found: { at: "/structuredContent/invoices", where: { "/key": "{{key}}" } },
    settle: "30s",
    absentReads: 3,
  } as const;
  const setup = {
    find_invoice: { effect: "read" },
    create_invoice: { identityArgs: ["/order"], marker: { argument: "/mode" }, reconcile },
  } as const;

  it("shows the request and what answers would mean, and asks nothing", async () => {
    const { guard } = guardOf({ tools: setup });
    const wire = wireOf(OK);
    guard.connected(SERVER, wire);
    const report = await guard.probe(callOf());
    expect(report).toMatchObject({ calls: "find_invoice", request: { order: "o-1" }, correlation: "key" });
    expect(report.meaning.join("\n")).toMatch(
      /by our key[\s\S]*90 s after[\s\S]*after 3 such looks[\s\S]*a person or the caller decides[\s\S]*is unclear/,
    );
    expect(wire.sent).toEqual([]);
    expect((await guard.queue.list({ index: "open" })).items).toEqual([]);
  });

  it("asks when it is told to, for the very key of an operation", async () => {
    const { guard } = guardOf({ tools: setup });
    const keys: unknown[] = [];
    const wire = wireOf(({ tool, arguments: args }) => {
      if (tool === "create_invoice") keys.push(args.mode);
      return tool === "create_invoice"
        ? OK
        : { kind: "result", result: { structuredContent: { invoices: [{ key: keys[0] ?? "" }] } as never } };
    });
    guard.connected(SERVER, wire);
    const call = { ...callOf(), operationId: "order-1" };
    expect((await guard.probe(call, { ask: true })).observation).toEqual({ kind: "absent" });
    await guard.perform(call, wire);
    expect((await guard.probe(call, { ask: true })).observation).toEqual({ kind: "applied", count: 1 });
    expect((await guard.queue.show((await guard.perform(call, wire)).operation)).state).toBe("succeeded");
  });

  it("a tool without a hook, and a call that would be refused, are told", async () => {
    const { guard } = guardOf({ tools: setup });
    await expect(guard.probe(callOf({}, "other"))).rejects.toThrow("add reconcile to servers.billing.tools.other");
    guard.toolsSeen(SERVER, [invoice, finder], {});
    await expect(guard.probe(callOf({ order: 5 }))).rejects.toMatchObject({ code: "CALL_REFUSED" });
  });
});
