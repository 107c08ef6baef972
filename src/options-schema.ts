/** What the options of a guard must look like. Types and words for people are in options.ts; the two are held together by a test. */
import { z } from "zod";
import { type Contract, contractSchema, keySchema, sealContract } from "./core/contract.ts";
import { durationSchema } from "./core/duration.ts";
import { DEFAULT_LIMITS } from "./core/limits.ts";
import { isPointer } from "./core/redaction.ts";
import type { JsonValue } from "./core/terms.ts";
import type { Lock } from "./lock.ts";
import { presetContractSchema } from "./presets.ts";
import type { Condition } from "./probe/match.ts";
import { probeProblems } from "./probe/probe.ts";
import type { BaselineHook, ReconcileHook } from "./reconcile-api.ts";

const pointer = z.string().refine(isPointer, 'not a JSON Pointer: write "/customer" or "/items/0/id"');
const functionSchema = z.custom<ReconcileHook>((value) => typeof value === "function", "must be a function");
const value: z.ZodType<JsonValue, JsonValue> = z.json('must be a JSON value, such as "declined", 409 or false');
const rule = { at: pointer, equals: value };
const errorRule = z.strictObject({ ...rule, means: z.enum(["no_effect", "retryable", "uncertain"]) });
/** "It is already there" is an answer to a resend only. */
const repeatRule = z.strictObject({ ...rule, means: z.enum(["applied"]) });

/** Limits of a look, whoever looks. */
const lookLimits = {
  settle: durationSchema.optional(),
  staleness: durationSchema.optional(),
  absentReads: z.number().int().min(1).max(20).optional(),
  readGap: durationSchema.optional(),
  resendWhenAbsent: z.boolean().optional(),
  within: durationSchema.optional(),
  maxProbes: z.number().int().min(1).max(1000).optional(),
};

const baselineHook = z.custom<BaselineHook>((value) => typeof value === "function", "must be a function");
const place = z.string().refine((at) => isPointer(at) && at !== "", 'not a JSON Pointer: write "/reference"');
/** A plain value, `{ contains }` or `{ after }`: which of them is seen when an answer is judged. */
const conditions: z.ZodType<Record<string, Condition>, Record<string, Condition>> = z.record(pointer, z.json());
const foundSchema = z.strictObject({
  at: pointer.optional(),
  parse: z.enum(["json"]).optional(),
  where: conditions.optional(),
  ref: pointer.optional(),
  identifies: z.boolean().optional(),
  filtered: z.boolean().optional(),
  missing: z.enum(["absent"]).optional(),
  more: pointer.optional(),
  absentWhen: z.array(z.strictObject(rule)).optional(),
});
const probeSchema = z
  .strictObject({
    tool: z.string().min(1),
    arguments: z.record(z.string(), value).optional(),
    found: foundSchema,
    baseline: z.union([z.enum(["count"]), z.strictObject({ watermark: place })]).optional(),
    ...lookLimits,
  })
  .superRefine(({ arguments: request = {}, found, baseline }, context) => {
    for (const [path, message] of probeProblems({ request, found, baseline })) {
      context.addIssue({ code: "custom", path: path.split("."), message });
    }
    // The answer of a tool is always there: it would count as the effect, whatever it says.
    if (!found.at && Object.keys(found.where ?? {}).length === 0) {
      const message = 'say where the items stand (at: "/structuredContent/invoices") or what shows the effect (where)';
      context.addIssue({ code: "custom", path: ["found"], message });
    }
  });

const hookSchema = z.strictObject({ look: functionSchema, baseline: baselineHook.optional(), ...lookLimits });
const reconcileSchema = z.union([functionSchema, probeSchema, hookSchema]);
const drift = z.enum(["any", "schema", "off"]);

/** What `contract()` has made, and nobody changed since: its fingerprint speaks for its terms. */
const sealedSchema = z.custom<Contract>(isSealed, "not a contract").transform((given, context): Contract => {
  const { fingerprint, ...terms } = given;
  const parsed = contractSchema.safeParse(terms);
  const issue = (path: PropertyKey[], message: string) =>
    context.addIssue({ code: "custom", path, message, input: given });
  if (!parsed.success) for (const { path, message } of parsed.error.issues) issue(path, message);
  else if (sealContract(parsed.data).fingerprint !== fingerprint)
    issue(["fingerprint"], "the contract was changed after contract(): give all of its terms to contract()");
  return parsed.success ? given : z.NEVER;
});

