/** What all processes of a run stand on: time, the shared data, the destination, the weather between them, and the notes of the run. */
import { AsyncLocalStorage } from "node:async_hooks";
import { type MemoryStore, memoryStore } from "../../adapters/stores/memory/index.ts";
import { type Destination, destination, type Fate, PLAIN } from "./destination.ts";
import { checkWrite, type Terms } from "./invariants.ts";
import { hasContract, MARGIN, overlapUnsafe, type Profile, WINDOW } from "./profiles.ts";
import { START, type VirtualTime, virtualTime } from "./virtual-time.ts";
import { type Log, type StoreWeather, type Write, writeLog } from "./watched-store.ts";

export type Look = "fresh" | "stale" | "unclear" | "throws" | "hangs" | "lies";

export interface WorldOptions {
  readonly profile: Profile;
  /** Used in turn by the sends of the run, then from the start again. @default everything arrives at once */
  readonly fates?: readonly Fate[];
  readonly looks?: readonly Look[];
  readonly latencies?: readonly number[];
  /** All questions about an item are the same. @default each has a state of its own */
  readonly asksTheSame?: boolean;
  /** What is really so where it differs from what was declared. */
  readonly reality?: { readonly window?: number; readonly staleness?: number; readonly checksOnArrival?: boolean };
  /** A duplicate, a false outcome or a conflict is what the run is for: do not report them as they happen. */
  readonly assumptionBroken?: boolean;
}

/** What is written down while a run goes on. */
export interface Notes {
  readonly trace: string[];
  readonly violations: string[];
  readonly conflicts: string[];
  /** Port calls at which a process died, e.g. `before store.swap`. */
  readonly deaths: string[];
  /** What was handed over: `operation#attempt`, for a further round `operation#attempt/round`. */
  readonly handedOver: Set<string>;
  /** Operations whose record a loss of the store took back. */
  readonly lost: Set<string>;
  tell(line: string): void;
  violated(found: readonly string[]): void;
  /** The short name of an operation. */
  nameOf(id: string): string;
}

export interface Ground extends Notes {
  readonly time: VirtualTime;
  readonly options: WorldOptions;
  readonly destination: Destination;
  readonly log: Log;
  readonly store: MemoryStore;
  readonly weather: StoreWeather;
  /** Until when the store was last told to be out of reach. */
  downUntil(): number;
  nextFate(): Fate;
  nextLook(): Look;
  outage(kind: "before" | "after", calls: number): void;
  outageUntil(ms: number): void;
  stepStoreClock(ms: number): void;
  /** Everything that was written in the last so many ms. */
  loseStore(back: number): void;
  /** The newest version of some records, never their first: which ones, by their place in the order of birth. */
  loseNewest(picks: readonly number[]): void;
  end(): void;
}

/** Further than this no store clock is off in a run with every assumption true: less than margins and settle windows leave. */
const CLOCK_SKEW = 400;
/** More calls of the store than this at one instant mean that somebody turns in a circle. */
const MANY_CALLS = 1_000;

/** Told of the record that is made for the call at hand. One for all worlds: each one more slows down every promise. */
export const callers = new AsyncLocalStorage<{ readonly onBegun?: () => void }>();

export function newGround(options: WorldOptions): Ground {
  const time = virtualTime();
  const end = time.install();
  const notes = newNotes(time);
  const { tell, violated, lost } = notes;
  const { clock, step, steppedBack } = storeClock(time);
  const store = memoryStore({ now: clock });
  let lossAt = -1;
  const log = writeLog((write) => {
    if (!write.before) callers.getStore()?.onBegun?.();
    tell(lineOf(write));
    // A record that was taken back may be written anew from an older version: only effects are judged from then on.
    if (!lost.has(write.id)) violated(checkWrite(write, termsOf(options, lossAt, steppedBack())));
  });
  const { weather, ...sky } = newWeather(time, options, notes);
  return {
    ...notes,
    ...sky,
    time,
    options,
    destination: destination(time, destinationOf(options), tell),
    log,
    store,
    weather,
    nextFate: turn(options.fates, PLAIN),
    nextLook: turn(options.looks, "fresh"),
    stepStoreClock: (ms) => tell(`store: its clock is stepped, it is now ${step(ms)} ms off`),
    loseStore(back) {
      const since = clock() - back;
      store.loseEverythingSince(since);
      lossAt = clock();
      for (const id of log.lost((write) => write.at >= since)) lost.add(id);
      tell(`store: LOSES what was written in the last ${back} ms`);
    },
    loseNewest(picks) {
      const ids = log.ids();
      const changed = [...new Set(picks.map((pick) => ids[pick % ids.length] ?? ""))].filter(
        (id) => (log.current(id)?.version ?? 1) > 1,
      );
      const newest = new Set(changed.map((id) => log.current(id)));
      store.loseNewest(changed);
      lossAt = clock();
      for (const id of log.lost((write) => newest.has(write))) lost.add(id);
      tell(`store: LOSES the newest version of ${changed.join(", ") || "nothing"}`);
    },
    end,
  };
}

