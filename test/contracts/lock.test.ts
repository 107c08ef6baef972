/** `indoubt.lock.json`: who reviewed what, where it is reached, and that nobody edited it since (S22). */
import { describe, expect, it } from "vitest";
import { IndoubtError } from "../../src/index.ts";
import { type Lock, parseLock, reviewedLock } from "../../src/lock.ts";
import { finder, guardOf, invoice, lockOf, reviewOf, SERVER, terms } from "./support.ts";

const copy = (lock: Lock) => JSON.parse(JSON.stringify(lock));
const message = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(IndoubtError);
    expect(error).toMatchObject({ code: "CONFIG_INVALID", effect: "none" });
    return (error as Error).message;
  }
  return "accepted";
};

describe("a lock", () => {
  it("holds identity, release, definitions, fingerprints and who reviewed them when, and survives JSON", () => {
    const lock = lockOf([invoice, finder], { release: { name: "billing", version: "1.2.0" } });
    expect(parseLock(copy(lock))).toEqual(lock);
    const server = lock.servers[SERVER];
    expect(server).toMatchObject({
      identity: { url: "https://billing.example/mcp" },
      release: { name: "billing", version: "1.2.0" },
    });
    const tool = server?.catalogues[0]?.tools.create_invoice;
    expect(tool).toMatchObject({
      definition: { name: "create_invoice", inputSchema: invoice.inputSchema },
      review: { by: "ann", on: "2026-11-30" },
    });
    expect(JSON.stringify(lock)).not.toContain("Creates an invoice.");
  });

  it("says the same for the same review, in whatever order the server lists its tools", () => {
    expect(lockOf([finder, invoice])).toEqual(lockOf([invoice, finder]));
  });

  it.each<[what: string, edit: (lock: ReturnType<typeof copy>) => void]>([
    ["another fingerprint", (lock) => (lock.servers.billing.catalogues[0].tools.create_invoice.fingerprint = "x")],
    ["another address", (lock) => (lock.servers.billing.identity.url = "https://evil.example/mcp")],
    ["another reviewer", (lock) => (lock.servers.billing.catalogues[0].tools.create_invoice.review.by = "bob")],
    ["a tool less", (lock) => delete lock.servers.billing.catalogues[0].tools.create_invoice],
    ["a wider schema", (lock) => (lock.servers.billing.catalogues[0].tools.find_invoice.definition.inputSchema = {})],
  ])("that was edited by hand is refused, naming the cure: %s", (_what, edit) => {
    const edited = copy(lockOf([invoice, finder]));
    edit(edited);
    expect(message(() => parseLock(edited))).toMatch(/was changed after the review.*indoubt tools review/);
    expect(message(() => guardOf({ lock: edited }))).toMatch(/was changed after the review/);
  });

  it("whose definition is not the one of its fingerprint is refused, also with a fitting digest", () => {
    const lock = lockOf([invoice]);
    const forged = copy(lock);
    forged.servers.billing.catalogues[0].tools.create_invoice.fingerprint = "AAAAAAAAAAAA";
    const { digest } = reviewedLock(forged as Lock, reviewOf([finder], { server: "other" }));
    expect(digest).not.toBe(lock.digest);
    const resealed = copy(reviewedLock(forged as Lock, reviewOf([finder], { server: "other" })));
    expect(message(() => parseLock(resealed))).toContain('the fingerprint of "create_invoice"');
  });

  it.each([
    ["no object", "text"],
    ["a later version", { ...copy(lockOf([invoice])), version: 2 }],
    ["an unknown field", { ...copy(lockOf([invoice])), trusted: true }],
  ])("of another form is refused: %s", (_what, input) => {
    expect(message(() => parseLock(input))).toMatch(/is not a lock file of this version|digest/);
  });

  it("keeps what stands on a command line as a secret out of the file", () => {
    const identity = { command: "npx", args: ["-y", "billing-mcp", "--api-key", "sk-1", "--token=abc", "--port", "1"] };
    const text = JSON.stringify(lockOf([invoice], { identity }));
    expect(text).not.toMatch(/sk-1|abc/);
    expect(lockOf([invoice], { identity }).servers[SERVER]?.identity).toEqual({
      command: "npx",
      args: ["-y", "billing-mcp", "--api-key", "[redacted]", "--token=[redacted]", "--port", "1"],
    });
  });
});

