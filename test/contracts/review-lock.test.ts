/** Locks, reviews and contracts looked at with ill will (S22, C2): what was not reviewed must not pass for reviewed. */
import { describe, expect, it } from "vitest";
import { memoryStore } from "../../adapters/stores/memory/index.ts";
import type { ToolDefinition } from "../../src/entries/wire.ts";
import { contract, createGuard } from "../../src/index.ts";
import { parseLock, reviewedLock } from "../../src/lock.ts";
import { finder, guardOf, invoice, lockOf, pinned, reviewOf, SERVER, terms, URL_IDENTITY } from "./support.ts";

const message = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    return (error as Error).message;
  }
  return "accepted";
};
const withContract = (given: object) => () =>
  guardOf({ tools: { create_invoice: { identityArgs: ["/order"], contract: given as never } } });

describe("a contract that was made by contract()", () => {
  it.each<[what: string, given: () => object, told: string]>([
    ["nothing but a fingerprint", () => ({ fingerprint: "abc" }), "create_invoice.contract"],
    ["a longer window", () => ({ ...pinned(), window: 30 * 86_400_000 }), "was changed after contract()"],
    ["no margin left", () => ({ ...pinned(), margin: 90_000_000 }), "must be shorter than the window"],
    ["no window", () => ({ ...pinned(), window: undefined }), "contract.window"],
    ["overlaps that were not promised", () => ({ ...pinned(), concurrent: "joined" }), "was changed after contract()"],
  ])("and then given %s is refused at start", (_what, given, told) => {
    expect(message(withContract(given()))).toContain(told);
  });

  it("is taken as it is, also with another review or pin", () => {
    expect(withContract(pinned())).not.toThrow();
    expect(withContract({ ...pinned(), pin: { tool: "abc" } })).not.toThrow();
  });

  it("by a preset is taken as well", () => {
    const made = contract({ preset: "stripe", review: { by: "ann", on: "2026-11-30" } });
    expect(withContract(made)).not.toThrow();
  });
});

describe("dates of a review", () => {
  it.each(["2026-13-40", "2026-02-30", "2026-11-30x", "30.11.2026"])("%s is no date", (on) => {
    const review = { source: "docs", by: "ann", on };
    expect(message(() => contract(terms({ review })))).toContain("review.on");
    expect(message(() => contract(terms({ review: { ...review, on: "2026-11-30", expires: on } })))).toContain(
      "review.expires",
    );
  });
});

describe("a lock", () => {
  it.each(["__proto__", "constructor", "toString"])("of a server with a tool named %s can be read again", (name) => {
    const lock = lockOf([{ ...invoice, name }, finder]);
    const read = parseLock(JSON.parse(JSON.stringify(lock)));
    expect(read.servers[SERVER]?.catalogues[0]?.tools.find_invoice).toBeDefined();
    expect(JSON.stringify(read)).toBe(JSON.stringify(lock));
  });

  it.each([
    ["address", { identity: { url: "https://other.example/mcp" } }, "another address or program"],
    ["release", { release: { name: "billing", version: "2.0.0" } }, "another release"],
  ])("with another %s is made by a whole review only: the other tools were reviewed elsewhere", (_what, more, told) => {
    const before = lockOf([invoice, finder], { release: { name: "billing", version: "1.0.0" } });
    const part = reviewOf([invoice, finder], { release: { name: "billing", version: "1.0.0" }, ...more });
    expect(message(() => reviewedLock(before, { ...part, accepted: ["find_invoice"] }))).toContain(told);
    expect(message(() => reviewedLock(before, part))).toBe("accepted");
    expect(message(() => reviewedLock(before, { ...part, accepted: ["find_invoice", "create_invoice"] }))).toBe(
      "accepted",
    );
  });
});

describe("a review", () => {
  const setup = () => {
    const guard = createGuard({
      store: memoryStore(),
      secret: "a secret of the contract tests",
      servers: { a: { identity: URL_IDENTITY }, b: { identity: URL_IDENTITY } },
    });
    guard.toolsSeen("a", [invoice], {});
    guard.toolsSeen("b", [finder], {});
    return guard;
  };

  it("beside another one loses neither", async () => {
    const guard = setup();
    const reviews = ["a", "b"].map((server) => guard.catalogue.review(server, { actor: "ann" }));
    const locks = await Promise.all(reviews);
    expect(Object.keys(locks.at(-1)?.servers ?? {})).toEqual(["a", "b"]);
    await guard.close();
  });

  it("that failed does not stop the next", async () => {
    const guard = setup();
    await expect(guard.catalogue.review("a", { actor: " " })).rejects.toThrow("actor");
    expect(Object.keys((await guard.catalogue.review("b", { actor: "ann" })).servers)).toEqual(["b"]);
    await guard.close();
  });

  it("accepts what was shown, not what came since", async () => {
    const guard = setup();
    const shown = await guard.catalogue.show("a");
    const other: ToolDefinition = { ...invoice, annotations: { readOnlyHint: true } };
    guard.toolsSeen("a", [other], {});
    await expect(guard.catalogue.review("a", { actor: "ann", shown })).rejects.toThrow(
      '"create_invoice" is not what was shown',
    );
    const again = await guard.catalogue.show("a");
    expect(Object.keys((await guard.catalogue.review("a", { actor: "ann", shown: again })).servers)).toEqual(["a"]);
    guard.toolsSeen("a", [other, finder], {});
    await expect(guard.catalogue.review("a", { actor: "ann", shown: again })).rejects.toThrow('"find_invoice"');
    await guard.close();
  });
});