function newNotes(time: VirtualTime): Notes {
  const trace: string[] = [];
  const violations: string[] = [];
  const names = new Map<string, string>();
  const nameOf = (id: string) => names.get(id) ?? names.set(id, `op${names.size + 1}`).get(id) ?? id;
  const tell = (line: string) => {
    const text = line.replaceAll(/[0-9a-z]{10}_[0-9a-z]{26}/g, nameOf);
    trace.push(`${String(time.now() - START).padStart(7)} ms  ${text}`);
  };
  const violated = (found: readonly string[]) => {
    for (const text of found) {
      tell(`VIOLATED ${text}`);
      violations.push(text);
    }
  };
  const lists = { conflicts: [], deaths: [], handedOver: new Set<string>(), lost: new Set<string>() };
  return { trace, violations, ...lists, tell, violated, nameOf };
}

/** It never hands out an earlier time than before. */
function storeClock(time: VirtualTime) {
  let offset = 0;
  let highest = 0;
  let back = 0;
  return {
    clock() {
      highest = Math.max(highest, time.now() + offset);
      return highest;
    },
    step(ms: number) {
      const before = offset;
      offset = Math.max(-CLOCK_SKEW, Math.min(CLOCK_SKEW, offset + ms));
      back += Math.max(0, before - offset);
      return offset;
    },
    /** By how much all steps back together make its times look too early. */
    steppedBack: () => back,
  };
}

function newWeather(time: VirtualTime, options: WorldOptions, { tell, violated }: Notes) {
  const faults: ("before" | "after")[] = [];
  let downUntil = 0;
  let calls = { at: 0, count: 0 };
  const weather: StoreWeather = {
    latency: turn(options.latencies, 0),
    fault: () => (time.now() < downUntil ? "before" : (faults.shift() ?? "none")),
    called() {
      calls = { at: time.now(), count: calls.at === time.now() ? calls.count + 1 : 1 };
      if (calls.count <= MANY_CALLS) return;
      if (calls.count === MANY_CALLS + 1) violated([`LIVELOCK: ${MANY_CALLS} store calls while no time passed`]);
      throw new Error("livelock");
    },
  };
  return {
    weather,
    downUntil: () => downUntil,
    outage(kind: "before" | "after", count: number) {
      tell(`store: ${count} calls fail ${kind} the write`);
      for (let call = 0; call < count; call += 1) faults.push(kind);
    },
    outageUntil(ms: number) {
      tell(`store: out of reach for ${ms} ms`);
      downUntil = time.now() + ms;
      faults.length = 0;
    },
  };
}

function turn<T>(list: readonly T[] | undefined, fallback: T): () => T {
  let at = 0;
  return () => (list && list.length > 0 ? (list[at++ % list.length] as T) : fallback);
}

const termsOf = ({ profile }: WorldOptions, lossAt: number, steppedBack: number): Terms => ({
  window: hasContract(profile) ? WINDOW : undefined,
  margin: MARGIN,
  serial: profile === "serial",
  lossAt,
  steppedBack,
});

const destinationOf = ({ profile, reality = {}, asksTheSame = false }: WorldOptions) => ({
  asksTheSame,
  window: hasContract(profile) ? (reality.window ?? WINDOW) : undefined,
  checksOnArrival: reality.checksOnArrival ?? overlapUnsafe(profile),
});

function lineOf({ by, id, version, before, after, change }: Write): string {
  const { row = "" } = JSON.parse(change.history?.at(-1) ?? "{}") as { row?: string };
  const marks = `${after.delivered ? ", delivered" : ""}${after.conflict ? ", CONFLICT" : ""}`;
  return `${by}: ${id} v${version} ${before?.state ?? "none"} -> ${after.state}${marks} ${row}`;
}
