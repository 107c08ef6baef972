/** `indoubt/store`: for who writes a store, a spool or a clock. The suite of `indoubt/testing` proves a store. */

export type { After, Instant, Moment } from "../core/terms.ts";
export type {
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
} from "../ports.ts";
