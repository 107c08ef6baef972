/** Several processes, one store, one destination, one operator, one clock. Commands act on it; nothing else does. */
import { AsyncLocalStorage } from "node:async_hooks";
import { memoryStore } from "../../adapters/stores/memory/index.ts";
import {
  absent,
  applied,
  type CallContext,
  createGuard,
  type Guard,
  isIndoubtError,
  type Outcome,
  type ReconcileHook,
  unclear,
  type Wire,
} from "../../src/index.ts";
import { type Destination, destination, type Fate, PLAIN } from "./destination.ts";
import { checkHandOver, checkStanding, checkWrite, falseOutcome, named, type Terms } from "./invariants.ts";
import {
  DEADLINE,
  DEFINITION,
  hasContract,
  MARGIN,
  overlapUnsafe,
  type Profile,
  policies,
  SERVER,
  STALENESS,
  TOOL,
  WINDOW,
} from "./profiles.ts";
import { clockOf, START, type VirtualTime, virtualTime } from "./virtual-time.ts";
import {
  type Log,
  type Mortal,
  type StoreWeather,
  type WatchedStore,
  watchedStore,
  writeLog,
} from "./watched-store.ts";

export type Look = "fresh" | "stale" | "unclear" | "throws" | "hangs" | "lies";

export interface WorldOptions {
  readonly profile: Profile;
  /** Used in turn by the sends of the run, then from the start again. @default everything arrives at once */
  readonly fates?: readonly Fate[];
  readonly looks?: readonly Look[];
  readonly latencies?: readonly number[];
  /** What is really so where it differs from what was declared. */
  readonly reality?: { readonly window?: number; readonly staleness?: number; readonly checksOnArrival?: boolean };
  /** A duplicate, a false outcome or a conflict is what the run is for: do not report them as they happen. */
  readonly assumptionBroken?: boolean;
}

export interface Process extends Mortal {
  readonly guard: Guard;
  readonly store: WatchedStore;
  /** The machine's clock is set, as after a sleep or by NTP. */
  stepWall(ms: number): void;
  /** Dies at the n-th port call from now. */
  dieAt(calls: number, point: "before" | "after"): void;
  die(): void;
}

export interface CallPlan {
  readonly process: number;
  readonly item: string;
  readonly note?: number;
  readonly context?: CallContext;
  /** The caller hears the outcome; otherwise the host had stopped listening. @default true */
  readonly listens?: boolean;
  readonly onIssue?: () => void;
  /** A record was made for this call. */
  readonly onBegun?: () => void;
  readonly onHeard?: (outcome: Outcome) => void;
}

export interface World {
  readonly time: VirtualTime;
  readonly options: WorldOptions;
  readonly destination: Destination;
  readonly processes: Process[];
  readonly log: Log;
  /** The operator's own process; it does not die. */
  readonly desk: Process;
  readonly trace: string[];
  readonly violations: string[];
  readonly conflicts: string[];
  readonly handedOver: ReadonlySet<string>;
  readonly outcomes: Outcome[];
  /** Port calls at which a process died, e.g. `before store.swap`. */
  readonly deaths: readonly string[];
  readonly lost: ReadonlySet<string>;
  tell(line: string): void;
  call(plan: CallPlan): Promise<Outcome | undefined>;
  restart(index: number): void;
  outage(kind: "before" | "after", calls: number): void;
  outageUntil(ms: number): void;
  stepStoreClock(ms: number): void;
  loseStore(back: number): void;
  /** Checks the invariants that concern the standing of records. */
  check(): Promise<void>;
  end(): void;
}

const SECRET = "a secret of thirty-two bytes ....";

/** Further than this no store clock is off in a run with every assumption true: less than margins and settle windows leave. */
const CLOCK_SKEW = 400;
/** A living process has recorded what it heard by then. */
const TIME_TO_RECORD = 30_000;
/** More calls of the store than this at one instant mean that somebody turns in a circle. */
const MANY_CALLS = 1_000;

