/** Pointers of the configuration against the tool's own input schema: what cannot be there is told before anything is sent. */
import { describe, expect, it, onTestFinished } from "vitest";
import { memoryStore } from "../../adapters/stores/memory/index.ts";
import { catalog } from "../../src/catalog.ts";
import type { Wire } from "../../src/entries/wire.ts";
import { createGuard } from "../../src/index.ts";

const plain = {
  type: "object",
  properties: {
    customer: { type: "string" },
    "a/b": { type: "string" },
    address: { type: "object", properties: { city: { type: "string" } }, additionalProperties: false },
    lines: { type: "array", items: { type: "object", properties: { sku: { type: "string" } } } },
    anything: {},
  },
};

const unknown = (inputSchema: unknown, ...pointers: string[]): string | undefined => {
  const known = catalog();
  known.seen("billing", [{ name: "create_invoice", inputSchema }]);
  return known.unknownPointer("billing", "create_invoice", pointers);
};

describe("a pointer that the schema cannot have", () => {
  it.each(["/custommer", "/address/cty", "/lines/sku", "/lines/0/skuu", "/a"])("%s is told by name", (pointer) => {
    expect(unknown(plain, "/customer", pointer)).toBe(`"${pointer}" is not in the input schema of "create_invoice"`);
  });

  it.each(["/customer", "/a~1b", "/address/city", "/lines/0/sku", "/anything/below", "/customer/deeper", ""])(
    "%s is none",
    (pointer) => {
      expect(unknown(plain, pointer)).toBeUndefined();
    },
  );

  it.each<readonly [what: string, schema: unknown]>([
    ["no schema", undefined],
    ["a schema without properties", { type: "object" }],
    ["more properties allowed", { ...plain, additionalProperties: true }],
    ["more properties of a kind", { ...plain, additionalProperties: { type: "string" } }],
    ...["$ref", "allOf", "anyOf", "oneOf", "patternProperties", "if"].map(
      (word) => [`a part that stands elsewhere: ${word}`, { ...plain, [word]: {} }] as const,
    ),
  ])("%s rules nothing out", (_what, schema) => {
    expect(unknown(schema, "/custommer")).toBeUndefined();
  });

  it("is not told of a tool whose list was not seen", () => {
    expect(catalog().unknownPointer("billing", "create_invoice", ["/custommer"])).toBeUndefined();
  });
});

describe("the first call with such a pointer fails, and nothing is sent", () => {
  const contract = {
    dedupes: "key",
    key: { argument: "/idempotency" },
    window: "24h",
    concurrent: "rejected",
    mismatch: "rejected",
    replaysErrors: false,
    scope: { caller: "acme", downstream: "included" },
    review: { source: "https://billing.acme.example/docs", by: "ops", on: "2026-11-30" },
  } as const;

  it.each([
    ["identityArgs", { identityArgs: ["/custommer"] }, "/custommer"],
    ["volatileArgs", { volatileArgs: ["/note"] }, "/note"],
    ["redact", { redact: ["/adress"] }, "/adress"],
    ["echo", { echo: { "/structuredContent/customer": "/custommer" } }, "/custommer"],
    ["contract.key.argument", { contract, identityArgs: ["/customer"] }, "/idempotency"],
  ])("%s", async (option, tool, pointer) => {
    const guard = createGuard({ store: memoryStore(), servers: { billing: { tools: { create_invoice: tool } } } });
    onTestFinished(() => guard.close({ within: 0 }));
    let sent = 0;
    const wire: Wire = {
      headers: false,
      async send() {
        sent += 1;
        return { kind: "result", result: { content: [] } };
      },
    };
    const call = { server: "billing", tool: "create_invoice", arguments: { customer: "acme" } };
    guard.toolsSeen("billing", [{ name: "create_invoice", inputSchema: plain }]);
    await expect(guard.perform(call, wire)).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      effect: "none",
      message: expect.stringContaining(`servers.billing.tools.create_invoice.${option}: "${pointer}"`),
    });
    expect(sent).toBe(0);
    expect((await guard.queue.list({ index: "open" })).items).toEqual([]);
  });
});
