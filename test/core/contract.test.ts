import { describe, expect, it } from "vitest";
import { contract } from "../../src/config.ts";
import {
  CONTRACT_OBSTACLES,
  type ContractFacts,
  type ContractInput,
  contractObstacle,
  contractTerms,
  toolFingerprint,
} from "../../src/core/contract.ts";
import { isIndoubtError } from "../../src/errors.ts";

const definition = {
  name: "create_invoice",
  description: "Creates an invoice",
  inputSchema: { type: "object", properties: { customer: { type: "string" } } },
  annotations: { destructiveHint: true },
};
const good: ContractInput = {
  dedupes: "key",
  key: { argument: "/idempotency_key" },
  window: "24h",
  concurrent: "rejected",
  mismatch: "rejected",
  replaysErrors: true,
  scope: { caller: "acme-prod", downstream: "included" },
  review: { source: "https://example.com/docs/idempotency", by: "ops", on: "2026-11-30" },
  pin: { tool: toolFingerprint(definition) },
};
const messageOf = (input: unknown): string => {
  try {
    contract(input as ContractInput);
  } catch (error) {
    if (!isIndoubtError(error)) throw error;
    expect(error.code).toBe("CONTRACT_INVALID");
    return error.message;
  }
  return "valid";
};
const without = (name: keyof ContractInput) => Object.fromEntries(Object.entries(good).filter(([key]) => key !== name));

describe("a contract needs every term that its promise has (S13, S14)", () => {
  it.each<[string, unknown, string]>([
    ["dedupes", without("dedupes"), 'dedupes: Invalid option: expected one of "key"|"arguments"'],
    [
      "window",
      without("window"),
      'window: missing: write a number of milliseconds or a text such as "30s", "10m", "24h"',
    ],
    [
      "window without a unit",
      { ...good, window: "24" },
      'window: "24" is not a duration: write a number of milliseconds or a text such as "30s", "10m", "24h"',
    ],
    ["margin longer than the window", { ...good, window: "30s" }, "margin: must be shorter than the window"],
    [
      "key",
      without("key"),
      'key: a contract that dedupes by key says where the key goes: { argument: "/…" }, { meta: "…" } or { header: "…" }',
    ],
    [
      "key as a plain name",
      { ...good, key: { argument: "idempotency_key" } },
      'key.argument: a JSON Pointer such as "/idempotency_key"',
    ],
    [
      "key in an MCP field of our invention (S15)",
      { ...good, key: { meta: "io.modelcontextprotocol/idempotency-key" } },
      "key.meta: this prefix is reserved by MCP; use the destination's own name",
    ],
    [
      "key in the mcp prefix (S15)",
      { ...good, key: { meta: "mcp.dev/key" } },
      "key.meta: this prefix is reserved by MCP; use the destination's own name",
    ],
    [
      "key in a malformed _meta name",
      { ...good, key: { meta: "com.acme/" } },
      'key.meta: a _meta name such as "com.acme/idempotency-key"',
    ],
    ["key in a malformed header", { ...good, key: { header: "Idempotency Key" } }, "key.header: an HTTP header name"],
    [
      "concurrent",
      { ...good, concurrent: "maybe" },
      'concurrent: Invalid option: expected one of "rejected"|"joined"|"serial"',
    ],
    ["mismatch", without("mismatch"), 'mismatch: Invalid option: expected one of "rejected"|"ignored"'],
    [
      "scope",
      { ...good, scope: { caller: "" } },
      'scope.downstream: Invalid option: expected one of "included"|"excluded"',
    ],
    ["review", without("review"), "review: missing: expected object"],
    [
      "review without a day",
      { ...good, review: { source: "x", by: "y", on: "yesterday" } },
      'review.on: an ISO date such as "2026-11-30"',
    ],
    [
      "a term that does not exist",
      { ...good, windows: "24h" },
      "windows: unknown option; check the spelling or remove it",
    ],
  ])("%s", (_what, input, line) => {
    expect(messageOf(input)).toContain(`\n  ${line}`);
  });

  it.each(["com.acme/idempotency-key", "key", "acme.com/v1_key", "a-b/c"])("takes the _meta name %s", (meta) => {
    expect(contract({ ...good, key: { meta } }).key).toEqual({ meta });
  });

  it("has a margin, and is not authoritative about rejections unless it says so", () => {
    expect(contract(good)).toMatchObject({ window: 86_400_000, margin: 60_000, rejectionAuthoritative: false });
  });
});

