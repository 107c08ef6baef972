/** The journal of the store as people read it, and the figures that follow from it and from the queue. */
import type { State } from "./core/terms.ts";
import type { Parts } from "./guard-parts.ts";
import { readLine } from "./notable.ts";
import { invalid } from "./queue-decide.ts";
import type { JournalFilter, JournalKind, JournalLine, QueueStats, ToolStats } from "./queue-reports-api.ts";

const MOST_SCANNED = 2_000;
const PAGE = 1_000;
/** Records of each index, and lines of the journal, that the figures are made from at most. */
const MOST_COUNTED = 20_000;

const KINDS: readonly JournalKind[] = ["doubt", "settled", "verdict", "correction", "conflict"];

/** As with the list, a chunk never holds more lines than the page has room for. */
export async function readJournal(
  parts: Parts,
  filter: JournalFilter,
): Promise<{ items: JournalLine[]; nextCursor?: string }> {
  const { server, tool, kind, limit = 50 } = filter;
  if (kind !== undefined && !KINDS.includes(kind)) throw invalid(`kind: ${String(kind)}: use ${KINDS.join(", ")}.`);
  if (!Number.isInteger(limit) || limit < 1 || limit > PAGE) throw invalid("limit: 1 to 1000.");
  await parts.runtime.ready();
  const request = { ...(server !== undefined && { server }), ...(tool !== undefined && { tool }) };
  const items: JournalLine[] = [];
  let scanned = 0;
  let { cursor } = filter;
  do {
    const room = Math.min(limit - items.length, MOST_SCANNED - scanned);
    const page = await parts.runtime.store.journal({ ...request, limit: room, ...(cursor && { cursor }) });
    for (const entry of page.entries) {
      const line = readLine(entry);
      if (line && (kind === undefined || line.kind === kind)) items.push(line);
    }
    scanned += page.entries.length;
    cursor = page.nextCursor;
  } while (cursor !== undefined && items.length < limit && scanned < MOST_SCANNED);
  return { items, ...(cursor !== undefined && { nextCursor: cursor }) };
}

/** What one operation's lines say together. */
interface Doubt {
  doubted: boolean;
  ended?: "landed" | "not_landed" | "resent" | "unknown";
  landingMs?: number;
}

interface Tally {
  readonly server: string;
  readonly tool: string;
  attention: number;
  readonly doubts: Map<string, Doubt>;
}

export async function statsOf(parts: Parts): Promise<QueueStats> {
  await parts.runtime.ready();
  const tallies = new Map<string, Tally>();
  const byState: Partial<Record<State, number>> = {};
  const seen = new Set<string>();
  let oldest: number | undefined;
  let at = 0;
  const count = async (index: "attention" | "open") =>
    walkIndex(parts, index, (operation, now) => {
      at = Math.max(at, now);
      const { record, group, id } = operation;
      if (!seen.has(id)) byState[record.state] = (byState[record.state] ?? 0) + 1;
      seen.add(id);
      if (index === "open") return;
      tallyOf(tallies, group).attention += 1;
      oldest = Math.max(oldest ?? 0, now - record.issuedAt);
    });
  const attention = await count("attention");
  const open = await count("open");
  const { truncated, now } = await tallyJournal(parts, tallies);
  return {
    at: Math.max(at, now),
    attention: attention.count,
    open: open.count,
    byState,
    ...(oldest !== undefined && { oldestUnresolvedMs: oldest }),
    truncated: truncated || attention.truncated || open.truncated,
    tools: [...tallies.values()].map(figuresOf).sort((one, other) => other.doubts - one.doubts),
  };
}

type Visit = (operation: ReturnType<Parts["ledger"]["handle"]>, now: number) => void;

async function walkIndex(parts: Parts, index: "attention" | "open", visit: Visit) {
  let count = 0;
  let cursor: string | undefined;
  do {
    const page = await parts.runtime.store.list({ index, limit: PAGE, ...(cursor !== undefined && { cursor }) });
    for (const stored of page.items) visit(parts.ledger.handle(stored), page.now);
    count += page.items.length;
    cursor = page.nextCursor;
  } while (cursor !== undefined && count < MOST_COUNTED);
  return { count, truncated: cursor !== undefined };
}

/** Newest first, so what an operation's first line here says stands: a correction outranks what it corrects. */
async function tallyJournal(parts: Parts, tallies: Map<string, Tally>) {
  let count = 0;
  let cursor: string | undefined;
  let now = 0;
  do {
    const page = await parts.runtime.store.journal({ limit: PAGE, ...(cursor !== undefined && { cursor }) });
    now = page.now;
    for (const entry of page.entries) {
      const line = readLine(entry);
      if (line) tallyLine(tallyOf(tallies, entry.group), line);
    }
    count += page.entries.length;
    cursor = page.nextCursor;
  } while (cursor !== undefined && count < MOST_COUNTED);
  return { truncated: cursor !== undefined, now };
}

function tallyLine({ doubts }: Tally, { id, kind, landed, how, ageMs }: JournalLine): void {
  const doubt = doubts.get(id) ?? { doubted: false };
  doubts.set(id, doubt);
  if (kind === "doubt") doubt.doubted = true;
  // A conflict says something about the effect only when it brought the answer that nobody expected any more.
  if (kind === "doubt" || (kind === "conflict" && landed === undefined)) return;
  doubt.ended ??= endOf(landed, how);
  const isMeasured = landed === true && (how === "late_answer" || how === "observation");
  if (isMeasured && ageMs !== undefined) doubt.landingMs = ageMs;
}

function endOf(landed: boolean | undefined, how: string | undefined): NonNullable<Doubt["ended"]> {
  if (landed !== undefined) return landed ? "landed" : "not_landed";
  return how === "resend_answered" ? "resent" : "unknown";
}

function tallyOf(tallies: Map<string, Tally>, { server, tool }: { server: string; tool: string }): Tally {
  const name = JSON.stringify([server, tool]);
  const known = tallies.get(name) ?? { server, tool, attention: 0, doubts: new Map<string, Doubt>() };
  tallies.set(name, known);
  return known;
}

function figuresOf({ server, tool, attention, doubts }: Tally): ToolStats {
  const all = [...doubts.values()].filter(({ doubted }) => doubted);
  const landed = all.filter(({ ended }) => ended === "landed");
  const notLanded = all.filter(({ ended }) => ended === "not_landed").length;
  const resent = all.filter(({ ended }) => ended === "resent").length;
  const times = landed.flatMap(({ landingMs }) => landingMs ?? []).sort((one, other) => one - other);
  const median = times[Math.floor((times.length - 1) / 2)];
  return {
    server,
    tool,
    attention,
    doubts: all.length,
    landed: landed.length,
    notLanded,
    resent,
    undecided: all.length - landed.length - notLanded - resent,
    ...(median !== undefined && { medianLandingMs: median }),
  };
}
