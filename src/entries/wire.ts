/** `indoubt/wire`: for who puts another client, framework or transport under a guard. */

export { currentCallContext } from "../context.ts";
export type { NotSentCause, SilenceCause, WireEvidence } from "../core/terms.ts";
export type {
  ConnectionOptions,
  GuardedCalls,
  Leg,
  ListPage,
  ToolCall,
  ToolDefinition,
  WirePolicy,
} from "../guard-api.ts";
export { type HttpFacts, httpFacts } from "../http-facts.ts";
export type { Attempt, TaskQuestion, Wire } from "../wire.ts";
