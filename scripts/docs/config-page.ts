/** docs/config.md: every option with type, default and example, from the comments on their types. */
import { code, page, table } from "./markdown.ts";
import { type Options, optionsOf } from "./option-comments.ts";

const OPTIONS = "src/options.ts";
const OF_TOOLS = "src/tool-options.ts";
const OF_LOOKS = "src/look-options.ts";
const GUARD = optionsOf(OPTIONS, "GuardOptions");
export const TOP = optionsOf(OPTIONS, "GuardPolicyOptions");
export const SERVER = optionsOf(OPTIONS, "ServerOptions");
export const TOOL = { ...optionsOf(OF_TOOLS, "CallPolicyOptions"), ...optionsOf(OF_TOOLS, "ToolOptions") };
export const WHEN = { ...optionsOf(OF_TOOLS, "CallPolicyOptions"), ...optionsOf(OF_TOOLS, "WhenRule") };
const LIMITS = optionsOf(OF_LOOKS, "LookLimits");
export const HOOK = { ...optionsOf(OF_LOOKS, "ReconcileOptions"), ...LIMITS };
export const PROBE = { ...optionsOf(OF_LOOKS, "ProbeOptions"), ...LIMITS };
export const FOUND = optionsOf("src/probe/probe.ts", "Found");
export const RULE = { ...optionsOf(OF_TOOLS, "AnswerPattern"), ...optionsOf(OF_TOOLS, "ErrorRule") };
export const CONTRACT = optionsOf("src/core/contract.ts", "ContractInput");

/** Types that read better in words. All others are printed as the code has them. */
const WORDS: Readonly<Record<string, string>> = {
  Duration: "duration",
  Pointer: "JSON Pointer",
  "Pointer[]": "JSON Pointers",
  "Readonly<Record<Pointer, Pointer>>": "record of JSON Pointers",
  "Readonly<Record<string, ServerOptions>>": "record of [server](#a-server)",
  "Readonly<Record<string, ToolOptions>>": "record of [tool](#a-tool)",
  "Contract | ContractInput | PresetContractInput": "[contract](#a-contract), or a [preset](presets.md)",
  "ReconcileHook | ReconcileOptions | ProbeOptions":
    "hook, a hook with [limits](#a-hook), or a [probe](#a-probe) without code",
  Found: "[rules](#what-a-probe-finds)",
  BaselineRule: '`"count"` or `{ watermark }`',
  BaselineHook: "hook",
  ReconcileHook: "hook",
  "WhenRule[]": "[rules on arguments](#a-rule-on-arguments)",
  Lock: "parsed lock file",
  ServerIdentity: "`{ url }` or `{ command, args, package }`",
  Strictness: '`"any"`, `"schema"` or `"off"`',
  "Readonly<Record<Pointer, JsonValue>>": "record of JSON Pointers and values",
  "ErrorRule[]": "[rules](#a-rule)",
  "RepeatRule[]": "[rules](#a-rule)",
  StoreConfig: "address, `{ env }`, or an object",
  "string | { env: string } | { file: string }": "`{ env }`, `{ file }` or a text",
  "Readonly<Record<string, ServerOptions & ServerConnection>>": "record of [server](#a-server)",
  "Readonly<Record<string, ConfigValue>>": "record of texts or `{ env, prefix }`",
  JsonValue: "JSON",
  KeyPlace: "`{ argument }`, `{ meta }` or `{ header }`",
};

/** Of the configuration file alone. */
const FILE = optionsOf("src/config-file.ts", "ConfigFile");
const CONNECTION = optionsOf("src/config-file.ts", "ServerConnection");

const isValue = (text: string): boolean => /^(\d+|".*"|\[\]|\{\}|true|false)$/.test(text);

const rows = (options: Options): string =>
  table(
    ["option", "type", "default", "example", "what it does"],
    Object.entries(options).map(([name, option]) => [
      code(name),
      WORDS[option.type] ?? code(option.type),
      isValue(option.default) ? code(option.default) : option.default,
      code(option.example),
      option.does,
    ]),
  );

export const configPage = (): string =>
  page(
    "# Options",
    "Everything has a default that is safe: without any option a call is sent once, never twice, and is in doubt on silence. Unknown names, wrong units and pointers that are none are errors that name the path; so are, at the first call, pointers that the tool's input schema cannot have.",
    "A duration is a number of milliseconds, or a text with a unit: `500ms`, `30s`, `10m`, `24h`, `30d`. Defaults are in milliseconds.",
    "## A guard",
    "The argument of `createGuard`.",
    rows({ ...GUARD, ...TOP }),
    "## A server",
    "An entry of `servers`.",
    rows(SERVER),
    "## A tool",
    "An entry of `servers.….tools`.",
    rows(TOOL),
    "## A rule on arguments",
    "An entry of `servers.….tools.….when`: `match`, and any of the options of a tool but `cancel`, `drift` and `when`.",
    rows({ match: WHEN.match } as Options),
    "## A hook",
    "`reconcile` as an object.",
    rows(HOOK),
    "## A probe",
    "`reconcile` without code: a read tool of the same server.",
    rows(PROBE),
    "## What a probe finds",
    "`reconcile.found`.",
    rows(FOUND),
    "## A rule",
    "An entry of `toolErrors`, `resultErrors` or `repeatAnswers`.",
    rows(RULE),
    "## A contract",
    "The argument of `contract`.",
    rows(CONTRACT),
    "## The configuration file",
    "`indoubt.config.json`, or the default export of `indoubt.config.mjs`: the options of a guard, without `clock` and `recovery`, and these. See [the command line](cli.md#write-a-configuration-file).",
    rows(FILE),
    "In an entry of `servers`, beside the options of a server: how it is reached.",
    rows(CONNECTION),
  );
