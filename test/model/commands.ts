/** What can happen in a run, as fast-check commands. Each acts at once; only `time passes` lets time go on. */
import fc from "fast-check";
import { ANSWERS, type Fate } from "./destination.ts";
import { decide, lookAtQueue, type Seen } from "./operator.ts";
import { type Profile, SETTLE } from "./profiles.ts";
import { type Asked, alive, answer, issue } from "./wanted.ts";
import type { World } from "./world.ts";

export interface Run {
  readonly world: World;
  readonly asked: Asked;
  readonly seen: Seen;
}

/** The abstract model holds nothing of its own: what is wanted is counted as calls go out and come back. */
export type Model = Record<string, never>;
export type Command = fc.AsyncCommand<Model, Run>;

const command = (name: string, act: (run: Run) => unknown): Command => ({
  check: () => true,
  async run(_model, run) {
    run.world.tell(`-- ${name}`);
    await act(run);
    await run.world.time.settle();
    await run.world.check();
    if (run.world.violations.length > 0) throw new Error(run.world.violations.join("\n"));
  },
  toString: () => name,
});

const process = fc.integer({ min: 0, max: 2 });

const calls = (ranks: readonly (1 | 2 | 3)[]) =>
  fc
    .record({
      process,
      item: fc.constantFrom("A", "A", "A", "B"),
      note: fc.constantFrom(0, 0, 0, 1),
      rank: fc.constantFrom(...ranks),
      /** 0: a new call; else the n-th call before is made once more, with its own identity (a resumed run). */
      again: fc.constantFrom(0, 0, 1, 2),
      listens: fc.constantFrom(true, true, true, false),
    })
    .map((plan) => command(`call ${JSON.stringify(plan)}`, ({ world, asked }) => issue(world, asked, plan)));

const answers = fc
  .record({
    process,
    pick: fc.constantFrom(0, 0, 0, 1, 2),
    named: fc.boolean(),
    listens: fc.constantFrom(true, true, true, false),
  })
  .map((plan) => command(`answer ${JSON.stringify(plan)}`, ({ world, asked }) => answer(world, asked, plan)));

const passes = fc
  .constantFrom(1, 30, 500, 1_000, 2_000, 3_000, 5_000, 8_000, 15_000, 40_000)
  .map((ms) => command(`time passes: ${ms} ms`, ({ world }) => world.time.advance(ms)));

const sweeps = process.map((index) =>
  command(`living process ${index + 1} sweeps`, ({ world }) => {
    const swept = world.processes[alive(world, index)]?.guard.sweep();
    swept?.catch(() => {});
  }),
);

const deaths = fc
  .record({ index: process, calls: fc.integer({ min: 0, max: 3 }), point: fc.constantFrom("before", "after") })
  .map(({ index, calls, point }) =>
    command(`P${index + 1} will die ${point} port call ${calls}`, ({ world }) =>
      world.processes[index]?.dieAt(calls, point),
    ),
  );
const kills = process.map((index) => command(`P${index + 1} is killed`, ({ world }) => world.processes[index]?.die()));
const restarts = process.map((index) => command(`P${index + 1} restarts`, ({ world }) => world.restart(index)));

const faults = fc
  .record({ kind: fc.constantFrom("before", "after"), calls: fc.integer({ min: 1, max: 2 }) })
  .map(({ kind, calls }) =>
    command(`store fails ${kind} the write, ${calls}x`, ({ world }) => world.outage(kind, calls)),
  );
const outages = fc
  .constantFrom(300, 4_000, 9_000)
  .map((ms) => command(`store is out of reach for ${ms} ms`, ({ world }) => world.outageUntil(ms)));
const ghosts = process.map((index) =>
  command(`P${index + 1}'s store client sends its last write again`, ({ world }) =>
    world.processes[index]?.store.ghost(),
  ),
);

const wallSteps = fc
  .record({ index: process, ms: fc.constantFrom(-3_600_000, -2_000, 2_000, 60_000) })
  .map(({ index, ms }) =>
    command(`P${index + 1} wall clock ${ms} ms`, ({ world }) => world.processes[index]?.stepWall(ms)),
  );