describe("a later review", () => {
  const first = lockOf([invoice, finder]);

  it("leaves a tombstone for a tool that went away, and takes it off when the tool is reviewed again", () => {
    const second = reviewedLock(first, reviewOf([finder], { by: "bob", on: "2026-12-01" }));
    const catalogue = second.servers[SERVER]?.catalogues[0];
    expect(Object.keys(catalogue?.tools ?? {})).toEqual(["find_invoice"]);
    expect(catalogue?.tombstones.create_invoice).toMatchObject({ review: { by: "bob", on: "2026-12-01" } });

    const third = reviewedLock(second, reviewOf([finder, invoice])).servers[SERVER]?.catalogues[0];
    expect(Object.keys(third?.tools ?? {})).toEqual(["create_invoice", "find_invoice"]);
    expect(third?.tombstones).toEqual({});
  });

  it("of some tools leaves the review of the others as it was", () => {
    const changed = { ...invoice, annotations: { destructiveHint: false } };
    const second = reviewedLock(first, reviewOf([changed, finder], { by: "bob", accepted: ["find_invoice"] }));
    const tools = second.servers[SERVER]?.catalogues[0]?.tools;
    expect(tools?.create_invoice).toEqual(first.servers[SERVER]?.catalogues[0]?.tools.create_invoice);
    expect(tools?.find_invoice?.review.by).toBe("bob");
  });

  it("of one sign-in or one server leaves the others alone", () => {
    const second = reviewedLock(first, reviewOf([finder], { principal: "eve" }));
    const third = reviewedLock(second, reviewOf([invoice], { server: "other" }));
    expect(third.servers[SERVER]?.catalogues.map(({ principal }) => principal)).toEqual([undefined, "eve"]);
    expect(Object.keys(third.servers[SERVER]?.catalogues[0]?.tools ?? {})).toHaveLength(2);
    expect(Object.keys(third.servers)).toEqual([SERVER, "other"]);
  });
});

describe("a guard with a lock", () => {
  it("gives contracts without a pin the reviewed one, and warns of those that the lock does not know", () => {
    const tools = { create_invoice: { contract: terms(), identityArgs: ["/order"] } };
    expect(guardOf({ lock: lockOf([invoice]), tools }).guard.warnings).toEqual([]);
    const stranger = guardOf({ lock: lockOf([finder]), tools }).guard.warnings;
    expect(stranger).toEqual([expect.stringContaining("create_invoice has a contract without a pin")]);
  });

  it.each([
    ["identityArgs", { identityArgs: ["/ordr"] }, 'identityArgs: "/ordr" is not in the input schema'],
    ["a rule", { when: [{ match: { "/mod": "x" }, maxAttempts: 1 }] }, 'when: "/mod" is not in the input schema'],
    [
      "a rule's own option",
      { when: [{ match: { "/mode": "x" }, redact: ["/nte"] }] },
      'create_invoice.when.0.redact: "/nte"',
    ],
    ["a key field", { contract: terms({ key: { argument: "/key" } }), identityArgs: ["/order"] }, '"/key" is not in'],
    [
      "a key field that takes numbers only",
      { contract: terms({ key: { argument: "/amount" } }), identityArgs: ["/order"] },
      'the schema forbids a key at "/amount"',
    ],
  ])("refuses at start what its reviewed schema cannot have: %s", (_what, tool, told) => {
    const said = message(() => guardOf({ lock: lockOf([invoice]), tools: { create_invoice: tool } as never }));
    expect(said).toContain(told);
    expect(said).toContain("servers.billing.tools.create_invoice.");
  });

  it("warns where the configured place is not the reviewed one", () => {
    const server = { identity: { url: "https://staging.billing.example/mcp" } };
    const { guard } = guardOf({ lock: lockOf([invoice]), server });
    expect(guard.warnings).toEqual([expect.stringContaining("is not the server that was reviewed")]);
  });

  it.each([
    ["the server", { server: { drift: "off" as const } }],
    ["a tool", { tools: { create_invoice: { drift: "off" as const } } }],
  ])("warns where drift is not watched for %s", (_what, setup) => {
    expect(guardOf(setup).guard.warnings).toEqual([expect.stringContaining('has drift: "off"')]);
  });
});
