/** The trials of a path: marked calls, each sent once, and how often each of them arrived. */
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { connectEcho, type EchoConnection } from "./connection.ts";
import { type Judged, judge, type Run, type Trial, type Verdict, verdictOf, whatItMeans } from "./judge.ts";
import { PATIENCE } from "./session.ts";

export interface PathTest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** How long the slow answers take, in ms. 0: without them. */
  readonly slow: number;
  /** Between two reports of progress, in ms. */
  readonly every: number;
  /** Pause after each fault, in ms: a path leaves out a server that failed, and repeats nothing when none is left. */
  readonly rest: number;
  /** Wait before all arrivals are counted, in ms. */
  readonly settle: number;
  begins(trial: string): void;
}

export interface PathReport {
  readonly verdict: Verdict;
  readonly trials: readonly Judged[];
  readonly meaning: readonly string[];
}

const QUICK: readonly Trial[] = [
  { name: "answered", asked: {} },
  { name: "connection_reset", asked: { fault: "reset" } },
  { name: "connection_closed", asked: { fault: "close" } },
  { name: "answer_cut", asked: { fault: "cut" } },
  { name: "status_502", asked: { fault: "status", status: 502 } },
  { name: "status_503", asked: { fault: "status", status: 503 } },
  { name: "status_504", asked: { fault: "status", status: 504 } },
];

const slowTrials = (slow: number, every: number): readonly Trial[] =>
  slow === 0
    ? []
    : [
        { name: "slow_silent", asked: { fault: "wait", for_ms: slow } },
        { name: "slow_progress", asked: { fault: "wait", for_ms: slow, every_ms: every } },
      ];

/** A path that repeats a slow call takes as long again each time. */
const SLOW_TIMES = 4;

/**
 * @throws IndoubtError CONFIG_INVALID when there is not one echo server; nothing was sent to it then
 * @throws Error when the path stops leading to it
 */
export async function testPath(test: PathTest): Promise<PathReport> {
  const connection = await connectEcho(test.url, test.headers);
  const runs: Run[] = [];
  for (const trial of QUICK) {
    test.begins(trial.name);
    // Also warms the connections behind us: some paths repeat on those that were used before only.
    await connection.ready();
    runs.push(await play(connection, trial));
    if (trial.asked.fault !== undefined) await sleep(test.rest);
  }
  await connection.ready();
  const slow = slowTrials(test.slow, test.every);
  for (const { name } of slow) test.begins(name);
  runs.push(...(await Promise.all(slow.map((trial) => play(connection, trial)))));
  await sleep(test.settle);
  const arrivals = await connection.count(runs.map(({ asked }) => asked.mark ?? ""));
  const trials = runs.map((run) => judge(run, arrivals[run.asked.mark ?? ""] ?? []));
  return { verdict: verdictOf(trials), trials, meaning: whatItMeans(trials) };
}

async function play({ call }: EchoConnection, { name, asked }: Trial): Promise<Run> {
  const marked = { ...asked, mark: `path-${randomBytes(8).toString("hex")}` };
  const started = performance.now();
  const passed = () => Math.round(performance.now() - started);
  let progress = 0;
  let firstProgressMs: number | undefined;
  const called = await call(marked, {
    patience: PATIENCE + SLOW_TIMES * (asked.for_ms ?? 0),
    progress() {
      progress += 1;
      firstProgressMs ??= passed();
    },
  });
  return { name, asked: marked, called, afterMs: passed(), progress, firstProgressMs };
}
