/**
 * The process dies before or after each single port call of a guarded call: at every `begin`, `swap`, `read`, hand-over,
 * answer, look. Then the caller asks again elsewhere, another process sweeps, and a person answers what is left (I2, I5, I11).
 */
import { describe, expect, test } from "vitest";
import { PLAIN } from "../../model/destination.ts";
import { DEADLINE, hasContract, hasHook, LEASE, PROFILES, type Profile } from "../../model/profiles.ts";
import { lost, tell, unheard } from "../../model/story.ts";
import type { WorldOptions } from "../../model/world.ts";

const MOST_CALLS = 40;

const NETWORKS: Readonly<Record<string, WorldOptions["fates"]>> = {
  "the reply comes": [PLAIN],
  "the reply is lost": [unheard(), { ...PLAIN, reply: 20 }],
  "the effect lands late": [unheard(4_000), PLAIN],
  "the request is lost": [lost, PLAIN],
};

async function dieEverywhere(profile: Profile, fates: WorldOptions["fates"], point: "before" | "after") {
  const deaths = new Set<string>();
  const wrong: string[] = [];
  for (let calls = 0; calls < MOST_CALLS; calls += 1) {
    const options = { profile, ...(fates && { fates }), latencies: [0, 5] };
    const { found, world, trace } = await tell(options, async (story) => {
      story.world.processes[0]?.dieAt(calls, point);
      story.ask({ rank: 2 });
      await story.passes(DEADLINE);
      story.world.processes[0]?.guard.sweep().catch(() => {});
      await story.passes(LEASE);
      story.world.processes[0]?.die();
      story.ask({ rank: 2, process: 1 });
      await story.sweeping(12);
    });
    if (found.length > 0) wrong.push(trace);
    if (world.deaths.length === 0) break;
    for (const death of world.deaths) deaths.add(death);
  }
  return { deaths, wrong };
}

const foundByHook = (profile: Profile, fates: string) => hasHook(profile) && fates === "the reply is lost";

/** Ports at which the process must have died in one of the runs. */
const expected = (profile: Profile, fates: string): string[] => [
  "store.begin",
  "store.swap",
  "wire.send",
  ...(hasHook(profile) && fates !== "the reply comes" ? ["hook", "store.read"] : []),
  ...(hasContract(profile) && fates !== "the reply comes" && !foundByHook(profile, fates) ? ["store.suspensions"] : []),
];

for (const profile of PROFILES) {
  describe(`A process that dies at any port call, ${profile.replaceAll("_", " ")}`, () => {
    for (const [name, fates] of Object.entries(NETWORKS)) {
      for (const point of ["before", "after"] as const) {
        test(`${point} it, while ${name}: nothing twice, nothing invisible`, { timeout: 120_000 }, async () => {
          const { deaths, wrong } = await dieEverywhere(profile, fates, point);
          expect(wrong[0]).toBeUndefined();
          expect([...deaths]).toEqual(
            expect.arrayContaining(expected(profile, name).map((port) => `${point} ${port}`)),
          );
        });
      }
    }
  });
}
