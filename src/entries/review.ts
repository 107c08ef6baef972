/** `indoubt/review`: what a person reviews of servers and tools: the catalogue, its lock, evidence cards, suspensions. */

export type { Card, CardPorts, CardRequest, CardSend, CardVerdict, Trial, TrialName } from "../card-api.ts";
export { cardPage } from "../card-page.ts";
export type { Catalogue, DriftAccount, ReviewDecision, ServerAccount, ToolAccount } from "../catalogue-api.ts";
export type {
  Drift,
  DriftKind,
  FieldChange,
  Release,
  ReviewedCatalogue,
  ReviewedServer,
  ReviewedTool,
  ServerIdentity,
  Tombstone,
  ToolReview,
} from "../core/baseline.ts";
export type { Lock } from "../lock.ts";
export type { SuspensionDecision, Suspensions } from "../suspensions.ts";
