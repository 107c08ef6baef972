/** The operator's configuration: parsed once, strictly; every error names the path and the cure. */
import { z } from "zod";
import { type Contract, type ContractInput, contractSchema, sealContract } from "./core/contract.ts";
import { durationSchema } from "./core/duration.ts";
import type { AnswerRules } from "./core/evidence.ts";
import { DEFAULT_LIMITS, type Limits } from "./core/record.ts";
import { isPointer } from "./core/redaction.ts";
import type { JsonValue } from "./core/terms.ts";
import { IndoubtError } from "./errors.ts";
import type { ReconcileHook } from "./reconcile-api.ts";

const pointer = z.string().refine(isPointer, 'not a JSON Pointer: write "/customer" or "/items/0/id"');
const functionSchema = z.custom<ReconcileHook>((value) => typeof value === "function", "must be a function");
const value: z.ZodType<JsonValue, JsonValue> = z.json('must be a JSON value, such as "declined", 409 or false');
const rule = { at: pointer, equals: value };
const errorRule = z.strictObject({ ...rule, means: z.enum(["no_effect", "retryable", "uncertain"]) });
/** "It is already there" is an answer to a resend only. */
const repeatRule = z.strictObject({ ...rule, means: z.enum(["applied"]) });

const reconcileSchema = z.union([
  functionSchema,
  z.strictObject({
    look: functionSchema,
    settle: durationSchema.optional(),
    staleness: durationSchema.optional(),
    absentReads: z.number().int().min(1).max(20).optional(),
    resendWhenAbsent: z.boolean().optional(),
    within: durationSchema.optional(),
    maxProbes: z.number().int().min(1).max(1000).optional(),
  }),
]);

const toolShape = z.strictObject({
  effect: z.enum(["read", "write"]).default("write"),
  identityArgs: z.array(pointer).min(1).optional(),
  volatileArgs: z.array(pointer).optional(),
  identity: z.enum(["guarded", "per-call"]).default("guarded"),
  hold: z.enum(["arguments", "tool"]).optional(),
  repeat: z.enum(["new", "recall"]).default("new"),
  repeatWindow: durationSchema.optional(),
  contract: z.union([contractSchema, z.custom<Contract>(isSealed, "not a contract")]).optional(),
  reconcile: reconcileSchema.optional(),
  verify: z.enum(["after_success"]).optional(),
  settle: durationSchema.optional(),
  deadline: durationSchema.optional(),
  maxDeadline: durationSchema.optional(),
  cancel: z.enum(["forward", "withhold"]).default("forward"),
  toolErrors: z.array(errorRule).default([]),
  resultErrors: z.array(errorRule).default([]),
  repeatAnswers: z.array(repeatRule).default([]),
  echo: z.record(pointer, pointer).default({}),
  redact: z.array(pointer).default([]),
  keepResult: z.boolean().default(true),
  validateArguments: z.boolean().optional(),
  maxAttempts: z.number().int().min(1).max(20).optional(),
  validFor: durationSchema.optional(),
  recallFor: durationSchema.optional(),
  retention: durationSchema.optional(),
});

const toolSchema = toolShape.superRefine((tool, context) => {
  if (tool.contract?.dedupes === "arguments" && !tool.identityArgs) {
    const message =
      "a contract that dedupes by arguments needs identityArgs: name the arguments that make the resource";
    context.addIssue({ code: "custom", path: ["identityArgs"], message });
  }
  if (tool.effect === "read" && (tool.contract || tool.reconcile)) {
    const message =
      "a read is never recorded, so it takes no contract or reconcile hook; remove them or declare a write";
    context.addIssue({ code: "custom", path: ["effect"], message });
  }
});

export const serverSchema = z.strictObject({
  environment: z.string().optional(),
  undeclared: z.enum(["write", "refuse"]).optional(),
  rejectsBeforeWork: z.array(z.number().int().min(100).max(599)).default([]),
  deadline: durationSchema.optional(),
  tools: z.record(z.string().min(1), toolSchema).default({}),
});

