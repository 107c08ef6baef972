/** How times, states and codes are said on the page. */

import type { JournalKind, Verdict } from "../../../src/entries/queue.ts";
import type { State } from "../../../src/index.ts";

/** How a thing should feel: waits for a person, in doubt, under way, good, neutral, bad. */
export type Tone = "person" | "doubt" | "busy" | "good" | "calm" | "bad";

export const STATES = {
  unresolved: { tone: "person", words: "A person must decide." },
  uncertain: { tone: "doubt", words: "It may have happened; automation is still looking." },
  partial: { tone: "person", words: "Some of it happened." },
  in_flight: { tone: "busy", words: "Sent; an answer may still come." },
  ready: { tone: "busy", words: "May be sent once." },
  succeeded: { tone: "good", words: "The server answered with a result." },
  applied: { tone: "good", words: "The effect is there." },
  not_applied: { tone: "calm", words: "The effect is not there." },
  failed: { tone: "calm", words: "The server answered with an error; whether anything was written is unclaimed." },
  rejected: { tone: "calm", words: "The server did not accept it; nothing was done." },
  abandoned: { tone: "calm", words: "Closed without knowing." },
} as const satisfies Record<State, { tone: Tone; words: string }>;

export const isState = (text: string): text is State => Object.hasOwn(STATES, text);

export const VERDICTS = {
  applied: { title: "It happened", words: "You found the effect at the destination.", becomes: "applied" },
  not_applied: {
    title: "It did not happen",
    words: "You looked, and it is not there. An equal call is a new write.",
    becomes: "not applied",
  },
  resend: {
    title: "Send it again",
    words: "It is not there and must be. One more send is permitted.",
    becomes: "ready: to be sent once more",
  },
  abandon: { title: "Give up", words: "Nobody will ever know. Closed without an outcome.", becomes: "abandoned" },
} as const satisfies Record<Verdict, { title: string; words: string; becomes: string }>;

export const isVerdict = (text: unknown): text is Verdict => typeof text === "string" && Object.hasOwn(VERDICTS, text);

export const JOURNAL_KINDS = {
  verdict: "Verdicts",
  correction: "Corrections",
  conflict: "Conflicts",
  doubt: "Doubts",
  settled: "Settled",
} as const satisfies Record<JournalKind, string>;

/** `not_applied` -> "not applied": a code as words. */
export const spaced = (code: string): string => code.replaceAll("_", " ");

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
] as const;

/** "3 h 12 min", "2.4 s", "40 ms": at most two units. */
export function duration(ms: number): string {
  if (ms < 0) return `−${duration(-ms)}`;
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1).replace(/\.0$/, "")} s`;
  const index = UNITS.findIndex(([, size]) => ms >= size);
  const [unit, size] = UNITS[index] ?? UNITS[3];
  const rest = UNITS[index + 1];
  const whole = Math.floor(ms / size);
  const more = rest ? Math.floor((ms % size) / rest[1]) : 0;
  return more > 0 && rest ? `${whole} ${unit} ${more} ${rest[0]}` : `${whole} ${unit}`;
}

/** Whole seconds at least, for ages that tick. */
export const age = (ms: number): string =>
  ms < 1_000 ? "0 s" : duration(ms < 10_000 ? Math.floor(ms / 1_000) * 1_000 : ms);

/** "2026-11-30 15:42:07": UTC, to the second. */
export const clock = (at: number): string => new Date(at).toISOString().slice(0, 19).replace("T", " ");

export const iso = (at: number): string => new Date(at).toISOString();

/** "500+" where not all were counted. */
export const amount = (known: number, more: boolean): string => `${known.toLocaleString("en")}${more ? "+" : ""}`;

export const count = (amount: number, one: string, many = `${one}s`): string =>
  `${amount.toLocaleString("en")} ${amount === 1 ? one : many}`;
