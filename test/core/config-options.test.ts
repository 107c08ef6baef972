/** Comments on option types, and docs/config.md with them, name every option with the default that the schema really has. */
import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { CONTRACT, FOUND, HOOK, PROBE, RULE, SERVER, TOOL, TOP, WHEN } from "../../scripts/docs/config-page.ts";
import type { Option, Options } from "../../scripts/docs/option-comments.ts";
import { optionsSchema, parseSettings } from "../../src/config.ts";
import { contractSchema } from "../../src/core/contract.ts";
import { type ContractInput, contract, toolFingerprint } from "../../src/index.ts";

type Schema = z.core.$ZodType;
type Shape = Readonly<Record<string, Schema>>;

/** The object behind defaults, optionals, records, arrays and the last branch of a union. */
function shapeOf(schema: Schema | undefined): Shape {
  const def = schema?._zod.def as unknown as { readonly type: string; readonly [part: string]: unknown };
  if (def.type === "object") return def.shape as Shape;
  if (def.type === "union") return shapeOf((def.options as Schema[]).at(-1));
  return shapeOf((def.innerType ?? def.valueType ?? def.element) as Schema);
}
interface Branches {
  readonly innerType: { readonly _zod: { readonly def: { readonly options: readonly Schema[] } } };
}
/** The second branch of `reconcile`. */
const probeOf = (schema: Schema | undefined): Schema | undefined =>
  schema && (schema._zod.def as unknown as Branches).innerType._zod.def.options[1];
const top = shapeOf(optionsSchema);
const server = shapeOf(top.servers);
const tool = shapeOf(server.tools);

const LEVELS: readonly (readonly [what: string, options: Options, shape: Shape])[] = [
  ["the top level", TOP, top],
  ["a server", SERVER, server],
  ["a tool", TOOL, tool],
  ["a rule on arguments", WHEN, shapeOf(tool.when)],
  ["a hook", HOOK, shapeOf(tool.reconcile)],
  ["a probe", PROBE, shapeOf(probeOf(tool.reconcile))],
  ["what a probe finds", FOUND, shapeOf(shapeOf(probeOf(tool.reconcile)).found)],
  ["a rule", RULE, shapeOf(tool.toolErrors)],
  ["a contract", CONTRACT, shapeOf(contractSchema)],
];

const terms: ContractInput = {
  dedupes: "key",
  key: { argument: "/idempotency_key" },
  window: "24h",
  concurrent: "rejected",
  mismatch: "rejected",
  replaysErrors: true,
  scope: { caller: "acme-prod", downstream: "included" },
  review: { source: "https://example.com/idempotency", by: "ops", on: "2026-11-30" },
};
/** Where the comment leaves something out, the whole of it; every other example is an expression of its own. */
const WHOLE: Readonly<Record<string, unknown>> = {
  "contract({ … })": contract(terms),
  "async (intent, { call }) => …": async () => ({ kind: "absent" }),
  'JSON.parse(readFileSync("indoubt.lock.json", "utf8"))': {},
  "{ tool: toolFingerprint(definition) }": { tool: toolFingerprint({ name: "create_invoice" }) },
};
const evaluate = (example: string): unknown =>
  example in WHOLE ? WHOLE[example] : (new Function(`return (${example});`) as () => unknown)();

describe.each(LEVELS)("every option of %s", (_what, options, shape) => {
  it("is documented, and nothing else is", () => {
    expect(Object.keys(options).sort()).toEqual(Object.keys(shape).sort());
  });

  it.each(Object.entries(options))(
    "%s says its type, its default and what it does, and its example is valid",
    (name, option) => {
      expect(option.type).not.toBe("");
      expect(option.does).toMatch(/^[A-Z`].*\.$/);
      const schema = shape[name] as z.ZodType;
      expect(schema.safeParse(evaluate(option.example)).success).toBe(true);
      const absent = schema.safeParse(undefined);
      expect(option.default === "required").toBe(!absent.success);
      if (absent.success && absent.data !== undefined) {
        expect(option.default).toBe(JSON.stringify(absent.data));
      }
    },
  );
});

describe("defaults that are not in the schema", () => {
  const { limits, ...policy } = parseSettings({ servers: { s: { tools: { t: {} } } } }).policy("s", "t");
  const contracted = parseSettings({
    servers: {
      s: { tools: { t: { contract: contract(terms) }, r: { repeat: "recall" } } },
    },
  });
  it.each<[string, Option | undefined, unknown]>([
    ["effect", TOOL.effect, JSON.stringify(policy.effect)],
    ["cancel", TOOL.cancel, JSON.stringify(policy.cancel)],
    ["identity", TOOL.identity, policy.perCall ? "" : '"guarded"'],
    ["hold", TOOL.hold, policy.holdThread ? "" : '"arguments"'],
    ["repeat", TOOL.repeat, limits.repeatWindow === 0 ? '"new"' : ""],
    ["toolErrors", TOOL.toolErrors, JSON.stringify(policy.rules.toolErrors)],
    ["echo", TOOL.echo, JSON.stringify(policy.rules.echo)],
    ["redact", TOOL.redact, JSON.stringify(policy.redact)],
    ["keepResult", TOOL.keepResult, String(policy.keepResult)],
    ["drift", SERVER.drift, JSON.stringify(policy.drift)],
    ["permissions", TOOL.permissions, JSON.stringify(policy.permissions)],
    ["maxAttempts", TOOL.maxAttempts, limits.maxAttempts],
    ["validFor", TOOL.validFor, limits.validFor],
    ["recallFor", TOOL.recallFor, limits.recallFor],
    ["retention", TOOL.retention, limits.retention],
    ["repeatWindow", TOOL.repeatWindow, contracted.policy("s", "r").limits.repeatWindow],
    ["staleness", HOOK.staleness, limits.staleness],
    ["absentReads", HOOK.absentReads, limits.absentReads],
    ["resendWhenAbsent", HOOK.resendWhenAbsent, limits.resendWhenAbsent],
    ["maxProbes", HOOK.maxProbes, limits.maxProbes],
    ["within", HOOK.within, policy.lookWithin],
  ])("%s", (_name, option, value) => {
    expect(option?.default).toBe(String(value));
  });

  it("settle is a minute, but then no absence after silence is believed", () => {
    expect(limits).toMatchObject({ settle: 60_000, settleDeclared: false });
    expect(TOOL.settle?.default).toBe("60000, and no absence after silence is believed");
  });

  it("arguments are checked where a contract or hook is", () => {
    expect([policy.validateArguments, contracted.policy("s", "t").validateArguments]).toEqual([false, true]);
  });
});
