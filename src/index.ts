/**
 * The public root: what it takes to guard calls. Opens no socket and no file; loads no optional package.
 * Who builds on the guard finds the rest in src/entries.
 */

export { contract } from "./config.ts";
export { type CallContext, withCallContext } from "./context.ts";
export type { Strictness } from "./core/baseline.ts";
export {
  type Contract,
  type ContractInput,
  type KeyPlace,
  type ReviewedDefinition,
  toolFingerprint,
} from "./core/contract.ts";
export type { PresetName } from "./core/contract-presets.ts";
export type { Duration } from "./core/duration.ts";
export type { Answer, Outcome, OutcomeFacts, OutcomeKind } from "./core/outcome.ts";
export type { Basis, JsonObject, JsonValue, Observation, PartialItem, State } from "./core/terms.ts";
export { createGuard, type Guard } from "./create-guard.ts";
export type { CallDescription } from "./describe-api.ts";
export { type Effect, type ErrorCode, IndoubtError, type IndoubtErrorOptions, isIndoubtError } from "./errors.ts";
export type { GuardEvents } from "./events.ts";
export { type FunctionGuardOptions, type GuardedFunction, guardFunction, type SendFacts } from "./guard-function.ts";
export type { LookLimits, ProbeOptions, ReconcileOptions } from "./look-options.ts";
export type { GuardOptions, GuardPolicyOptions, ServerOptions } from "./options.ts";
export type { PresetContractInput } from "./presets.ts";
export {
  absent,
  applied,
  type Baseline,
  type BaselineHook,
  type CallArguments,
  type CallOptions,
  type Intent,
  type LookTools,
  partial,
  type ReconcileHook,
  unclear,
} from "./reconcile-api.ts";
export type {
  AnswerPattern,
  CallPolicyOptions,
  ErrorRule,
  Pointer,
  RepeatRule,
  ToolOptions,
  WhenRule,
} from "./tool-options.ts";
