/** Presets: each parses, each needs a review, each keeps its limits when it acts (S13, S14, S17). */
import { describe, expect, it } from "vitest";
import { presetsPage } from "../../scripts/docs/presets-page.ts";
import { PRESETS, type Preset } from "../../src/core/contract-presets.ts";
import {
  contract,
  type JsonObject,
  type PresetContractInput,
  type PresetName,
  toolFingerprint,
} from "../../src/index.ts";
import { callOf, guardOf, LOST, OK, SERVER, sends, terms, timeless, wireOf } from "./support.ts";

const names = Object.keys(PRESETS) as PresetName[];
const table: Readonly<Record<PresetName, Preset>> = PRESETS;
const review = { by: "ann", on: "2026-11-30" };
/** Providers that name no time get one here. */
const given = (preset: PresetName, more: Partial<PresetContractInput> = {}): PresetContractInput => ({
  preset,
  review,
  ...(table[preset].window === undefined && { window: "1h" }),
  ...more,
});
const open = { name: "create_invoice", inputSchema: { type: "object", properties: {}, additionalProperties: true } };
const pin = { tool: toolFingerprint(open) };

describe.each(names)("preset %s", (name) => {
  const preset = table[name];

  it("has a source, a date, and terms that make a contract", () => {
    expect(preset.source).toMatch(/^https:\/\//);
    expect(preset.checked).toMatch(/^\d{4}-\d\d-\d\d$/);
    const made = contract(given(name));
    const { concurrent, mismatch, replaysErrors, key, source } = preset;
    expect(made).toMatchObject({
      dedupes: "key",
      concurrent,
      mismatch,
      replaysErrors,
      key,
      review: { source, by: "ann" },
    });
    expect(made.margin).toBeLessThan(made.window);
    expect(made).not.toHaveProperty("preset");
  });

  it("needs a review, and a time where the provider names none", () => {
    const { review: _review, ...unreviewed } = given(name);
    expect(() => contract(unreviewed as never)).toThrow(/review: /);
    const { window: _window, ...timed } = given(name);
    if (preset.window === undefined) expect(() => contract(timed)).toThrow(/window: .* names no time/);
    else expect(contract(timed).window).toBeGreaterThan(0);
  });

  it("is not in force without a reviewed definition of the tool", async () => {
    const { guard, run } = timeless({ tools: { create_invoice: { identityArgs: ["/order"], contract: given(name) } } });
    guard.toolsSeen(SERVER, [open], {});
    const wire = wireOf(LOST, OK);
    expect((await run(guard.perform(callOf(), wire))).kind).toBe("uncertain");
    expect(sends(wire)).toBe(1);
  });

  it("in force it sends the same key again, at its place and in its form, inside the window only", async () => {
    const tool = { identityArgs: ["/order"], contract: given(name, { pin }), settle: "1s", validFor: "40d" } as const;
    const { guard, run, time } = timeless({ tools: { create_invoice: tool }, maxIntentAge: "60d" });
    guard.toolsSeen(SERVER, [open], {});
    const wire = wireOf(LOST, OK);
    await run(guard.perform(callOf(), wire));
    guard.connected(SERVER, wire);
    for (let round = 0; sends(wire) < 2 && round < 20; round += 1) {
      await time.advance(1_000);
      await run(guard.sweep());
    }
    expect(sends(wire)).toBe(2);
    const keys = wire.sent.map(({ arguments: args, headers, meta }) => keyIn(preset, args, headers, meta));
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(preset.uuid4 ? /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-/ : /^[0-9a-f-]{36}$/);

    const late = wireOf(LOST, OK);
    const { window, margin } = contract(given(name));
    const issuedAt = time.now() - (window - margin);
    await run(guard.perform({ ...callOf({ order: "late" }), operationId: "op-late", issuedAt }, late));
    for (let round = 0; round < 5; round += 1) {
      await time.advance(1_000);
      await run(guard.sweep());
    }
    expect(sends(late)).toBe(1);
  });
});

function keyIn(preset: Preset, args: JsonObject, headers: unknown, meta: unknown): unknown {
  if ("argument" in preset.key) return args[preset.key.argument.slice(1)];
  return "header" in preset.key
    ? (headers as JsonObject)?.[preset.key.header]
    : (meta as JsonObject)?.[preset.key.meta];
}

describe("a contract by preset", () => {
  it("takes the operator's own terms before the preset's", () => {
    const own = contract({
      preset: "stripe",
      review,
      key: { argument: "/idempotency_key" },
      window: "12h",
      replaysErrors: false,
    });
    expect(own).toMatchObject({ key: { argument: "/idempotency_key" }, window: 43_200_000, replaysErrors: false });
    expect(own.fingerprint).not.toBe(contract({ preset: "stripe", review }).fingerprint);
  });

  it.each<[what: string, input: object, told: RegExp]>([
    ["an unknown name", { preset: "stripes", review }, /preset: one of stripe, /],
    ["an unknown term", { preset: "stripe", review, windows: "1h" }, /windows: unknown option/],
    ["a window without a unit", { preset: "stripe", review, window: "24" }, /window: /],
    [
      "a margin that eats the window",
      { preset: "azure-repeatability", review, margin: "10m" },
      /margin: must be shorter/,
    ],
    ["a review without a name", { preset: "stripe", review: { on: "2026-11-30" } }, /review.by: /],
  ])("%s is told with its path, in code and in a configuration", (_what, input, told) => {
    expect(() => contract(input as never)).toThrow(told);
    const tools = { create_invoice: { identityArgs: ["/order"], contract: input as never } };
    expect(() => guardOf({ tools })).toThrow(told);
  });

  it("is not what was meant where no preset is named: each term that is missing is told", () => {
    const { window: _window, replaysErrors: _errors, scope: _scope, ...some } = terms();
    for (const make of [
      () => contract(some as never),
      () => guardOf({ tools: { create_invoice: { identityArgs: ["/order"], contract: some as never } } }),
      () => guardOf({ tools: { create_invoice: { identityArgs: ["/order"], contract: {} as never } } }),
    ]) {
      expect(make).toThrow(/window: missing: write a number of milliseconds or a text such as "30s"/);
      expect(make).toThrow(/replaysErrors: missing: expected boolean/);
      expect(make).toThrow(/scope: missing: expected object/);
      expect(make).not.toThrow(/preset/);
    }
  });

  it("a review that has expired is refused at start, with the cure; one that expires today is not", () => {
    const today = new Date().toISOString().slice(0, 10);
    const until = (expires: string) => () =>
      guardOf({
        tools: { t: { identityArgs: ["/x"], contract: { preset: "stripe", review: { ...review, expires } } } },
      });
    expect(until("2024-12-31")).toThrow(
      /contract.review.expires: the review expired on 2024-12-31; .*calls pass without one/,
    );
    expect(until(today)).not.toThrow();
  });

  it("the page names every preset", () => {
    for (const name of names) expect(presetsPage()).toContain(`### ${name}\n`);
  });
});