const storeSteps = fc
  .constantFrom(-800, -300, 300, 800)
  .map((ms) => command(`store clock ${ms} ms`, ({ world }) => world.stepStoreClock(ms)));

const looks = fc
  .integer({ min: 0, max: 3 })
  .map((pick) => command(`operator looks at queue item ${pick}`, ({ world, seen }) => lookAtQueue(world, seen, pick)));
const verdicts = fc
  .record({ resend: fc.boolean(), abandon: fc.constantFrom(false, false, false, true), override: fc.boolean() })
  .map((plan) => command(`operator decides ${JSON.stringify(plan)}`, ({ world, seen }) => decide(world, seen, plan)));

const losses = fc
  .constantFrom(1, 2_000, 60_000)
  .map((ms) => command(`store loses the last ${ms} ms`, ({ world }) => world.loseStore(ms)));

const stepsBack = fc
  .array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 3 })
  .map((picks) => command(`store loses newest versions ${picks}`, ({ world }) => world.loseNewest(picks)));

/** `whole`: also first versions, whole records. `newest`: every record stays, some as they were before their last write. */
export type Loss = "none" | "whole" | "newest";

export interface Kind {
  readonly loss: Loss;
  /** Calls are asked and answered again and again. */
  readonly rounds?: boolean;
}

const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

/** Where whole records are lost, only identities that carry their issue time are protected (I7). */
export function commands({ loss, rounds = false }: Kind, max: number) {
  const lost = { none: [], whole: [losses, stepsBack], newest: [stepsBack, stepsBack] }[loss];
  const weighted: fc.Arbitrary<Command>[] = [
    ...times(rounds ? 4 : 5, () => calls(loss === "whole" ? [1] : [1, 2, 3, 3])),
    ...times(rounds ? 10 : 1, () => answers),
    ...times(rounds ? 8 : 5, () => passes),
    ...times(rounds ? 1 : 3, () => sweeps),
    ...times(rounds ? 2 : 3, () => restarts),
    deaths,
    kills,
    faults,
    looks,
    verdicts,
    ...(rounds ? [] : [outages, ghosts, wallSteps, storeSteps]),
    ...lost,
  ];
  return fc.commands(weighted, { maxCommands: max, size: "max" });
}

/** Requests that stay inside the declared bounds: what lands, lands within the settle window of its hand-over. */
export const fates = (latest = SETTLE - 1_000): fc.Arbitrary<readonly Fate[]> =>
  fc.array(
    fc.record({
      gate: fc.constantFrom(0, 0, 0, 100, 1_500, 2_500),
      answer: fc.constantFrom("ok", "ok", "ok", ...ANSWERS),
      land: fc.constantFrom(0, 0, 20, 1_000, latest),
      reply: fc.constantFrom(0, 0, 50, 2_000, 25_000, null),
      cut: fc.constantFrom(null, null, 0, 10, 3_000),
    }),
    { minLength: 1, maxLength: 6 },
  );

/** A destination that asks before it does anything, and mostly answers at once. */
const asking: fc.Arbitrary<readonly Fate[]> = fc.array(
  fc.record({
    gate: fc.constantFrom(0, 0, 0, 0, 1_500),
    answer: fc.constantFrom("asks", "asks", "asks", "asks", "ok", "ok", "ok", ...ANSWERS),
    land: fc.constantFrom(0, 0, 0, 1_000),
    reply: fc.constantFrom(0, 0, 0, 0, 2_000, null),
    cut: fc.constantFrom(null, null, null, 10),
  }),
  { minLength: 1, maxLength: 6 },
);

export const looking = fc.array(fc.constantFrom("fresh", "stale", "fresh", "stale", "unclear", "throws", "hangs"), {
  minLength: 1,
  maxLength: 4,
}) satisfies fc.Arbitrary<readonly string[]>;

export const latencies = fc.array(fc.constantFrom(0, 0, 0, 1, 40, 600), { minLength: 1, maxLength: 5 });

export const worldOptions = (profiles: readonly Profile[], rounds: boolean) =>
  fc.record({
    profile: fc.constantFrom(...profiles),
    fates: rounds ? asking : fates(),
    looks: looking,
    latencies,
    asksTheSame: fc.constantFrom(false, false, true),
  });
