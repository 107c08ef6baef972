import type { Hono } from "hono";
import type { JournalKind, JournalLine, Queue } from "../../../../src/entries/queue.ts";
import { type Desk, type Env, show } from "../context.ts";
import { remembered } from "../remembered.ts";
import type { Bar } from "../views/bars.ts";
import { type ChartFacts, chartsBody } from "../views/charts-view.ts";
import { clock } from "../words.ts";

export function chartsRoute(app: Hono<Env>, desk: Desk): void {
  const charts = remembered(() => chartFacts(desk), FRESH_FOR_MS);
  app.get("/charts", async (c) => {
    const facts = await charts();
    return show(desk, c, { title: "Charts", place: "charts", body: chartsBody(facts) });
  });
}

/** The figures are made from up to 60,000 records: once in a while for all who look, and the page says when. */
const FRESH_FOR_MS = 5_000;

async function chartFacts(desk: Desk): Promise<ChartFacts> {
  const [stats, doubts, ends, waiting] = await Promise.all([
    desk.queue.stats(),
    newest(desk.queue, "doubt"),
    Promise.all([newest(desk.queue, "settled"), newest(desk.queue, "verdict")]),
    desk.queue.list({ limit: 1_000 }),
  ]);
  const ended = ends.flatMap(({ items }) => items);
  const truncated = [doubts, ...ends].some(({ more }) => more);
  const ages = {
    bars: ageBars(waiting.items.map(({ ageMs }) => ageMs)),
    truncated: waiting.nextCursor !== undefined,
  };
  return { stats, doubt: { ...overTime(doubts.items, ended, stats.at), truncated }, ages };
}

const MOST_EVENTS = 3_000;

async function newest(queue: Queue, kind: JournalKind): Promise<{ items: JournalLine[]; more: boolean }> {
  const items: JournalLine[] = [];
  let cursor: string | undefined;
  do {
    const page = await queue.journal({ kind, limit: 1_000, ...(cursor !== undefined && { cursor }) });
    items.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== undefined && items.length < MOST_EVENTS);
  return { items, more: cursor !== undefined };
}

const STEPS = [
  ["minute", 60_000],
  ["10 minutes", 600_000],
  ["hour", 3_600_000],
  ["day", 86_400_000],
  ["week", 604_800_000],
] as const;
const MOST_BARS = 30;

/** Counts per step of time; the step grows with the time that there is to show. */
export function overTime(
  doubts: readonly JournalLine[],
  ended: readonly JournalLine[],
  now: number,
): { bars: Bar[]; step: string } {
  const first = Math.min(now, ...[...doubts, ...ended].map(({ at }) => at));
  const [step, size] = STEPS.find(([, ms]) => (now - first) / ms < MOST_BARS) ?? STEPS[4];
  const from = Math.max(Math.floor(first / size), Math.floor(now / size) - MOST_BARS + 1);
  const slots = Math.max(1, Math.floor(now / size) - from + 1);
  const series = [doubts, ended].map((lines) => {
    const amounts = new Array<number>(slots).fill(0);
    for (const { at } of lines) {
      const slot = Math.floor(at / size) - from;
      if (slot >= 0 && slot < slots) amounts[slot] = (amounts[slot] ?? 0) + 1;
    }
    return amounts;
  });
  const bars = Array.from({ length: slots }, (_, slot) => ({
    label: labelOf((from + slot) * size, size),
    values: series.map((amounts) => amounts[slot] ?? 0),
  }));
  return { bars, step };
}

const labelOf = (at: number, size: number): string =>
  size >= 86_400_000 ? clock(at).slice(5, 10) : clock(at).slice(11, 16);

const AGES = [
  ["under 1 min", 60_000],
  ["to 10 min", 600_000],
  ["to 1 h", 3_600_000],
  ["to 6 h", 21_600_000],
  ["to 1 d", 86_400_000],
  ["to 7 d", 604_800_000],
  ["older", Number.POSITIVE_INFINITY],
] as const;

export function ageBars(ages: readonly number[]): Bar[] {
  return AGES.map(([label, below], index) => {
    const from = AGES[index - 1]?.[1] ?? Number.NEGATIVE_INFINITY;
    return { label, values: [ages.filter((ms) => ms >= from && ms < below).length] };
  });
}
