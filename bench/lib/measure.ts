/**
 * Interleaved measuring. A shared machine drifts, so absolute times mean little: every round runs every case once, in
 * rotated order, and a ratio is taken between two cases of the same round. What is reported is the median of the rounds.
 */
import { setTimeout as sleep } from "node:timers/promises";

export interface Case {
  readonly name: string;
  /** One operation; `n` never repeats within the case. */
  readonly run: (n: number) => Promise<unknown> | unknown;
  /** Round trips to the store for one operation, counted on the wire. */
  readonly roundTrips?: number;
  close?(): Promise<unknown> | unknown;
}

export interface Row {
  readonly work: string;
  readonly case: string;
  readonly concurrency: number;
  /** Operations in one round. */
  readonly n: number;
  readonly p50_us: number;
  readonly p99_us: number;
  readonly ops_per_s: number;
  /** CPU time of this process for one operation; less shaken by other processes than the clock is. */
  readonly cpu_us: number;
  readonly round_trips: number | null;
  /** p50 of this case over p50 of the named one, in the same round. */
  readonly ratio: Readonly<Record<string, number>>;
  /** Operations per second of this case over those of the named one, in the same round. */
  readonly ops_ratio: Readonly<Record<string, number>>;
  /** What else was found, e.g. bytes. */
  readonly facts?: Readonly<Record<string, number>>;
}

export interface Plan {
  readonly work: string;
  readonly n: number;
  readonly concurrency?: number;
  readonly rounds?: number;
  /**
   * ms without work before each operation, not counted: real calls come one by one, to a store that has gone to sleep.
   * Waking it costs more than the work on many machines.
   */
  readonly pause?: number;
}

interface Sample {
  readonly p50: number;
  readonly p99: number;
  readonly ops: number;
  readonly cpu: number;
}

/** Numbers go on from one plan to the next: a first call stays a first call. */
const numbers = new WeakMap<Case, { next: number }>();

/** Before anything is measured, so that the code is compiled. */
const WARM_UP = 1_000;

export async function interleave(plan: Plan, cases: readonly Case[]): Promise<Row[]> {
  const { work, n, concurrency = 1, rounds = 7, pause = 0 } = plan;
  const samples: Sample[][] = cases.map(() => []);
  for (const each of cases) await measure(each, Math.min(n * 3, WARM_UP), concurrency, 0);
  for (let round = 0; round < rounds; round += 1) {
    for (const position of cases.keys()) {
      const index = (position + round) % cases.length;
      samples[index]?.push(await measure(cases[index] as Case, n, concurrency, pause));
    }
  }
  return cases.map((each, index) => ({
    work,
    case: each.name,
    concurrency,
    n,
    p50_us: rounded(median(samples[index], (sample) => sample.p50)),
    p99_us: rounded(median(samples[index], (sample) => sample.p99)),
    ops_per_s: Math.round(median(samples[index], (sample) => sample.ops)),
    cpu_us: rounded(median(samples[index], (sample) => sample.cpu)),
    round_trips: each.roundTrips ?? null,
    ratio: ratios(cases, samples, index, (sample) => sample.p50),
    ops_ratio: ratios(cases, samples, index, (sample) => sample.ops),
  }));
}

async function measure(each: Case, n: number, concurrency: number, pause: number): Promise<Sample> {
  const counter = numbers.get(each) ?? { next: 0 };
  numbers.set(each, counter);
  const times = new Float64Array(n);
  let taken = 0;
  const lane = async () => {
    while (taken < n) {
      const position = taken++;
      if (pause > 0) await sleep(pause);
      const started = performance.now();
      await each.run(counter.next++);
      times[position] = performance.now() - started;
    }
  };
  const cpuBefore = process.cpuUsage();
  const started = performance.now();
  await Promise.all(Array.from({ length: concurrency }, lane));
  const elapsed = performance.now() - started;
  const { user, system } = process.cpuUsage(cpuBefore);
  times.sort();
  return {
    p50: 1_000 * quantile(times, 0.5),
    p99: 1_000 * quantile(times, 0.99),
    ops: (1_000 * n) / elapsed,
    cpu: (user + system) / n,
  };
}

const quantile = (sorted: Float64Array, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;

function ratios(
  cases: readonly Case[],
  samples: readonly (readonly Sample[])[],
  index: number,
  value: (sample: Sample) => number,
): Record<string, number> {
  const own = samples[index] ?? [];
  return Object.fromEntries(
    cases.flatMap((other, otherIndex) => {
      if (otherIndex === index) return [];
      const inRound = own.map((sample, round) => value(sample) / value(samples[otherIndex]?.[round] as Sample));
      return [[other.name, Math.round(100 * medianOf(inRound)) / 100]];
    }),
  );
}

const median = (samples: readonly Sample[] | undefined, value: (sample: Sample) => number): number =>
  medianOf((samples ?? []).map(value));

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

const rounded = (us: number): number => Math.round(us * 10) / 10;
