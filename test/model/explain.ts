/** The shortest counterexample as a text that can be read from top to bottom. */
import type { World } from "./world.ts";

export function explain(world: World, found: readonly string[]): string {
  const { profile, fates, looks, latencies, asksTheSame = false } = world.options;
  return [
    ...found,
    "",
    `profile ${profile}`,
    `fates ${JSON.stringify(fates)}`,
    `looks ${JSON.stringify(looks)}  latencies ${JSON.stringify(latencies)}  asks the same: ${asksTheSame}`,
    "",
    ...world.trace,
  ].join("\n");
}