describe("a contract's fingerprint", () => {
  const print = (over: Partial<ContractInput> = {}) => contract({ ...good, ...over }).fingerprint;
  it("changes with every term, and not with the review or the pin", () => {
    expect(print()).toHaveLength(12);
    const { pin: _pin, ...unpinned } = good;
    expect(contract(unpinned).fingerprint).toBe(print());
    expect(print({ review: { ...good.review, by: "somebody else" } })).toBe(print());
    const changed: Partial<ContractInput>[] = [
      { window: "23h" },
      { margin: "2m" },
      { concurrent: "serial" },
      { mismatch: "ignored" },
      { replaysErrors: false },
      { rejectionAuthoritative: true },
      { key: { argument: "/key" } },
      { key: { header: "Idempotency-Key" } },
      { scope: { caller: "acme-test", downstream: "included" } },
    ];
    expect(new Set([print(), ...changed.map(print)]).size).toBe(changed.length + 1);
  });

  it("is the same however a duration was written", () => {
    expect(print({ window: 86_400_000 })).toBe(print({ window: "1d" }));
  });
});

describe("the fingerprint of a tool definition (S22, C2-02)", () => {
  it("does not mind the description or the order of names", () => {
    const { name, inputSchema, annotations } = definition;
    expect(toolFingerprint({ annotations, inputSchema, name })).toBe(toolFingerprint(definition));
    expect(toolFingerprint({ ...definition, ...{ description: "typo fixed" } })).toBe(toolFingerprint(definition));
  });

  it.each([
    ["name", { ...definition, name: "create_invoices" }],
    ["input schema", { ...definition, inputSchema: { type: "object" } }],
    ["output schema", { ...definition, outputSchema: { type: "object" } }],
    ["hints", { ...definition, annotations: { destructiveHint: false } }],
  ])("changes with the %s", (_what, other) => {
    expect(toolFingerprint(other)).not.toBe(toolFingerprint(definition));
  });
});

describe("a contract is in force only while nothing stands in its way (C03, S05, S11, S22)", () => {
  const live = toolFingerprint(definition);
  const fine: ContractFacts = { today: "2026-12-01", live, suspended: false };
  const { pin: _pin, ...unpinned } = good;
  it.each<[string | undefined, ContractInput, Partial<ContractFacts>]>([
    [undefined, good, {}],
    [undefined, { ...good, review: { ...good.review, expires: "2026-12-01" } }, {}],
    ["expired", { ...good, review: { ...good.review, expires: "2026-11-30" } }, {}],
    ["not_pinned", unpinned, {}],
    ["catalogue_unknown", good, { live: undefined }],
    ["tool_gone", good, { live: null }],
    ["drift", good, { live: "another" }],
    ["suspended", good, { suspended: true }],
    ["suspended", good, { suspended: true, live: "another" }],
  ])("obstacle: %s", (obstacle, input, over) => {
    expect(contractObstacle(contract(input), { ...fine, ...over })).toBe(obstacle);
  });

  it("each obstacle says what to do or what is missing", () => {
    expect(CONTRACT_OBSTACLES).toMatchInlineSnapshot(`
      {
        "card_missing": "the evidence card that the contract cites was not read, or is the card of something else",
        "catalogue_unknown": "the server's current tool list is not known, so the pin cannot be compared",
        "drift": "the tool definition differs from the pinned one: review it again",
        "expired": "the review has expired",
        "not_pinned": "the contract has no pin: review the tool definition and write its fingerprint into \`pin\`",
        "suspended": "the contract is suspended until a person lifts it",
        "tool_gone": "the server no longer lists the tool",
      }
    `);
  });

  it("hands the machine only the terms that a resend depends on", () => {
    const sealed = contract({ ...good, concurrent: "serial" });
    expect(contractTerms(sealed)).toEqual({
      fingerprint: sealed.fingerprint,
      window: 86_400_000,
      margin: 60_000,
      serial: true,
    });
  });
});
