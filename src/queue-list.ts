/** Pages of the queue through a filter. What the store cannot compare is compared here, on a bounded number of records. */
import { principalDigest } from "./core/identity.ts";
import { type Instant, type JsonObject, OPEN_STATES, SETTLED_STATES } from "./core/terms.ts";
import type { Parts } from "./guard-parts.ts";
import type { Operation } from "./operation.ts";
import { openPayload } from "./payload.ts";
import type { ListRequest } from "./ports.ts";
import type { QueueFilter, QueueItem, QueuePage } from "./queue-api.ts";
import { invalid } from "./queue-decide.ts";
import { itemOf, policyOf } from "./queue-detail.ts";
import { summaryOf } from "./queue-summary.ts";

const MOST_SCANNED = 2_000;
const LONGEST_PAGE = 1_000;
/** Payloads that are opened in one turn: calls are not kept waiting behind them. */
const MOST_OPENED = 100;

export interface Found {
  readonly operation: Operation;
  readonly item: QueueItem;
  /** Redacted; only where payloads were read. */
  readonly arguments?: JsonObject;
}

export interface Stretch {
  readonly found: readonly Found[];
  readonly scanned: number;
  readonly now: Instant;
  readonly nextCursor?: string;
}

export async function listItems(parts: Parts, filter: QueueFilter): Promise<QueuePage> {
  const { found, scanned, nextCursor } = await findItems(parts, filter, MOST_SCANNED);
  const items = found.map(({ item }) => item);
  return { items, scanned, ...(nextCursor !== undefined && { nextCursor }) };
}

/**
 * A chunk never holds more records than the page has room for: so a page ends where a chunk ends, and the store's cursor
 * fits.
 */
export async function findItems(parts: Parts, filter: QueueFilter, mostScanned: number): Promise<Stretch> {
  checkFilter(filter);
  await parts.runtime.ready();
  const { limit = 50 } = filter;
  const request = requestOf(filter);
  const found: Found[] = [];
  let scanned = 0;
  let cursor = filter.cursor;
  for (;;) {
    const room = Math.min(limit - found.length, request.payloads ? MOST_OPENED : LONGEST_PAGE, mostScanned - scanned);
    const page = await parts.runtime.store.list({ ...request, limit: room, ...(cursor !== undefined && { cursor }) });
    parts.runtime.heard(page.now);
    for (const stored of page.items) {
      const one = foundOf(parts, parts.ledger.handle(stored), page.now);
      if (fits(parts, filter, one, page.now)) found.push(one);
    }
    scanned += page.items.length;
    cursor = page.nextCursor;
    const isOver = cursor === undefined || found.length >= limit || scanned >= mostScanned;
    if (isOver) return { found, scanned, now: page.now, ...(cursor !== undefined && { nextCursor: cursor }) };
  }
}

function foundOf(parts: Parts, operation: Operation, now: Instant): Found {
  const payload = openPayload(parts.runtime.keys(), operation.id, operation.payload);
  const policy = policyOf(parts, operation, payload);
  const summary = summaryOf(payload?.arguments, policy);
  const item = { ...itemOf(operation, policy, now), ...(summary !== undefined && { summary }) };
  return { operation, item, ...(payload?.arguments && { arguments: payload.arguments }) };
}

function requestOf({ index = "attention", server, tool, order, text, summaries }: QueueFilter): ListRequest {
  return {
    index,
    ...(server !== undefined && { server }),
    ...(tool !== undefined && { tool }),
    ...(order !== undefined && { order }),
    ...((text !== undefined || summaries) && { payloads: true }),
  };
}

function fits(parts: Parts, filter: QueueFilter, found: Found, now: Instant): boolean {
  const { operation, item } = found;
  const { state, reason, conflict, olderThan, newerThan, principal, text } = filter;
  const age = now - operation.record.issuedAt;
  return (
    (state === undefined || item.state === state) &&
    (reason === undefined || item.reason === reason) &&
    (conflict === undefined || item.conflict === conflict) &&
    (olderThan === undefined || age >= olderThan) &&
    (newerThan === undefined || age < newerThan) &&
    (principal === undefined || isOf(parts, operation, principal)) &&
    (text === undefined || speaksOf(found, text))
  );
}

const isOf = ({ runtime }: Parts, { record }: Operation, principal: string): boolean =>
  record.principal === principalDigest(runtime.keys(), principal);

function speaksOf({ operation: { id, record }, item, arguments: args }: Found, text: string): boolean {
  const wanted = text.toLowerCase();
  const speaks = (words: string | undefined) => words?.toLowerCase().includes(wanted) === true;
  return [id, item.server, item.tool, item.reason, record.ref].some(speaks) || speaks(JSON.stringify(args));
}

const KNOWN: Readonly<Record<keyof QueueFilter, "text" | "ms" | "flag" | readonly string[]>> = {
  index: ["attention", "open"],
  server: "text",
  tool: "text",
  state: [...OPEN_STATES, ...SETTLED_STATES],
  reason: "text",
  conflict: "flag",
  olderThan: "ms",
  newerThan: "ms",
  principal: "text",
  text: "text",
  summaries: "flag",
  order: ["oldest", "newest"],
  limit: "ms",
  cursor: "text",
};

/** Filters come from command lines and addresses, too. A misspelt one must not show (or decide about) everything. */
export function checkFilter(filter: QueueFilter): void {
  for (const [name, value] of Object.entries(filter)) {
    const kind = Object.hasOwn(KNOWN, name) ? KNOWN[name as keyof QueueFilter] : undefined;
    if (kind === undefined) throw invalid(`filter.${name}: unknown. There is ${Object.keys(KNOWN).join(", ")}.`);
    if (value === undefined) continue;
    const given = `filter.${name}: ${JSON.stringify(value)?.slice(0, 80)}`;
    if (kind === "text" && typeof value !== "string") throw invalid(`${given} is no text.`);
    if (kind === "flag" && typeof value !== "boolean") throw invalid(`${given} is neither true nor false.`);
    if (kind === "ms" && !(typeof value === "number" && value >= 0)) throw invalid(`${given} is no number from 0.`);
    if (Array.isArray(kind) && !kind.includes(value)) throw invalid(`${given}: use ${kind.join(", ")}.`);
  }
  const { limit = 50, text } = filter;
  if (!Number.isInteger(limit) || limit < 1 || limit > LONGEST_PAGE) throw invalid("filter.limit: 1 to 1000.");
  if (text !== undefined && (text === "" || text.length > 200)) throw invalid("filter.text: 1 to 200 characters.");
}
