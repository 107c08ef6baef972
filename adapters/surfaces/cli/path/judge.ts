/** What the trials of a path show, in plain words. */
import { duration } from "../text.ts";
import type { Called } from "./connection.ts";
import type { Asked } from "./echo.ts";
import { seenWords } from "./post.ts";

export interface Trial {
  readonly name: string;
  readonly asked: Asked;
}

/** What was done, and what the client saw of it. */
export interface Run extends Trial {
  readonly called: Called;
  readonly afterMs: number;
  /** Reports of progress that were heard before the answer, and when the first one came. */
  readonly progress: number;
  readonly firstProgressMs: number | undefined;
}

export type Verdict = "once" | "repeats" | "inconclusive";

export interface Judged {
  readonly trial: string;
  /** `cut`: delivered once, but its slow answer did not come back. */
  readonly verdict: "once" | "cut" | "repeats" | "not_delivered";
  /** When the call arrived, in ms after its first arrival. */
  readonly arrivals: readonly number[];
  /** What came back to the client, and after how many ms. */
  readonly answer: string;
  readonly afterMs: number;
  /** Reports of progress that came before the answer. */
  readonly progress: number;
  readonly words: string;
}

export function judge(run: Run, arrivals: readonly number[]): Judged {
  const { name: trial, called, afterMs, progress } = run;
  const answer = isEchoed(run) ? "the answer" : seenWords(called.seen);
  const judged = { trial, arrivals, answer, afterMs, progress };
  if (arrivals.length === 0) return { ...judged, verdict: "not_delivered", words: `did not arrive: ${answer}` };
  if (arrivals.length > 1) {
    const words = `THE PATH REPEATS: ${arrivals.length} arrivals within ${time(arrivals.at(-1) ?? 0)}, then ${answer}`;
    return { ...judged, verdict: "repeats", words };
  }
  if (run.asked.fault !== "wait") return { ...judged, verdict: "once", words: `delivered once: ${answer}` };
  if (isEchoed(run)) return { ...judged, verdict: "once", words: `delivered once: ${slowWords(run)}` };
  return { ...judged, verdict: "cut", words: `delivered once, CUT after ${time(afterMs)}: ${answer}` };
}

const isEchoed = ({ called, asked }: Run): boolean => called.echo !== undefined && called.echo.mark === asked.mark;

function slowWords({ asked, afterMs, progress, firstProgressMs = 0 }: Run): string {
  const answered = `the answer after ${time(afterMs)}`;
  if (asked.every_ms === undefined) return answered;
  if (progress === 0) return `${answered}, but no progress`;
  const heldBack = firstProgressMs > (asked.for_ms ?? 0) - asked.every_ms / 2;
  return `${answered}, progress ${heldBack ? "only with it" : `${progress} times before it`}`;
}

export function verdictOf(trials: readonly Judged[]): Verdict {
  if (trials.some(({ verdict }) => verdict === "repeats")) return "repeats";
  return trials.some(({ verdict }) => verdict === "not_delivered") ? "inconclusive" : "once";
}

/** What follows for those who set up a guard before this path. */
export const whatItMeans = (trials: readonly Judged[]): string[] => [
  ...ofRepeats(trials),
  ...ofCuts(trials),
  ...ofNothing(trials),
];

function ofRepeats(trials: readonly Judged[]): string[] {
  const repeated = trials.filter(({ verdict }) => verdict === "repeats");
  if (repeated.length === 0) {
    return trials.some(({ verdict }) => verdict === "not_delivered")
      ? []
      : ["One send was one arrival each time. That holds for this path as it is set up today, and for these faults."];
  }
  const most = Math.max(...repeated.map(({ arrivals }) => arrivals.length));
  const last = Math.max(...repeated.map(({ arrivals }) => arrivals.at(-1) ?? 0));
  return [
    `The path sends a call again by itself: one send of the guard can have ${most} effects, also behind a success.`,
    "Turn that off for POST, then test again. In nginx: no non_idempotent in proxy_next_upstream; in a service mesh: no retries on this route.",
    `Until then: "settle" of each write covers its longest run and ${time(last)} more; a hook counts, with verify "after_success"; a contract is by key, with concurrent "joined" or "rejected", not "serial".`,
  ];
}

function ofCuts(trials: readonly Judged[]): string[] {
  const silent = trials.find(({ trial }) => trial === "slow_silent");
  const talking = trials.find(({ trial }) => trial === "slow_progress");
  const cut = [silent, talking].find((each) => each?.verdict === "cut");
  if (!cut) return [];
  const alive = silent === cut && talking?.verdict === "once";
  return [
    alive
      ? `A call without a word for ${time(cut.afterMs)} loses its answer here. Progress keeps it alive: let slow tools report it.`
      : `A call that takes ${time(cut.afterMs)} loses its answer here, progress or not: let slow tools answer with a task.`,
    `A write that is cut goes on at the server: give it a hook, and a "settle" that covers its longest run.`,
  ];
}

function ofNothing(trials: readonly Judged[]): string[] {
  const names = trials.filter(({ verdict }) => verdict === "not_delivered").map(({ trial }) => trial);
  if (names.length === 0) return [];
  return [
    `These calls never arrived, so they show nothing: ${names.join(", ")}. Look at the path's log, then test again.`,
  ];
}

function time(ms: number): string {
  if (ms < 1_000) return `${ms} ms`;
  return ms < 10_000 ? `${(ms / 1_000).toFixed(1)} s` : duration(ms);
}
