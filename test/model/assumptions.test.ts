/**
 * What happens when an assumption of the guarantees is false: the duplicate that they name, seen by the same judge that
 * finds nothing in all other runs. A model that cannot see a duplicate proves nothing.
 */
import { describe, expect, test } from "vitest";
import { PLAIN } from "./destination.ts";
import { LEASE, type Profile, SETTLE, STALENESS, WINDOW } from "./profiles.ts";
import { lost, type Story, tell, unheard } from "./story.ts";
import type { WorldOptions } from "./world.ts";

interface Broken {
  readonly name: string;
  readonly options: WorldOptions;
  script(story: Story): Promise<void>;
}

const askAndSweep = async (story: Story) => {
  story.ask();
  await story.sweeping(60);
};

const abandoned = (profile: Profile, fates: WorldOptions["fates"]) => ({ profile, ...(fates && { fates }) });

const BROKEN: readonly Broken[] = [
  {
    name: "A2: a write lands after the settle window",
    options: abandoned("hook", [unheard(SETTLE + 3 * STALENESS + 10_000), PLAIN]),
    script: askAndSweep,
  },
  {
    name: "A4: a read is older than its declared staleness",
    options: { ...abandoned("hook", [unheard(), PLAIN]), looks: ["stale"], reality: { staleness: 60_000 } },
    script: askAndSweep,
  },
  {
    name: "A5: the hook says absent where the effect is",
    options: { ...abandoned("hook", [unheard(), PLAIN]), looks: ["lies"] },
    script: askAndSweep,
  },
  {
    name: "A6: an operator orders a resend without looking",
    options: abandoned("manual", [unheard(), PLAIN]),
    async script(story) {
      story.ask();
      await story.sweeping(70);
      const [item] = (await story.world.desk.guard.queue.list()).items;
      const order = {
        verdict: "resend",
        version: item?.version ?? 0,
        actor: "Ada",
        reason: "it must be gone",
      } as const;
      await story.world.desk.guard.queue.resolve(item?.id ?? "", order);
      await story.sweeping(5);
    },
  },
  {
    name: "A7: the destination forgets keys before its contract says so",
    options: { ...abandoned("contract", [{ ...PLAIN, reply: null }, PLAIN]), reality: { window: 5_000 } },
    async script(story) {
      story.ask();
      await story.passes(100);
      story.world.processes[0]?.die();
      await story.passes(LEASE + 10_000);
      await story.sweeping(5);
    },
  },
  {
    name: "A8: overlapping repeats of a key both take effect",
    options: { ...abandoned("contract", [unheard(4_000), PLAIN]), reality: { checksOnArrival: true } },
    script: askAndSweep,
  },
  {
    name: "A3: the store forgets a record of a call that carries no issue time",
    options: abandoned("manual", [PLAIN]),
    async script(story) {
      story.ask({ listens: false });
      await story.passes(1_000);
      story.world.loseStore(60_000);
      await story.passes(1);
      story.ask({ process: 1 });
      await story.passes(1_000);
    },
  },
];

describe("A broken assumption shows", () => {
  for (const { name, options, script } of BROKEN) {
    test(`${name}: the effect happens twice, and the judge says so`, async () => {
      const { found, world, trace } = await tell({ ...options, assumptionBroken: true }, script);
      expect(world.destination.effects, trace).toHaveLength(2);
      expect(found.join("\n")).toContain("DUPLICATE: 2 effects of A, 1 wanted");
    });
  }

  test("A5: a hook that sees an effect where there is none makes a false outcome", async () => {
    const options = { profile: "observe", fates: [lost], looks: ["lies"] } as const;
    const { found, world } = await tell(options, askAndSweep);
    expect(world.destination.effects).toHaveLength(0);
    expect(found.join("\n")).toContain("FALSE OUTCOME: applied, but there is no effect");
  });

  test("the same stories are quiet when the assumption holds", async () => {
    const kept: WorldOptions[] = [
      { profile: "hook", fates: [unheard(SETTLE - 1_000), PLAIN] },
      { profile: "hook", fates: [unheard(), PLAIN], looks: ["stale"] },
      { profile: "contract", fates: [unheard(4_000), PLAIN], reality: { window: WINDOW } },
    ];
    for (const options of kept) expect((await tell(options, askAndSweep)).found).toEqual([]);
  });
});
