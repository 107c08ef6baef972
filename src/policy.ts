/** What the operator's declarations come to for one call of one tool, with the defaults filled in. */

import type { Strictness } from "./core/baseline.ts";
import { canonicalJson } from "./core/canonical-json.ts";
import { type Contract, type KeyPlace, sealContract } from "./core/contract.ts";
import type { AnswerRules } from "./core/evidence.ts";
import { DEFAULT_LIMITS, type Limits } from "./core/limits.ts";
import { readPointer } from "./core/pointer.ts";
import type { JsonObject } from "./core/terms.ts";
import { catalogueFor } from "./lock.ts";
import {
  isSealed,
  type ParsedOptions,
  type ParsedServer,
  type ParsedTool,
  type ParsedVariant,
} from "./options-schema.ts";
import { isProbe } from "./probe/probe.ts";
import { fieldsIn } from "./probe/template.ts";
import { toolProbe } from "./probe/tool-probe.ts";
import type { BaselineHook, ReconcileHook } from "./reconcile-api.ts";

export interface ToolPolicy {
  readonly effect: "read" | "write";
  readonly declared: boolean;
  readonly refused: boolean;
  readonly identityArgs?: readonly string[];
  readonly volatileArgs?: readonly string[];
  /** Arguments that stay in the kept copy, whatever their names: rules, looks and identity need them. */
  readonly keepArgs: readonly string[];
  /** Arguments that rules look at, and that a probe fills in. */
  readonly ruleArgs: readonly string[];
  readonly probeArgs: readonly string[];
  readonly perCall: boolean;
  readonly holdThread: boolean;
  readonly contract?: Contract;
  readonly look?: ReconcileHook;
  /** Reads what is there before the first send. */
  readonly before?: BaselineHook;
  /** Where our key goes: the contract's place, or a marker that only the hook reads. */
  readonly keyPlace?: KeyPlace;
  /** Time limit of one look, in ms. */
  readonly lookWithin: number;
  readonly verify: boolean;
  readonly deadline: number;
  readonly maxDeadline: number;
  readonly cancel: "forward" | "withhold";
  readonly rules: AnswerRules;
  readonly redact: readonly string[];
  readonly keepResult: boolean;
  readonly validateArguments: boolean;
  readonly limits: Limits;
  readonly drift: Strictness;
  readonly permissions: readonly string[];
  readonly target: readonly string[];
  /** Which rule on the arguments holds: its place in `when`. */
  readonly rule?: number;
}

/** The policies of one tool: which of them holds depends on the arguments. */
export interface ToolPolicies {
  /** Without rules on arguments. */
  readonly base: ToolPolicy;
  /** By arguments; the first rule that fits. Unknown arguments fit no rule. */
  of(args: unknown): ToolPolicy;
  /** All that may hold, the tool's own first. */
  readonly all: readonly ToolPolicy[];
}

export function policiesOf(options: ParsedOptions, server: string, name: string): ToolPolicies {
  const declaredServer = own(options.servers, server);
  const declared = own(declaredServer?.tools, name);
  const { when = [], ...plain } = declared ?? {};
  const facts = { options, server, name, declaredServer, declared: declared !== undefined };
  const kept = [...new Set(when.flatMap(({ match }) => Object.keys(match)))];
  const base = policyOf(facts, plain, kept);
  const variants = when.map(({ match, ...more }, rule) => ({
    match: Object.entries(match).map(([at, wanted]) => [at, canonicalJson(wanted)] as const),
    policy: { ...policyOf(facts, { ...plain, ...more }, kept), rule },
  }));
  const fits = (args: JsonObject, match: readonly (readonly [string, string])[]) =>
    match.every(([at, wanted]) => {
      const found = readPointer(args, at);
      return found !== undefined && canonicalJson(found) === wanted;
    });
  return {
    base,
    all: [base, ...variants.map(({ policy }) => policy)],
    of(args) {
      if (variants.length === 0 || typeof args !== "object" || args === null) return base;
      return variants.find(({ match }) => fits(args as JsonObject, match))?.policy ?? base;
    },
  };
}

interface Facts {
  readonly options: ParsedOptions;
  readonly server: string;
  readonly name: string;
  readonly declaredServer: ParsedServer | undefined;
  readonly declared: boolean;
}