/** Which call a write is made for. One for all worlds: each one more slows down every promise of the process. */
const callers = new AsyncLocalStorage<CallPlan>();

export function newWorld(options: WorldOptions): World {
  const { profile, reality = {} } = options;
  const time = virtualTime();
  const uninstall = time.install();
  const trace: string[] = [];
  const violations: string[] = [];
  const conflicts: string[] = [];
  const outcomes: Outcome[] = [];
  const deaths: string[] = [];
  const names = new Map<string, string>();
  const lost = new Set<string>();
  const handedOver = new Set<string>();
  const firstArguments = new Map<string, string>();
  const heardSuccess = new Map<string, { readonly process: Process; readonly at: number }>();
  const spools = new Map<string, Set<string>>();
  let storeOffset = 0;
  let lossAt = -1;
  let downUntil = 0;
  const faults: ("before" | "after")[] = [];

  let highest = 0;
  /** A store never hands out an earlier time than before. */
  const storeNow = () => {
    highest = Math.max(highest, time.now() + storeOffset);
    return highest;
  };
  const tell = (line: string) => {
    let text = line;
    for (const [id, name] of names) text = text.replaceAll(id, name);
    trace.push(`${String(time.now() - START).padStart(7)} ms  ${text}`);
  };
  const violated = (found: readonly string[]) => {
    for (const text of found) {
      tell(`VIOLATED ${text}`);
      violations.push(text);
    }
  };
  const terms = (): Terms => ({
    window: hasContract(profile) ? WINDOW : undefined,
    margin: MARGIN,
    serial: profile === "serial",
    lossAt,
    now: storeNow(),
  });

  const shop = destination(
    time,
    {
      window: hasContract(profile) ? (reality.window ?? WINDOW) : undefined,
      checksOnArrival: reality.checksOnArrival ?? overlapUnsafe(profile),
    },
    tell,
  );
  const log = writeLog((write) => {
    if (!names.has(write.id)) names.set(write.id, `op${names.size + 1}`);
    const row = JSON.parse(write.change.history?.at(-1) ?? "{}") as { row?: string };
    const from = write.before?.state ?? "none";
    const marks = `${write.after.delivered ? ", delivered" : ""}${write.after.conflict ? ", CONFLICT" : ""}`;
    if (!write.before) callers.getStore()?.onBegun?.();
    tell(`${write.by}: ${write.id} v${write.version} ${from} -> ${write.after.state}${marks} ${row.row ?? ""}`);
    // A record that was taken back may be written anew from an older version: only effects are judged from then on.
    if (!lost.has(write.id)) violated(checkWrite(write, terms()));
  });
  const store = memoryStore({ now: storeNow });

  const turn = <T>(list: readonly T[] | undefined, fallback: T): (() => T) => {
    let at = 0;
    return () => (list && list.length > 0 ? (list[at++ % list.length] as T) : fallback);
  };
  const nextFate = turn(options.fates, PLAIN);
  const nextLook = turn(options.looks, "fresh");
  const latency = turn(options.latencies, 0);
  let calls = { at: 0, count: 0 };
  const weather: StoreWeather = {
    latency,
    called() {
      calls = { at: time.now(), count: calls.at === time.now() ? calls.count + 1 : 1 };
      if (calls.count <= MANY_CALLS) return;
      if (calls.count === MANY_CALLS + 1) violated([`LIVELOCK: ${MANY_CALLS} store calls while no time passed`]);
      throw new Error("livelock");
    },
    fault: () => (time.now() < downUntil ? "before" : (faults.shift() ?? "none")),
  };

  const lookAs =
    (mortal: Mortal): ReconcileHook =>
    async ({ operation }) => {
      if (!mortal.survives("before", "hook")) return new Promise(() => {});
      const kind = nextLook();
      const staleness = kind === "stale" ? (reality.staleness ?? STALENESS - 100) : 0;
      const found = shop.seen(operation, staleness);
      tell(`hook: ${operation} ${kind}, ${found} found`);
      if (kind === "hangs" || !mortal.survives("after", "hook")) return new Promise(() => {});
      if (kind === "throws") throw new Error("the read failed");
      if (kind === "unclear") return unclear("the search was incomplete");
      const says = kind === "lies" ? (found > 0 ? 0 : 1) : found;
      return says > 0 ? applied({ ref: `order of ${operation}`, count: says }) : absent();
    };

  function wireOf(process: () => Process): Wire {
    return {
      headers: false,
      async send(attempt) {
        const fate = nextFate();
        if (fate.gate > 0) await time.sleep(fate.gate);
        if (!process().survives("before", "wire.send")) return new Promise(() => {});
        if (!attempt.mayStart()) {
          tell(`${process().name}: ${attempt.operation} attempt ${attempt.number} may not start`);
          return { kind: "not_sent", cause: "permit_lost" };
        }
        const { operation, number } = attempt;
        const { key, ...args } = attempt.arguments;
        const name = `${operation}#${number}`;
        tell(`${process().name}: ${operation} attempt ${number} is handed over (${fate.answer})`);
        violated(
          checkHandOver({
            operation,
            attempt: number,
            arguments: attempt.arguments,
            record: log.current(operation)?.after,
            earlier: fate.answer !== "connection_refused" && handedOver.has(name) && !lost.has(operation) ? 1 : 0,
            first: firstArguments.get(operation),
            lost: lost.has(operation),
          }),
        );
        firstArguments.set(operation, firstArguments.get(operation) ?? JSON.stringify(args));
        if (fate.answer !== "connection_refused") handedOver.add(name);
        const item = String(args.item);
        const request = { operation, attempt: number, item, arguments: args, key: key as string | undefined };
        const heard = shop.receive(request, fate);
        if (!process().survives("after", "wire.send")) return new Promise(() => {});
        const evidence = await heard;
        if (!process().survives("before", "wire.answer")) return new Promise(() => {});
        if (evidence.kind === "result" && evidence.result.isError !== true)
          heardSuccess.set(operation, { process: process(), at: time.now() });
        return evidence;
      },
    };
  }

  /** @param conditions the operator's desk has a good line to the store */
  function startProcess(name: string, conditions: StoreWeather = weather): Process {
    const state = { alive: true, wallOffset: 0 };
    let plan: { calls: number; point: "before" | "after" } | undefined;
    const lines = spools.get(name) ?? new Set<string>();
    spools.set(name, lines);
    const die = () => {
      if (state.alive) tell(`${name}: DIES`);
      state.alive = false;
    };
    const mortal: Mortal = {
      name,
      alive: () => state.alive,
      survives(point, port) {
        if (state.alive && plan?.point === point && plan.calls-- <= 0) {
          deaths.push(`${point} ${port}`);
          die();
        }
        return state.alive;
      },
    };
    const watched = watchedStore(store.another(), log, time, conditions, mortal, {
      append: async (line) => void (state.alive && lines.add(line)),
      lines: async () => [...lines],
      remove: async (gone) => {
        for (const line of state.alive ? gone : []) lines.delete(line);
      },
    });
    const process: Process = {
      ...mortal,
      store: watched,
      stepWall(ms) {
        tell(`${name}: wall clock stepped by ${ms} ms`);
        state.wallOffset += ms;
      },
      die,
      dieAt(calls, point) {
        plan = { calls, point };
      },
      guard: createGuard({
        store: watched,
        secret: SECRET,
        clock: clockOf(time, state),
        ...policies(profile, lookAs(mortal)),
      }),
    };
    process.guard.toolsSeen(SERVER, [DEFINITION]);
    process.guard.connected(
      SERVER,
      wireOf(() => process),
    );
    process.guard.on("conflict", ({ operation, reason }) => {
      tell(`${name}: conflict ${reason} on ${operation}`);
      conflicts.push(`${reason} on ${operation}`);
    });
    return process;
  }

  const processes = ["P1", "P2", "P3"].map((name) => startProcess(name));
  const desk = startProcess("desk", { latency: () => 0, fault: () => "none", called: weather.called });

  async function call(plan: CallPlan): Promise<Outcome | undefined> {
    const process = processes[plan.process % processes.length] as Process;
    if (!process.alive()) return undefined;
    const { item, note = 0, context = {}, listens = true } = plan;
    plan.onIssue?.();
    tell(`${process.name}: call ${item}/${note} ${JSON.stringify(context)}`);
    const request = { deadline: DEADLINE, ...context, server: SERVER, tool: TOOL, arguments: { item, note } };
    const work = callers.run(plan, () =>
      process.guard.perform(
        request,
        wireOf(() => process),
      ),
    );
    const outcome = await work.catch((error: unknown) => {
      if (!isIndoubtError(error)) violated([`a call was thrown ${String(error)}`]);
      tell(`${process.name}: call ${item} is thrown ${String(error)}`);
      return undefined;
    });
    if (!outcome || !process.alive()) return undefined;
    outcomes.push(outcome);
    const marks = [outcome.recalled && "recalled", outcome.joined && "joined", outcome.heldBy && "held"].filter(
      Boolean,
    );
    tell(
      `${process.name}: ${item} -> ${outcome.kind} ${marks.join(" ")} ${outcome.operation}${listens ? "" : " (nobody listens)"}`,
    );
    if (listens) {
      process.guard.delivered(outcome);
      plan.onHeard?.(outcome);
    }
    return outcome;
  }

  return {
    time,
    options,
    destination: shop,
    processes,
    desk,
    log,
    trace,
    violations,
    conflicts,
    handedOver,
    deaths,
    outcomes,
    lost,
    tell,
    call,
    restart(index) {
      const old = processes[index % processes.length] as Process;
      old.die();
      tell(`${old.name}: starts again`);
      const fresh = startProcess(old.name);
      processes[index % processes.length] = fresh;
      fresh.guard.start().catch(() => {});
    },
    outage(kind, calls) {
      tell(`store: ${calls} calls fail ${kind} the write`);
      for (let count = 0; count < calls; count += 1) faults.push(kind);
    },
    outageUntil(ms) {
      tell(`store: out of reach for ${ms} ms`);
      downUntil = time.now() + ms;
      faults.length = 0;
    },
    stepStoreClock(ms) {
      storeOffset = Math.max(-CLOCK_SKEW, Math.min(CLOCK_SKEW, storeOffset + ms));
      tell(`store: its clock is stepped, it is now ${storeOffset} ms off`);
    },
    loseStore(back) {
      const since = storeNow() - back;
      store.loseEverythingSince(since);
      lossAt = storeNow();
      for (const id of log.lost(since)) lost.add(id);
      tell(`store: LOSES what was written in the last ${back} ms`);
    },
    async check() {
      const listed = new Set<string>();
      for (const index of ["open", "attention"] as const) {
        for (const { id } of (await store.list({ index, limit: 1000 })).items) listed.add(id);
      }
      for (const id of log.ids()) {
        const write = log.current(id);
        if (!write) continue;
        const standing = { id, write, effects: shop.effectsOf(id), listed: listed.has(id) };
        violated(checkStanding(standing));
        const wrong = lost.has(id) || options.assumptionBroken ? undefined : falseOutcome(standing);
        if (wrong) violated([`FALSE OUTCOME: ${wrong} (${names.get(id)})`]);
        if (standing.effects > 1 && !options.assumptionBroken)
          violated([`DUPLICATE: ${standing.effects} effects (${names.get(id)})`]);
      }
      for (const [id, { process, at }] of heardSuccess) {
        const { state, conflict } = log.current(id)?.after ?? {};
        const known = state === "succeeded" || state === "applied" || conflict || lost.has(id);
        if (!known && process.alive() && time.now() > Math.max(at, downUntil) + TIME_TO_RECORD)
          violated(named("I12", `a success was heard, but it is ${state}`, id));
      }
      if (conflicts.length > 0 && !options.assumptionBroken)
        violated([`CONFLICT although every assumption holds: ${conflicts.join("; ")}`]);
    },
    end: uninstall,
  };
}
