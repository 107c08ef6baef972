/** The public root. Opens no socket and no file; loads no optional package. */

export type { Card, CardPorts, CardRequest, CardSend, CardVerdict, Trial } from "./card-api.ts";
export { cardPage } from "./card-page.ts";
export type { Catalogue, DriftAccount, ReviewDecision, ServerAccount, ToolAccount } from "./catalogue-api.ts";
export { contract } from "./config.ts";
export {
  type ConfigFile,
  type ConfigValue,
  guardPolicies,
  type ParsedConfig,
  parseConfigFile,
  type ServerConnection,
  type StoreConfig,
} from "./config-file.ts";
export { type CallContext, currentCallContext, withCallContext } from "./context.ts";
export type { Drift, Release, ReviewedServer, ServerIdentity } from "./core/baseline.ts";
export { type Contract, type ContractInput, type KeyPlace, toolFingerprint } from "./core/contract.ts";
export type { Preset, PresetName } from "./core/contract-presets.ts";
export type { Answer, Outcome, OutcomeFacts, OutcomeKind } from "./core/outcome.ts";
export type {
  After,
  Basis,
  Instant,
  JsonObject,
  JsonValue,
  Moment,
  NotSentCause,
  Observation,
  PartialItem,
  SilenceCause,
  State,
  WireEvidence,
} from "./core/terms.ts";
export { createGuard, type Guard } from "./create-guard.ts";
export type { CallDescription } from "./describe-api.ts";
export { type Effect, type ErrorCode, IndoubtError, isIndoubtError } from "./errors.ts";
export type { GuardEvents, QueueNotice } from "./events.ts";
export type { GuardedCalls, Leg, ListPage, ToolCall, ToolDefinition, WirePolicy } from "./guard-api.ts";
export { type FunctionGuardOptions, type GuardedFunction, guardFunction } from "./guard-function.ts";
export { type ItemLinkFacts, itemLink, itemLinkProblem } from "./item-link.ts";
export type { Lock } from "./lock.ts";
export type {
  GuardOptions,
  GuardPolicyOptions,
  ProbeOptions,
  ReconcileOptions,
  ServerOptions,
  ToolOptions,
  WhenRule,
} from "./options.ts";
export type {
  Attempt,
  BeginReply,
  BeginRequest,
  Change,
  Clock,
  Group,
  HistoryLine,
  JournalEntry,
  JournalPage,
  JournalRequest,
  ListRequest,
  Page,
  Spool,
  Store,
  StoredRecord,
  StoreHealth,
  Suspension,
  SwapReply,
  SwapRequest,
  TaskQuestion,
  Wire,
} from "./ports.ts";
export type { PresetContractInput } from "./presets.ts";
export { type BaselineRule, type Found, type Probe, type ProbeRead, type ProbeRules, probe } from "./probe/probe.ts";
export type { ProbeReport } from "./probe-report.ts";
export type {
  AllowedVerdict,
  AuditLine,
  BulkDryRun,
  BulkPreview,
  BulkReport,
  BulkResolution,
  Correction,
  KeptAnswer,
  Queue,
  QueueChange,
  QueueDetail,
  QueueFilter,
  QueueItem,
  QueuePage,
  Resolution,
  TimelineEntry,
  TimelineKind,
  Verdict,
  WatchOptions,
} from "./queue-api.ts";
export type { JournalFilter, JournalKind, JournalLine, QueueStats, ToolStats } from "./queue-reports-api.ts";
export {
  absent,
  applied,
  type Baseline,
  type BaselineHook,
  type Intent,
  type LookTools,
  partial,
  type ReconcileHook,
  unclear,
} from "./reconcile-api.ts";
