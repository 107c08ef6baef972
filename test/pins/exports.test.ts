/** The public root, name by name: values from the module itself, types from its source (C01). */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import * as root from "../../src/index.ts";

const source = readFileSync(new URL("../../src/index.ts", import.meta.url), "utf8");
const names = [...source.matchAll(/export (type )?\{([^}]*)\}/g)].flatMap(([, allTypes, list]) =>
  (list ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "")
    .map((name) => ({ name: name.replace(/^type /, ""), type: allTypes !== undefined || name.startsWith("type ") })),
);
const listed = (type: boolean) =>
  names
    .filter((entry) => entry.type === type)
    .map(({ name }) => name)
    .sort();

it("values", () => {
  expect(Object.keys(root).sort()).toEqual(listed(false));
  expect(listed(false)).toMatchInlineSnapshot(`
    [
      "IndoubtError",
      "absent",
      "applied",
      "cardPage",
      "contract",
      "createGuard",
      "currentCallContext",
      "guardFunction",
      "guardPolicies",
      "isIndoubtError",
      "itemLink",
      "itemLinkProblem",
      "parseConfigFile",
      "partial",
      "probe",
      "toolFingerprint",
      "unclear",
      "withCallContext",
    ]
  `);
});

it("types", () => {
  expect(listed(true)).toMatchInlineSnapshot(`
    [
      "After",
      "AllowedVerdict",
      "Answer",
      "Attempt",
      "AuditLine",
      "Baseline",
      "BaselineHook",
      "BaselineRule",
      "Basis",
      "BeginReply",
      "BeginRequest",
      "BulkDryRun",
      "BulkPreview",
      "BulkReport",
      "BulkResolution",
      "CallContext",
      "CallDescription",
      "Card",
      "CardPorts",
      "CardRequest",
      "CardSend",
      "CardVerdict",
      "Catalogue",
      "Change",
      "Clock",
      "ConfigFile",
      "ConfigValue",
      "Contract",
      "ContractInput",
      "Correction",
      "Drift",
      "DriftAccount",
      "Effect",
      "ErrorCode",
      "Found",
      "FunctionGuardOptions",
      "Group",
      "Guard",
      "GuardEvents",
      "GuardOptions",
      "GuardPolicyOptions",
      "GuardedCalls",
      "GuardedFunction",
      "HistoryLine",
      "Instant",
      "Intent",
      "ItemLinkFacts",
      "JournalEntry",
      "JournalFilter",
      "JournalKind",
      "JournalLine",
      "JournalPage",
      "JournalRequest",
      "JsonObject",
      "JsonValue",
      "KeptAnswer",
      "KeyPlace",
      "Leg",
      "ListPage",
      "ListRequest",
      "Lock",
      "LookTools",
      "Moment",
      "NotSentCause",
      "Observation",
      "Outcome",
      "OutcomeFacts",
      "OutcomeKind",
      "Page",
      "ParsedConfig",
      "PartialItem",
      "Preset",
      "PresetContractInput",
      "PresetName",
      "Probe",
      "ProbeOptions",
      "ProbeRead",
      "ProbeReport",
      "ProbeRules",
      "Queue",
      "QueueChange",
      "QueueDetail",
      "QueueFilter",
      "QueueItem",
      "QueueNotice",
      "QueuePage",
      "QueueStats",
      "ReconcileHook",
      "ReconcileOptions",
      "Release",
      "Resolution",
      "ReviewDecision",
      "ReviewedServer",
      "ServerAccount",
      "ServerConnection",
      "ServerIdentity",
      "ServerOptions",
      "SilenceCause",
      "Spool",
      "State",
      "Store",
      "StoreConfig",
      "StoreHealth",
      "StoredRecord",
      "Suspension",
      "SwapReply",
      "SwapRequest",
      "TaskQuestion",
      "TimelineEntry",
      "TimelineKind",
      "ToolAccount",
      "ToolCall",
      "ToolDefinition",
      "ToolOptions",
      "ToolStats",
      "Trial",
      "Verdict",
      "WatchOptions",
      "WhenRule",
      "Wire",
      "WireEvidence",
      "WirePolicy",
    ]
  `);
});

it("few values, the rest are types; none by a star or as default", () => {
  expect(listed(false).length).toBeLessThanOrEqual(20);
  expect(source).not.toMatch(/export \*|export default/);
});
