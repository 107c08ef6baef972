/** A run whose steps are written down instead of drawn: the shortest traces of the reference model, played on the engine. */

import { type Fate, PLAIN } from "./destination.ts";
import { bringToRest, judge } from "./ending.ts";
import { explain } from "./explain.ts";
import { type AnswerWish, type Asked, answer, type CallWish, issue, nothingAsked } from "./wanted.ts";
import { newWorld, type World, type WorldOptions } from "./world.ts";

export interface Story {
  readonly world: World;
  readonly asked: Asked;
  /** A caller asks for an item; process 0, item A, no operation id unless said otherwise. */
  ask(wish?: Partial<CallWish>): void;
  /** A caller answers a question; process 0, the newest question, with its call's identity unless said otherwise. */
  answer(wish?: Partial<AnswerWish>): void;
  passes(ms: number): Promise<void>;
  /** Every living process sweeps once a second, for so many seconds. */
  sweeping(seconds: number): Promise<void>;
  effects(): number;
  states(): string[];
}

/** The effect happens, and nobody hears of it: the connection breaks at once. */
export const unheard = (land = 0): Fate => ({ ...PLAIN, land, reply: null, cut: 10 });
/** Nothing arrives, and the connection breaks at once. */
export const lost: Fate = { ...PLAIN, answer: "lost", cut: 10 };

/** Plays it to its end. @returns what is wrong with the finished run, `[]` when nothing is, and the world as it stands then */
export async function tell(
  options: WorldOptions,
  script: (story: Story) => Promise<void>,
): Promise<{ found: string[]; world: World; trace: string }> {
  const world = newWorld(options);
  const asked = nothingAsked();
  const passes = world.time.advance;
  try {
    await script({
      world,
      asked,
      ask: (wish) => issue(world, asked, { process: 0, item: "A", note: 0, rank: 3, again: 0, listens: true, ...wish }),
      answer: (wish) => answer(world, asked, { process: 0, pick: 0, named: true, listens: true, ...wish }),
      passes,
      async sweeping(seconds) {
        for (let second = 0; second < seconds; second += 1) {
          for (const process of world.processes) if (process.alive()) process.guard.sweep().catch(() => {});
          await passes(1_000);
        }
      },
      effects: () => world.destination.effects.length,
      states: () => world.log.ids().map((id) => world.log.current(id)?.after.state ?? "gone"),
    });
    await bringToRest(world);
    const found = await judge(world, asked);
    return { found, world, trace: explain(world, found) };
  } finally {
    world.end();
  }
}