export const optionsSchema = z.strictObject({
  servers: z.record(z.string().min(1), serverSchema).default({}),
  undeclared: z.enum(["write", "refuse"]).default("write"),
  deadline: durationSchema.default(60_000),
  maxDeadline: durationSchema.default(600_000),
  maxIntentAge: durationSchema.default(DEFAULT_LIMITS.retention),
  maxArgumentBytes: z.number().int().min(1_024).default(4_194_304),
  resultFor: durationSchema.default(86_400_000),
  maxResultBytes: z.number().int().min(0).default(16_384),
  lease: durationSchema.default(DEFAULT_LIMITS.lease),
  storeTimeout: durationSchema.default(5_000),
  sweepEvery: durationSchema.default(1_000),
});

type ParsedTool = z.output<typeof toolSchema>;
type ParsedServer = z.output<typeof serverSchema>;

export interface ToolPolicy {
  readonly effect: "read" | "write";
  readonly declared: boolean;
  readonly refused: boolean;
  readonly identityArgs?: readonly string[];
  readonly volatileArgs?: readonly string[];
  readonly perCall: boolean;
  readonly holdThread: boolean;
  readonly contract?: Contract;
  readonly look?: ReconcileHook;
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
}

export interface Settings extends Omit<z.output<typeof optionsSchema>, "servers"> {
  policy(server: string, tool: string): ToolPolicy;
  readonly servers: Readonly<Record<string, ParsedServer>>;
  /** False: other servers are configured, this one is not, so nothing that was declared is in force for it. */
  knows(server: string): boolean;
  /** Set-ups that work but hurt, each with its cure. */
  readonly warnings: readonly string[];
}

/**
 * A contract of one tool: checked at once, so that a mistake shows where it is written.
 * @throws IndoubtError CONTRACT_INVALID with the path and the cure
 */
export function contract(input: ContractInput): Contract {
  const parsed = contractSchema.safeParse(input);
  if (!parsed.success) throw invalid("CONTRACT_INVALID", "The contract", parsed.error);
  return sealContract(parsed.data);
}

/** @throws IndoubtError CONFIG_INVALID with each path and cure */
export function parseSettings(input: unknown): Settings {
  const parsed = optionsSchema.safeParse(input);
  if (!parsed.success) throw invalid("CONFIG_INVALID", "The configuration", parsed.error);
  const options = parsed.data;
  const cache = new Map<string, ToolPolicy>();
  return {
    ...options,
    warnings: warningsOf(options.servers),
    knows: (server) => Object.keys(options.servers).length === 0 || Object.hasOwn(options.servers, server),
    policy(server, tool) {
      const name = `${server}\n${tool}`;
      const known = cache.get(name) ?? policyOf(options, own(options.servers, server), tool);
      if (cache.size < 10_000) cache.set(name, known);
      return known;
    },
  };
}

const own = <T>(record: Readonly<Record<string, T>> | undefined, name: string): T | undefined =>
  record && Object.hasOwn(record, name) ? record[name] : undefined;

function policyOf(options: z.output<typeof optionsSchema>, server: ParsedServer | undefined, name: string): ToolPolicy {
  const declared = own(server?.tools, name);
  const tool = declared ?? toolSchema.parse({});
  const look = typeof tool.reconcile === "function" ? { look: tool.reconcile } : tool.reconcile;
  const sealed = tool.contract && (isSealed(tool.contract) ? tool.contract : sealContract(tool.contract));
  return {
    effect: tool.effect,
    declared: declared !== undefined,
    refused: declared === undefined && (server?.undeclared ?? options.undeclared) === "refuse",
    ...(tool.identityArgs && { identityArgs: tool.identityArgs }),
    ...(tool.volatileArgs && { volatileArgs: tool.volatileArgs }),
    perCall: tool.identity === "per-call",
    holdThread: tool.hold === "tool",
    ...(sealed && { contract: sealed }),
    ...(look && { look: look.look }),
    lookWithin: look?.within ?? 10_000,
    verify: tool.verify === "after_success",
    deadline: tool.deadline ?? server?.deadline ?? options.deadline,
    maxDeadline: Math.max(tool.maxDeadline ?? options.maxDeadline, tool.deadline ?? 0),
    cancel: tool.cancel,
    rules: {
      rejectsBeforeWork: server?.rejectsBeforeWork ?? [],
      toolErrors: tool.toolErrors,
      resultErrors: tool.resultErrors,
      echo: tool.echo,
      repeatAnswers: tool.repeatAnswers,
    },
    redact: tool.redact,
    keepResult: tool.keepResult,
    validateArguments: tool.validateArguments ?? (sealed !== undefined || look !== undefined),
    limits: limitsOf(options.lease, tool, look, sealed),
  };
}

