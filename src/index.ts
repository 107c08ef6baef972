/** The public root. Opens no socket and no file; loads no optional package. */
export { type CallContext, currentCallContext, withCallContext } from "./context.ts";
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
export { type Effect, type ErrorCode, IndoubtError, isIndoubtError } from "./errors.ts";
export type { GuardedCalls, ToolCall, ToolDefinition, WirePolicy } from "./guard-api.ts";
export type {
  Attempt,
  BeginReply,
  BeginRequest,
  Change,
  Clock,
  Group,
  HistoryLine,
  ListRequest,
  Page,
  Store,
  StoredRecord,
  StoreHealth,
  Suspension,
  SwapReply,
  SwapRequest,
  Wire,
} from "./ports.ts";
