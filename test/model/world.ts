/** Several processes, one store, one destination, one operator, one clock. Commands act on it; nothing else does. */
import { type CallContext, isIndoubtError, type Outcome } from "../../src/index.ts";
import { callers, type Ground, newGround, type WorldOptions } from "./ground.ts";
import { checkStanding, falseOutcome, named } from "./invariants.ts";
import { type Process, startProcess } from "./process.ts";
import { DEADLINE, SERVER, TOOL } from "./profiles.ts";

export type { WorldOptions } from "./ground.ts";

export interface CallPlan {
  readonly process: number;
  readonly item: string;
  readonly note?: number;
  readonly context?: CallContext;
  /** It answers the question that came with this state. */
  readonly state?: string;
  /** The caller hears the outcome; otherwise the host had stopped listening. @default true */
  readonly listens?: boolean;
  readonly onIssue?: () => void;
  /** A record was made for this call. */
  readonly onBegun?: () => void;
  readonly onHeard?: (outcome: Outcome) => void;
}

export interface World extends Ground {
  readonly processes: Process[];
  /** The operator's own process, with a good line to the store; it does not die. */
  readonly desk: Process;
  readonly outcomes: Outcome[];
  call(plan: CallPlan): Promise<Outcome | undefined>;
  restart(index: number): void;
  /** Checks what concerns the standing of records. */
  check(): Promise<void>;
}

/** A living process has recorded what it heard by then. */
const TIME_TO_RECORD = 30_000;

export function newWorld(options: WorldOptions): World {
  const ground = newGround(options);
  const machines = new Map(
    ["P1", "P2", "P3"].map((name) => [name, { spool: new Set<string>(), weather: ground.weather }]),
  );
  const start = (name: string) =>
    startProcess(ground, name, machines.get(name) as NonNullable<ReturnType<typeof machines.get>>);
  const processes = [...machines.keys()].map(start);
  const fair = { latency: () => 0, fault: () => "none" as const, called: ground.weather.called };
  const desk = startProcess(ground, "desk", { spool: new Set(), weather: fair });
  const outcomes: Outcome[] = [];

  return {
    ...ground,
    processes,
    desk,
    outcomes,
    call: (plan) => call(ground, processes[plan.process % processes.length] as Process, plan, outcomes),
    restart(index) {
      const old = processes[index % processes.length] as Process;
      old.die();
      ground.tell(`${old.name}: starts again`);
      const fresh = start(old.name);
      processes[index % processes.length] = fresh;
      fresh.guard.start().catch(() => {});
    },
    check: () => check(ground, processes),
  };
}

async function call(
  ground: Ground,
  process: Process,
  plan: CallPlan,
  outcomes: Outcome[],
): Promise<Outcome | undefined> {
  if (!process.alive()) return undefined;
  const { tell } = ground;
  const { name, guard, wire } = process;
  const { item, note = 0, context = {}, state, listens = true } = plan;
  plan.onIssue?.();
  const answers = state === undefined ? "" : `, answers "${state}"`;
  tell(`${name}: call ${item}/${note} ${JSON.stringify(context)}${answers}`);
  const leg = state === undefined ? {} : { leg: { requestState: state } };
  const request = { deadline: DEADLINE, ...context, ...leg, server: SERVER, tool: TOOL, arguments: { item, note } };
  const outcome = await callers
    .run(plan, () => guard.perform(request, wire(state)))
    .catch((error: unknown) => {
      if (!isIndoubtError(error)) ground.violated([`a call was thrown ${String(error)}`]);
      tell(`${name}: call ${item} is thrown ${String(error)}`);
      return undefined;
    });
  if (!outcome || !process.alive()) return undefined;
  outcomes.push(outcome);
  const { recalled, joined, heldBy } = outcome;
  const marks = [recalled && "recalled", joined && "joined", heldBy && "held", !listens && "nobody listens"];
  tell(`${name}: ${item} -> ${outcome.kind} ${outcome.operation} ${marks.filter(Boolean).join(", ")}`);
  if (listens) {
    guard.delivered(outcome);
    plan.onHeard?.(outcome);
  }
  return outcome;
}

async function check(ground: Ground, processes: readonly Process[]): Promise<void> {
  const { log, lost, violated, conflicts, nameOf, options } = ground;
  const listed = new Set<string>();
  for (const index of ["open", "attention"] as const) {
    for (const { id } of (await ground.store.list({ index, limit: 1000 })).items) listed.add(id);
  }
  for (const id of log.ids()) {
    const write = log.current(id);
    if (!write) continue;
    const bornSettled = log.bornSettled(id);
    const standing = { id, write, effects: ground.destination.effectsOf(id), listed: listed.has(id), bornSettled };
    violated(checkStanding(standing));
    if (options.assumptionBroken) continue;
    const wrong = lost.has(id) ? undefined : falseOutcome(standing);
    if (wrong) violated([`FALSE OUTCOME: ${wrong} (${nameOf(id)})`]);
    if (standing.effects > 1) violated([`DUPLICATE: ${standing.effects} effects (${nameOf(id)})`]);
  }
  for (const process of processes) violated(unheard(ground, process));
  if (conflicts.length > 0 && !options.assumptionBroken)
    violated([`CONFLICT although every assumption holds: ${conflicts.join("; ")}`]);
}

/** I12: what a living process has heard is on record after a while. */
function unheard({ log, lost, time, downUntil }: Ground, process: Process): string[] {
  return [...process.heard].flatMap(([id, at]) => {
    const { state, conflict } = log.current(id)?.after ?? {};
    const known = state === "succeeded" || state === "applied" || conflict || lost.has(id);
    const late = process.alive() && time.now() > Math.max(at, downUntil()) + TIME_TO_RECORD;
    return !known && late ? named("I12", `a success was heard, but it is ${state}`, id) : [];
  });
}
