/** One process: a guard with its own view of the store, its own wire and hook, and a death of its own. */

import type { Wire, WireEvidence } from "../../src/entries/wire.ts";
import { absent, applied, createGuard, type Guard, type ReconcileHook, unclear } from "../../src/index.ts";
import type { Ground } from "./ground.ts";
import { checkHandOver } from "./invariants.ts";
import { DEFINITION, policies, SERVER, STALENESS } from "./profiles.ts";
import { clockOf } from "./virtual-time.ts";
import { type Mortal, type StoreWeather, type WatchedStore, watchedStore } from "./watched-store.ts";

export interface Process extends Mortal {
  readonly guard: Guard;
  readonly store: WatchedStore;
  /** @param state of the question that what is sent answers */
  wire(state?: string): Wire;
  /** Operations whose success was heard here, and when. */
  readonly heard: ReadonlyMap<string, number>;
  /** The machine's clock is set, as after a sleep or by NTP. */
  stepWall(ms: number): void;
  /** Dies at the n-th port call from now. */
  dieAt(calls: number, point: "before" | "after"): void;
  die(): void;
}

export interface Machine {
  /** Lines of the spool; they outlive the process. */
  readonly spool: Set<string>;
  /** The line to the store. */
  readonly weather: StoreWeather;
}

const SECRET = "a secret of thirty-two bytes ....";
const never = <T>(): Promise<T> => new Promise(() => {});

export function startProcess(ground: Ground, name: string, { spool, weather }: Machine): Process {
  const { time, store, log, tell, options } = ground;
  const state = { alive: true, wallOffset: 0 };
  const { mortal, die, dieAt } = mortalOf(ground, name, state);
  const heard = new Map<string, number>();
  const wire = (state?: string) => wireOf(ground, mortal, heard, state);
  const watched = watchedStore(store.another(), log, time, weather, mortal, {
    append: async (line) => void (state.alive && spool.add(line)),
    lines: async () => [...spool],
    remove: async (gone) => {
      for (const line of state.alive ? gone : []) spool.delete(line);
    },
  });
  const guard = createGuard({
    store: watched,
    secret: SECRET,
    clock: clockOf(time, state),
    ...policies(options.profile, hookOf(ground, mortal)),
  });
  guard.toolsSeen(SERVER, [DEFINITION]);
  guard.connected(SERVER, wire());
  guard.on("conflict", ({ operation, reason }) => {
    tell(`${name}: conflict ${reason} on ${operation}`);
    ground.conflicts.push(`${reason} on ${ground.nameOf(operation)}`);
  });
  return {
    ...mortal,
    guard,
    store: watched,
    wire,
    heard,
    stepWall(ms) {
      tell(`${name}: wall clock stepped by ${ms} ms`);
      state.wallOffset += ms;
    },
    dieAt,
    die,
  };
}

function mortalOf({ tell, deaths }: Ground, name: string, state: { alive: boolean }) {
  let plan: { calls: number; readonly point: "before" | "after" } | undefined;
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
  const dieAt = (calls: number, point: "before" | "after") => {
    plan = { calls, point };
  };
  return { mortal, die, dieAt };
}

function hookOf({ destination, options, tell, nextLook }: Ground, mortal: Mortal): ReconcileHook {
  const staleness = options.reality?.staleness ?? STALENESS - 100;
  return async ({ operation }) => {
    if (!mortal.survives("before", "hook")) return never();
    const kind = nextLook();
    const found = destination.seen(operation, kind === "stale" ? staleness : 0);
    tell(`hook: ${operation} ${kind}, ${found} found`);
    if (kind === "hangs" || !mortal.survives("after", "hook")) return never();
    if (kind === "throws") throw new Error("the read failed");
    if (kind === "unclear") return unclear("the search was incomplete");
    const says = kind === "lies" ? (found > 0 ? 0 : 1) : found;
    return says > 0 ? applied({ ref: `order of ${operation}`, count: says }) : absent();
  };
}

function wireOf(ground: Ground, mortal: Mortal, heard: Map<string, number>, state: string | undefined): Wire {
  const { time, destination, tell, nextFate, handedOver, lost, log, violated } = ground;
  return {
    headers: false,
    async send(attempt): Promise<WireEvidence> {
      const fate = nextFate();
      if (fate.gate > 0) await time.sleep(fate.gate);
      if (!mortal.survives("before", "wire.send")) return never();
      const { operation, number } = attempt;
      if (!attempt.mayStart()) {
        tell(`${mortal.name}: ${operation} attempt ${number} may not start`);
        return { kind: "not_sent", cause: "permit_lost" };
      }
      const record = log.current(operation)?.after;
      const rounds = record?.legs?.length ?? 0;
      const name = `${operation}#${number}${rounds > 0 ? `/${rounds}` : ""}`;
      const answers = state === undefined ? "" : `, answers "${state}"`;
      tell(`${mortal.name}: ${name} is handed over (${fate.answer})${answers}`);
      const { key, ...args } = attempt.arguments;
      const arrives = fate.answer !== "connection_refused";
      const again = arrives && handedOver.has(name) && !lost.has(operation);
      const first = destination.first(operation);
      violated(
        checkHandOver({ operation, attempt: number, arguments: args, record, again, first, lost: lost.has(operation) }),
      );
      if (arrives) handedOver.add(name);
      const request = {
        operation,
        attempt: number,
        item: String(args.item),
        arguments: args,
        key: key as string | undefined,
        state,
      };
      const answer = destination.receive(request, fate);
      if (!mortal.survives("after", "wire.send")) return never();
      const evidence = await answer;
      if (!mortal.survives("before", "wire.answer")) return never();
      if (isSuccess(evidence)) heard.set(operation, time.now());
      return evidence;
    },
  };
}

const isSuccess = (evidence: WireEvidence): boolean =>
  evidence.kind === "result" && evidence.result.isError !== true && evidence.result.resultType === undefined;
