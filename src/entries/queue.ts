/** `indoubt/queue`: for who shows the queue and takes decisions: pages, commands, notices. */

export type { OpenState, SettledState } from "../core/terms.ts";
export type { QueueNotice } from "../events.ts";
export { type ItemLinkFacts, itemLink, itemLinkProblem } from "../item-link.ts";
export type {
  AllowedVerdict,
  AuditLine,
  BulkDecision,
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
} from "../queue-api.ts";
export type { JournalFilter, JournalKind, JournalLine, QueueStats, ToolStats } from "../queue-reports-api.ts";
