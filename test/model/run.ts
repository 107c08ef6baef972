/** One run: a world, its commands, the end, the judgement. */
import fc from "fast-check";
import { type Command, commands, type Kind, type Run, worldOptions } from "./commands.ts";
import { bringToRest, judge } from "./ending.ts";
import { explain } from "./explain.ts";
import type { Profile } from "./profiles.ts";
import { nothingAsked } from "./wanted.ts";
import { newWorld, type WorldOptions } from "./world.ts";

/** Runs of a property: 300 by default. @example MODEL_RUNS=20000 MODEL_SEED=7 npx vitest run test/model */
export const RUNS = Number(process.env.MODEL_RUNS ?? 300);
const COMMANDS = Number(process.env.MODEL_COMMANDS ?? 40);

export const totals = { runs: 0, steps: 0, effects: 0, handedOver: 0, writes: 0 };

/** @returns what is wrong, with its trace; undefined when nothing is */
export async function play(options: WorldOptions, script: Iterable<Command>): Promise<string | undefined> {
  const world = newWorld(options);
  const run: Run = { world, asked: nothingAsked(), seen: {} };
  try {
    await fc
      .asyncModelRun(() => ({ model: {}, real: run }), script)
      .catch((error: unknown) => {
        if (world.violations.length === 0) world.violations.push(String(error));
      });
    if (world.violations.length === 0) await bringToRest(world);
    const found = await judge(world, run.asked);
    totals.runs += 1;
    totals.steps += world.trace.length;
    totals.effects += world.destination.effects.length;
    totals.handedOver += world.handedOver.size;
    totals.writes += world.log.writes.length;
    return found.length > 0 ? explain(world, found) : undefined;
  } finally {
    world.end();
  }
}

/** @throws with the shortest counterexample found, as a trace */
export async function holds(profiles: readonly Profile[], options: Kind & { readonly runs?: number }) {
  const result = await fc.check(
    fc.asyncProperty(
      worldOptions(profiles, options.rounds === true),
      commands(options, COMMANDS),
      async (world, script) => {
        const wrong = await play(world, script);
        if (wrong !== undefined) throw new Error(wrong);
      },
    ),
    {
      numRuns: Math.ceil(options.runs ?? RUNS),
      unbiased: true,
      interruptAfterTimeLimit: Number(process.env.MODEL_TIME ?? 120_000),
      ...(process.env.MODEL_SEED !== undefined && { seed: Number(process.env.MODEL_SEED) }),
    },
  );
  if (!result.failed) return;
  const seed = `MODEL_SEED=${result.seed}, run ${result.numRuns}, shrunk ${result.numShrinks} times`;
  const text = result.errorInstance instanceof Error ? result.errorInstance.message : String(result.errorInstance);
  throw new Error(`${seed}\n${text}`);
}
