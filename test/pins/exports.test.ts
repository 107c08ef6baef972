/** The public names: few in the root, each in one entry, and every type that one of them mentions (C01). */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { entries } from "../../scripts/entries.ts";
import * as main from "../../src/index.ts";
import { publicNames, root } from "./support.ts";

const sources = Object.values(entries).filter((source) => source.startsWith("src/"));
const { names, unnamed } = publicNames(sources);

it("the values of the root", () => {
  expect(Object.keys(main).sort()).toMatchInlineSnapshot(`
    [
      "IndoubtError",
      "absent",
      "applied",
      "contract",
      "createGuard",
      "guardFunction",
      "isIndoubtError",
      "partial",
      "toolFingerprint",
      "unclear",
      "withCallContext",
    ]
  `);
});

it("the types of the root", () => {
  const types = names.get(entries.index)?.filter((name) => !(name in main));
  expect(types?.sort()).toMatchInlineSnapshot(`
    [
      "Answer",
      "AnswerPattern",
      "Baseline",
      "BaselineHook",
      "Basis",
      "CallArguments",
      "CallContext",
      "CallDescription",
      "CallOptions",
      "CallPolicyOptions",
      "Contract",
      "ContractInput",
      "Duration",
      "Effect",
      "ErrorCode",
      "ErrorRule",
      "FunctionGuardOptions",
      "Guard",
      "GuardEvents",
      "GuardOptions",
      "GuardPolicyOptions",
      "GuardedFunction",
      "IndoubtErrorOptions",
      "Intent",
      "JsonObject",
      "JsonValue",
      "KeyPlace",
      "LookLimits",
      "LookTools",
      "Observation",
      "Outcome",
      "OutcomeFacts",
      "OutcomeKind",
      "PartialItem",
      "Pointer",
      "PresetContractInput",
      "PresetName",
      "ProbeOptions",
      "ReconcileHook",
      "ReconcileOptions",
      "RepeatRule",
      "ReviewedDefinition",
      "SendFacts",
      "ServerOptions",
      "State",
      "Strictness",
      "ToolOptions",
      "WhenRule",
    ]
  `);
});

it("the root has at most 60 names: what builds on the guard belongs in an entry of src/entries", () => {
  expect(names.get(entries.index)?.length).toBeGreaterThan(40);
  expect(names.get(entries.index)?.length).toBeLessThanOrEqual(60);
});

it("each name stands in one entry", () => {
  const all = [...names.values()].flat();
  expect(all.filter((name, index) => all.indexOf(name) !== index)).toEqual([]);
});

it("a type that a public declaration mentions can be imported", () => {
  expect(unnamed).toEqual([]);
});

it.each(sources)("%s exports by name: nothing by a star or as default", (source) => {
  expect(readFileSync(`${root}/${source}`, "utf8")).not.toMatch(/export \*|export default/);
});