function policyOf(facts: Facts, declared: ParsedVariant, kept: readonly string[]): ToolPolicy {
  // A rule that makes a read of the call inherits no grounds for writing again.
  const { contract: _contract, reconcile: _reconcile, ...reading } = declared;
  const tool: ParsedVariant = declared.effect === "read" ? reading : declared;
  const { options, declaredServer: server } = facts;
  const look = lookOf(tool.reconcile);
  const contract = pinned(
    facts,
    tool.contract && (isSealed(tool.contract) ? tool.contract : sealContract(tool.contract)),
  );
  const keyPlace = contract?.key ?? tool.marker;
  const probeArgs = argumentsOf(look?.look);
  const maxDeadline = Math.max(tool.maxDeadline ?? options.maxDeadline, tool.deadline ?? 0);
  return {
    effect: tool.effect ?? "write",
    declared: facts.declared,
    refused: !facts.declared && (server?.undeclared ?? options.undeclared) === "refuse",
    ...(tool.identityArgs && { identityArgs: tool.identityArgs }),
    ...(tool.volatileArgs && { volatileArgs: tool.volatileArgs }),
    ruleArgs: kept,
    probeArgs,
    keepArgs: [...new Set([...(tool.identityArgs ?? []), ...kept, ...probeArgs])],
    perCall: tool.identity === "per-call",
    holdThread: tool.hold === "tool",
    ...(contract && { contract }),
    ...(look && { look: look.look }),
    ...(look?.before && { before: look.before }),
    ...(keyPlace && { keyPlace }),
    lookWithin: look?.within ?? 10_000,
    verify: tool.verify === "after_success",
    deadline: tool.deadline ?? server?.deadline ?? options.deadline,
    maxDeadline,
    cancel: tool.cancel ?? "forward",
    rules: {
      rejectsBeforeWork: server?.rejectsBeforeWork ?? [],
      toolErrors: tool.toolErrors ?? [],
      resultErrors: tool.resultErrors ?? [],
      echo: tool.echo ?? {},
      repeatAnswers: tool.repeatAnswers ?? [],
    },
    redact: tool.redact ?? [],
    keepResult: tool.keepResult ?? true,
    validateArguments: tool.validateArguments ?? (contract !== undefined || look !== undefined),
    limits: limitsOf({ lease: options.lease, inputFor: maxDeadline }, tool, look, contract),
    drift: tool.drift ?? server?.drift ?? "schema",
    permissions: tool.permissions ?? [],
    target: tool.target ?? tool.identityArgs ?? [],
  };
}

/** A contract that names no pin of its own has the one of the lock. */
function pinned(
  { options, server, name, declaredServer }: Facts,
  contract: Contract | undefined,
): Contract | undefined {
  if (!contract || contract.pin) return contract;
  const catalogue = catalogueFor(own(options.lock?.servers, server), declaredServer?.principal);
  const reviewed = own(catalogue?.tools, name);
  return reviewed ? { ...contract, pin: { tool: reviewed.fingerprint } } : contract;
}

type Declared = Exclude<ParsedTool["reconcile"], ReconcileHook | undefined>;
type Look = Omit<Declared, "tool" | "arguments" | "found" | "baseline" | "look"> & {
  readonly look: ReconcileHook;
  readonly before?: BaselineHook | undefined;
};

/** The arguments that a probe fills in: without them it cannot ask. */
function argumentsOf(look: ReconcileHook | undefined): string[] {
  if (!isProbe(look)) return [];
  const { request, found } = look.rules;
  const { fields } = fieldsIn([request, (found.where ?? {}) as JsonObject]);
  return fields.flatMap((field) => (field.kind === "argument" ? [field.at] : []));
}

/** A probe that is written down becomes a hook. */
function lookOf(declared: ParsedTool["reconcile"]): Look | undefined {
  if (declared === undefined) return undefined;
  if (typeof declared === "function") return hookOf(declared, undefined, {});
  if ("look" in declared) {
    const { look, baseline, ...limits } = declared;
    return hookOf(look, baseline, limits);
  }
  const { tool, arguments: request, found, baseline, ...limits } = declared;
  return hookOf(toolProbe({ tool, arguments: request, found, baseline }), undefined, limits);
}

function hookOf(look: ReconcileHook, baseline: BaselineHook | undefined, limits: Omit<Look, "look" | "before">): Look {
  const before = baseline ?? (isProbe(look) ? look.before : undefined);
  return { ...limits, look, ...(before && { before }) };
}

function limitsOf(
  times: Pick<Limits, "lease" | "inputFor">,
  tool: ParsedVariant,
  look: Look | undefined,
  contract: Contract | undefined,
): Limits {
  const settle = settleOf(tool);
  const given = {
    ...times,
    settle,
    settleDeclared: settle !== undefined,
    staleness: look?.staleness,
    readGap: look?.readGap,
    absentReads: look?.absentReads,
    resendWhenAbsent: look?.resendWhenAbsent,
    maxProbes: look?.maxProbes,
    maxAttempts: tool.maxAttempts,
    validFor: tool.validFor,
    recallFor: tool.recallFor,
    retention: tool.retention,
    repeatWindow: tool.repeat === "recall" ? (tool.repeatWindow ?? 600_000) : 0,
    taskFor: tool.taskFor,
  };
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const limits = { ...DEFAULT_LIMITS, ...set };
  // While an id may still be sent or sent again, its record must be there to say that it was.
  return { ...limits, retention: Math.max(limits.retention, limits.validFor, contract?.window ?? 0) };
}

export const settleOf = (tool: ParsedVariant): number | undefined =>
  (typeof tool.reconcile === "object" ? tool.reconcile.settle : undefined) ?? tool.settle;

export const own = <T>(record: Readonly<Record<string, T>> | undefined, name: string): T | undefined =>
  record && Object.hasOwn(record, name) ? record[name] : undefined;
