/** What is drawn: places on the timeline, steps of time, ages; and how times are said. */
import { expect, test } from "vitest";
import { ageBars, overTime } from "../../adapters/surfaces/page/routes/charts.ts";
import { bars } from "../../adapters/surfaces/page/views/bars.ts";
import { placed } from "../../adapters/surfaces/page/views/timeline-scale.ts";
import { age, duration } from "../../adapters/surfaces/page/words.ts";
import type { JournalLine } from "../../src/entries/queue.ts";

const at = (...times: number[]) => times.map((time) => ({ at: time }));
const DAY = 86_400_000;

test("milliseconds and days are both seen on one timeline, in order, without covering each other", () => {
  const xs = placed(at(0, 3, 3, 2_000, 3 * DAY), 600).map(({ x }) => x);
  expect(xs[0]).toBe(0);
  expect(xs.at(-1)).toBeCloseTo(600);
  const gaps = xs.slice(1).map((x, index) => x - (xs[index] ?? 0));
  for (const gap of gaps) expect(gap).toBeGreaterThan(30);
  expect(gaps[3]).toBeGreaterThan(gaps[2] ?? 0);
  expect(placed(at(5), 600)[0]?.x).toBe(0);
});

test("a moment that was written out of order does not turn the timeline round", () => {
  const xs = placed(at(100, 50, 120), 600).map(({ x }) => x);
  expect([...xs].sort((a, b) => a - b)).toEqual(xs);
});

const events = (...times: number[]) => times.map((time) => ({ at: time })) as unknown as JournalLine[];

test("doubt over time is counted in steps that fit what there is", () => {
  const now = 1_800_000_000_000;
  const minutes = overTime(events(now - 60_000, now - 60_000, now), events(now), now);
  expect(minutes.step).toBe("minute");
  expect(minutes.bars.map(({ values }) => values)).toEqual([
    [2, 0],
    [1, 1],
  ]);
  const days = overTime(events(now - 20 * DAY, now), [], now);
  expect([days.step, days.bars.length]).toEqual(["day", 21]);
  const years = overTime(events(now - 3_000 * DAY, now), [], now);
  expect([years.step, years.bars.length]).toEqual(["week", 30]);
  expect(overTime([], [], now).bars).toHaveLength(1);
});

test("every age is in one bar", () => {
  const counted = ageBars([-5, 0, 59_999, 60_000, DAY - 1, DAY, 8 * DAY]).map(({ values }) => values[0]);
  expect(counted).toEqual([3, 1, 0, 0, 1, 1, 1]);
});

test("a chart says its numbers in words and in a table; without numbers it says so", () => {
  const chart = { id: "c", title: "Doubts", series: ["in", "out"] };
  const text = String(bars({ ...chart, bars: [{ label: "mon", values: [3, 1] }] }));
  expect(text).toContain("mon: 3 in, 1 out");
  expect(text).toMatch(/<td>3<\/td><td>1<\/td>/);
  expect(String(bars({ ...chart, bars: [{ label: "mon", values: [0, 0] }] }))).toContain("Nothing to draw yet");
});

test.each([
  [40, "40 ms"],
  [2_400, "2.4 s"],
  [5_000, "5 s"],
  [65_000, "1 min 5 s"],
  [3_600_000, "1 h"],
  [11_520_000, "3 h 12 min"],
  [2.6 * DAY, "2 d 14 h"],
  [-1_500, "−1.5 s"],
])("%d ms is %s", (ms, words) => {
  expect(duration(ms)).toBe(words);
});

test("an age ticks in whole seconds", () => {
  expect([age(0), age(999), age(2_400), age(65_999)]).toEqual(["0 s", "0 s", "2 s", "1 min 5 s"]);
});
