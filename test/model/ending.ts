/** After a run: everything comes back, time passes, sweepers sweep and an operator answers truthfully. Then nothing may be stuck. */
import { isSettled } from "../../src/core/terms.ts";
import { decide, lookAtQueue } from "./operator.ts";
import { type Asked, surplus } from "./wanted.ts";
import type { World } from "./world.ts";

const ROUNDS = 60;

export async function bringToRest(world: World): Promise<void> {
  world.tell("-- the end: all processes restart, time passes");
  for (const index of world.processes.keys()) world.restart(index);
  for (let round = 0; round < ROUNDS; round += 1) {
    await world.time.advance(20_000);
    await sweepToEnd(world);
    await answerQueue(world);
    if (world.log.ids().every((id) => isSettled(world.log.current(id)?.after.state ?? "ready"))) break;
  }
  await world.time.advance(100_000);
  for (const process of [...world.processes, world.desk]) process.die();
}

async function sweepToEnd(world: World): Promise<void> {
  let over = false;
  const swept = world.desk.guard.sweep().finally(() => {
    over = true;
  });
  for (let second = 0; !over && second < 300; second += 1) await world.time.advance(1_000);
  if (!over) throw new Error("a sweep did not end within five minutes");
  await swept;
}

async function answerQueue(world: World): Promise<void> {
  const { items } = await world.desk.guard.queue.list();
  for (const index of items.keys()) {
    const seen = {};
    await lookAtQueue(world, seen, index);
    await decide(world, seen, { resend: false, abandon: false, override: false });
  }
}

/** What must be true of a finished run, with every assumption true. */
export async function judge(world: World, asked: Asked): Promise<string[]> {
  await world.check();
  const duplicates = surplus(world, asked);
  if (world.violations.length > 0) return [...new Set([...world.violations, ...duplicates])];
  const stuck = world.log.ids().flatMap((id) => {
    const { state } = world.log.current(id)?.after ?? {};
    return state && isSettled(state) ? [] : [`STUCK: ${id} is ${state} for ever`];
  });
  const invisible = [...world.handedOver].flatMap((name) => {
    const id = name.split("#")[0] ?? "";
    return world.log.current(id) || world.lost.has(id) ? [] : [`INVISIBLE: ${id} was handed over and has no record`];
  });
  return [...new Set([...stuck, ...invisible, ...duplicates])];
}