type Look = Exclude<ParsedTool["reconcile"], ReconcileHook | undefined>;

function limitsOf(
  lease: number,
  tool: ParsedTool,
  look: Partial<Look> | undefined,
  sealed: Contract | undefined,
): Limits {
  const settle = settleOf(tool);
  const given = {
    lease,
    settle,
    settleDeclared: settle !== undefined,
    staleness: look?.staleness,
    absentReads: look?.absentReads,
    resendWhenAbsent: look?.resendWhenAbsent,
    maxProbes: look?.maxProbes,
    maxAttempts: tool.maxAttempts,
    validFor: tool.validFor,
    recallFor: tool.recallFor,
    retention: tool.retention,
    repeatWindow: tool.repeat === "recall" ? (tool.repeatWindow ?? 600_000) : 0,
  };
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const limits = { ...DEFAULT_LIMITS, ...set };
  // While an id may still be sent or sent again, its record must be there to say that it was.
  return { ...limits, retention: Math.max(limits.retention, limits.validFor, sealed?.window ?? 0) };
}

const settleOf = (tool: ParsedTool): number | undefined =>
  (typeof tool.reconcile === "object" ? tool.reconcile.settle : undefined) ?? tool.settle;

function warningsOf(servers: Readonly<Record<string, ParsedServer>>): string[] {
  return Object.entries(servers).flatMap(([server, { tools }]) =>
    Object.entries(tools).flatMap(([name, tool]) => {
      const where = `servers.${server}.tools.${name}`;
      const unnamed =
        (tool.contract || tool.reconcile) && !tool.identityArgs && !tool.hold && tool.identity !== "per-call";
      return [
        ...(unnamed
          ? [
              `${where} has a contract or hook but no identityArgs: a reworded repeat is another write. Name the arguments that make the effect, or set hold.`,
            ]
          : []),
        ...(tool.reconcile && settleOf(tool) === undefined
          ? [
              `${where} has a hook but no settle time: an absence after a lost reply is never believed, and a person must decide. Set reconcile.settle to the time in which a lost write can still land.`,
            ]
          : []),
        ...(tool.contract && !tool.contract.pin
          ? [
              `${where} has a contract without a pin, so it is never in force and nothing is sent again. Review the tool's definition and set pin: { tool: toolFingerprint(definition) }.`,
            ]
          : []),
        ...(tool.verify && !tool.reconcile ? [`${where} asks to verify but has no reconcile hook.`] : []),
      ];
    }),
  );
}

function isSealed(value: unknown): value is Contract {
  return typeof value === "object" && value !== null && "fingerprint" in value && typeof value.fingerprint === "string";
}

/** One line per problem: path, what is wrong, what to write. */
export function invalid(code: "CONFIG_INVALID" | "CONTRACT_INVALID", what: string, error: z.ZodError): IndoubtError {
  const problems = error.issues.flatMap((issue) => flatten(issue, []));
  return new IndoubtError(code, `${what} is not valid:\n${problems.map((line) => `  ${line}`).join("\n")}`, {
    details: { problems },
  });
}

/** What zod says of a union that has no words of its own: then its branches speak. */
const UNSAID = "Invalid input";

function flatten(issue: z.core.$ZodIssue, at: PropertyKey[]): string[] {
  const path = [...at, ...issue.path];
  if (issue.code === "invalid_union" && issue.message === UNSAID) {
    const branches = issue.errors.map((branch) => branch.flatMap((inner) => flatten(inner, path)));
    const best = branches.sort((a, b) => deepest(b) - deepest(a) || a.length - b.length)[0];
    return best && best.length > 0 ? best : [`${dotted(path)}: ${issue.message}`];
  }
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => `${dotted([...path, key])}: unknown option; check the spelling or remove it`);
  }
  return [`${dotted(path)}: ${issue.message}`];
}

const deepest = (lines: readonly string[]): number =>
  Math.max(0, ...lines.map((line) => line.split(":", 1)[0]?.split(".").length ?? 0));
const dotted = (path: readonly PropertyKey[]): string =>
  path.length === 0 ? "(top level)" : path.map(String).join(".");
