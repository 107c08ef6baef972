/** One decision about many items: first looked at, then confirmed by their number, each on the record by itself. */
import { createHash } from "node:crypto";
import { IndoubtError } from "./errors.ts";
import type { Parts } from "./guard-parts.ts";
import type { BulkDryRun, BulkPreview, BulkReport, BulkResolution, QueueFilter, QueueItem } from "./queue-api.ts";
import { checkDecision, eventOf, invalid, resolveOne } from "./queue-decide.ts";
import { findItems } from "./queue-list.ts";
import { newToken } from "./runtime.ts";

const CAP = 100;
const HIGHEST_CAP = 1_000;
/** More than this is no decision of a person any more. */
const MOST_COUNTED = 10_000;
const AT_ONCE = 8;

export async function resolveMany(
  parts: Parts,
  request: BulkDryRun | BulkResolution,
): Promise<BulkPreview | BulkReport> {
  const { verdict, actor, reason, override = false, decision } = request;
  checkDecision({ actor, reason, version: 1, ...(decision !== undefined && { decision }) });
  eventOf({ verdict, override });
  if (decision !== undefined && decision.length > 100) throw invalid("decision: 100 characters at most, as a prefix.");
  const cap = capOf(request);
  // A dry run is read by a person, who has to tell the items apart.
  const items = await matching(parts, request.dryRun ? { ...request.filter, summaries: true } : request.filter);
  const seen = seenOf(items);
  if (request.dryRun) return { count: items.length, items, seen };
  checkConfirmed(request, items.length, seen, cap);
  return settleEach(parts, request, items);
}

function capOf(request: BulkDryRun | BulkResolution): number {
  if (request.dryRun === true) return CAP;
  const { confirm, cap = CAP } = request;
  if (!Number.isInteger(confirm)) throw invalid("confirm: the number of items that the dry run counted.");
  if (!Number.isInteger(cap) || cap < 1 || cap > HIGHEST_CAP) throw invalid(`cap: 1 to ${HIGHEST_CAP}.`);
  return cap;
}

async function matching(parts: Parts, filter: QueueFilter): Promise<QueueItem[]> {
  for (const name of ["limit", "cursor"]) {
    if (Object.hasOwn(filter, name)) throw invalid(`filter.${name}: a decision is about everything that fits.`);
  }
  const items: QueueItem[] = [];
  let cursor: string | undefined;
  do {
    const page = { ...filter, limit: 1_000, ...(cursor !== undefined && { cursor }) };
    const { found, nextCursor } = await findItems(parts, page, Number.POSITIVE_INFINITY);
    items.push(...found.map(({ item }) => item));
    if (items.length > MOST_COUNTED) throw invalid(`More than ${MOST_COUNTED} items fit. Narrow the filter.`);
    cursor = nextCursor;
  } while (cursor !== undefined);
  return items;
}

/** Names these items at these versions. */
function seenOf(items: readonly QueueItem[]): string {
  const names = items.map(({ id, version }) => `${id} ${version}`).sort();
  return createHash("sha256").update(names.join("\n")).digest("base64url").slice(0, 22);
}

function checkConfirmed(request: BulkResolution, count: number, seen: string, cap: number): void {
  const stop = (why: string, details: Readonly<Record<string, unknown>>): never => {
    throw new IndoubtError("RESOLUTION_CONFLICT", `${why} Nothing was decided.`, { effect: "possible", details });
  };
  if (count !== request.confirm)
    stop(
      `${count} ${count === 1 ? "item fits" : "items fit"} now, the number confirmed is ${request.confirm}. Do the dry run again.`,
      { count },
    );
  if (request.seen !== undefined && request.seen !== seen)
    stop("Other items, or other versions of them, fit now than in the dry run. Do it again.", { count, seen });
  if (count > cap)
    stop(`${count} items are more than the cap of ${cap}. Narrow the filter, or raise the cap.`, { count, cap });
}

async function settleEach(parts: Parts, request: BulkResolution, items: readonly QueueItem[]): Promise<BulkReport> {
  const { verdict, actor, reason, override, decision: prefix = newToken() } = request;
  const resolved: { id: string; version: number }[] = [];
  const failed: { id: string; why: string }[] = [];
  const waiting = [...items];
  const lane = async () => {
    for (let item = waiting.shift(); item; item = waiting.shift()) {
      const { id, version } = item;
      const decision = `${prefix}:${id}`;
      try {
        const { operation } = await parts.ledger.load(id);
        if (!operation) throw new Error("It is gone.");
        const one = { verdict, actor, reason, version, decision, ...(override !== undefined && { override }) };
        await resolveOne(parts, operation, one);
        resolved.push({ id, version: operation.version });
      } catch (error) {
        failed.push({ id, why: error instanceof Error ? error.message : String(error) });
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, lane));
  return { resolved, failed };
}