/** What a rule on arguments may declare otherwise. Without defaults: what a rule leaves out is the tool's own. */
const byArguments = {
  effect: z.enum(["read", "write"]).optional(),
  identityArgs: z.array(pointer).min(1).optional(),
  volatileArgs: z.array(pointer).optional(),
  identity: z.enum(["guarded", "per-call"]).optional(),
  hold: z.enum(["arguments", "tool"]).optional(),
  repeat: z.enum(["new", "recall"]).optional(),
  repeatWindow: durationSchema.optional(),
  contract: z.union([contractSchema, presetContractSchema, sealedSchema]).optional(),
  reconcile: reconcileSchema.optional(),
  marker: keySchema.optional(),
  verify: z.enum(["after_success"]).optional(),
  settle: durationSchema.optional(),
  deadline: durationSchema.optional(),
  maxDeadline: durationSchema.optional(),
  taskFor: durationSchema.optional(),
  toolErrors: z.array(errorRule).optional(),
  resultErrors: z.array(errorRule).optional(),
  repeatAnswers: z.array(repeatRule).optional(),
  echo: z.record(pointer, pointer).optional(),
  redact: z.array(pointer).optional(),
  keepResult: z.boolean().optional(),
  validateArguments: z.boolean().optional(),
  maxAttempts: z.number().int().min(1).max(20).optional(),
  validFor: durationSchema.optional(),
  recallFor: durationSchema.optional(),
  retention: durationSchema.optional(),
  permissions: z.array(z.string().min(1)).optional(),
  target: z.array(pointer).min(1).optional(),
};

const whenRule = z.strictObject({
  match: z
    .record(pointer, value)
    .refine((match) => Object.keys(match).length > 0, "names no argument: remove the rule"),
  ...byArguments,
});

const toolShape = z.strictObject({
  ...byArguments,
  cancel: z.enum(["forward", "withhold"]).optional(),
  drift: drift.optional(),
  when: z.array(whenRule).optional(),
});

export type ParsedTool = z.output<typeof toolShape>;
/** What holds for one call: the tool's declaration with the rule on its arguments, if one fits. */
export type ParsedVariant = Omit<ParsedTool, "when">;

const toolSchema = toolShape.superRefine((tool, context) => {
  const { when = [], ...base } = tool;
  checkTool(base, base, [], context);
  for (const [index, { match: _, ...more }] of when.entries()) {
    checkTool({ ...base, ...more }, more, ["when", index], context);
  }
});

/** @param said what stands at this place itself; a rule inherits the rest */
function checkTool(tool: ParsedVariant, said: ParsedVariant, at: PropertyKey[], context: z.core.$RefinementCtx): void {
  const refuse = (field: string, message: string) =>
    context.addIssue({ code: "custom", path: [...at, field], message, input: tool });
  if (tool.effect !== "read" && tool.contract?.dedupes === "arguments" && !tool.identityArgs) {
    const cure = "name the arguments that make the resource";
    refuse("identityArgs", `a contract that dedupes by arguments needs identityArgs: ${cure}`);
  }
  if (tool.marker && tool.contract?.key) {
    refuse("marker", "the contract's key is a marker already: remove one of them");
  }
  if (tool.effect === "read" && (said.contract || said.reconcile)) {
    const cure = "remove them or declare a write";
    refuse("effect", `a read is never recorded, so it takes no contract or reconcile hook; ${cure}`);
  }
}

export const serverSchema = z.strictObject({
  identity: z
    .union(
      [
        z.strictObject({ url: z.url() }),
        z.strictObject({
          command: z.string().min(1),
          args: z.array(z.string()).optional(),
          package: z.string().min(1).optional(),
        }),
      ],
      "where the server is reached: { url } or { command, args }",
    )
    .optional(),
  principal: z.string().min(1).optional(),
  drift: drift.optional(),
  environment: z.string().optional(),
  undeclared: z.enum(["write", "refuse"]).optional(),
  rejectsBeforeWork: z.array(z.number().int().min(100).max(599)).default([]),
  deadline: durationSchema.optional(),
  tools: z.record(z.string().min(1), toolSchema).default({}),
});

export type ParsedServer = z.output<typeof serverSchema>;

export const optionsSchema = z.strictObject({
  servers: z.record(z.string().min(1), serverSchema).default({}),
  lock: z.custom<Lock>((given) => typeof given === "object" && given !== null, "the parsed lock file").optional(),
  cards: z.record(z.string(), z.unknown()).optional(),
  cardFor: durationSchema.default(15_552_000_000),
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
  oldAfter: durationSchema.default(3_600_000),
});

export type ParsedOptions = z.output<typeof optionsSchema>;

export function isSealed(value: unknown): value is Contract {
  return typeof value === "object" && value !== null && "fingerprint" in value && typeof value.fingerprint === "string";
}
