/** What --json prints: pinned by test/cli/json.test.ts, described in docs/cli.md. */
import type { BulkReport, JournalLine, QueueDetail, QueueItem, QueueStats } from "../../../src/entries/queue.ts";

export const itemJson = ({ id, version, state, server, tool, ageMs, reason, next }: QueueItem) => ({
  id,
  version,
  state,
  server,
  tool,
  age_ms: ageMs,
  reason,
  next,
});

/** Evidence: what somebody outside said or did, with its source and time. */
const EVIDENCE = ["sent", "answer", "late_answer", "observation", "verdict"];

export function detailJson(detail: QueueDetail, url?: string) {
  const { hook, timeline, answer, contract } = detail;
  return {
    ...itemJson(detail),
    conflict: detail.conflict,
    issued_at: detail.issuedAt,
    now: detail.now,
    attempts: detail.attempts,
    open_attempts: detail.open,
    quiesce_at: detail.quiesceAt ?? null,
    key: detail.key,
    ref: detail.ref ?? null,
    principal: detail.principal ?? null,
    items: detail.items ?? null,
    arguments: detail.arguments,
    answer: answer ?? null,
    contract: contract ?? null,
    definition: detail.definition ?? null,
    hook: { configured: hook.configured, absent: hook.absent, probes: hook.probes, last_said: hook.lastSaid ?? null },
    known: detail.known,
    unknown: detail.unknown,
    risk: detail.risk,
    allowed: detail.allowed,
    evidence: timeline.filter(({ kind, planned }) => EVIDENCE.includes(kind) && !planned),
    timeline,
    audit: detail.audit,
    ...(url !== undefined && { url }),
  };
}

export const reportJson = ({ resolved, failed }: BulkReport) => ({ resolved, failed });

export const statsJson = (stats: QueueStats) => ({
  at: stats.at,
  attention: stats.attention,
  open: stats.open,
  by_state: stats.byState,
  oldest_unresolved_ms: stats.oldestUnresolvedMs ?? null,
  truncated: stats.truncated,
  tools: stats.tools.map((tool) => ({
    server: tool.server,
    tool: tool.tool,
    attention: tool.attention,
    doubts: tool.doubts,
    landed: tool.landed,
    not_landed: tool.notLanded,
    resent: tool.resent,
    undecided: tool.undecided,
    median_landing_ms: tool.medianLandingMs ?? null,
  })),
});

export function journalJson({ ageMs, ...line }: JournalLine) {
  return { ...line, ...(ageMs !== undefined && { age_ms: ageMs }) };
}
