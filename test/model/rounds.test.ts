/** Calls that the server answers with a question: the answer comes from anywhere, twice, late or never (W1-08). */
import { describe, expect, test } from "vitest";
import { type Fate, PLAIN } from "./destination.ts";
import { DEADLINE, INPUT_FOR, LEASE, SETTLE } from "./profiles.ts";
import { type Story, tell, unheard } from "./story.ts";

const asks: Fate = { ...PLAIN, answer: "asks" };
const bare = { process: 1, named: false } as const;

/** A caller asks and hears the question. */
async function asked(story: Story): Promise<void> {
  story.ask({ rank: 2 });
  await story.passes(100);
  expect(story.world.outcomes).toMatchObject([{ kind: "uncertain", reason: "input_required" }]);
}

describe("The answer to a question", () => {
  test("goes on with the call from another process, after the first one's death and longer than a lease", async () => {
    const { found, world } = await tell({ profile: "manual", fates: [asks, PLAIN] }, async (story) => {
      await asked(story);
      story.world.processes[0]?.die();
      await story.passes(2 * LEASE);
      await story.sweeping(1);
      story.answer(bare);
      await story.passes(1_000);
      expect(story.states()).toEqual(["succeeded"]);
      expect(story.effects()).toBe(1);
    });
    expect(world.outcomes[1]).toMatchObject({ kind: "succeeded", attempts: 1 });
    expect(found).toEqual([]);
  });

  test("is sent once when two processes bring it at once, and when it comes again later", async () => {
    for (const asksTheSame of [false, true]) {
      const { found } = await tell({ profile: "manual", fates: [asks, PLAIN], asksTheSame }, async (story) => {
        await asked(story);
        story.answer(bare);
        story.answer({ process: 2 });
        await story.passes(1_000);
        story.answer({ ...bare, process: 2 });
        await story.sweeping(5);
        story.answer(bare);
        await story.passes(1_000);
        expect([story.world.handedOver.size, story.effects()]).toEqual([2, 1]);
      });
      expect(found).toEqual([]);
    }
  });

  test("is not sent when it comes too late, whoever notices", async () => {
    const { found, world } = await tell({ profile: "manual", fates: [asks, PLAIN] }, async (story) => {
      await asked(story);
      await story.passes(INPUT_FOR);
      story.answer(bare);
      await story.passes(100);
      expect(story.effects()).toBe(0);
      expect(story.states()).toEqual(["uncertain"]);
    });
    expect(world.outcomes[1]).toMatchObject({ kind: "uncertain", reason: "input_not_given" });
    expect(found).toEqual([]);
  });

  test("that never comes leaves a doubt for a person, for the server may have written before it asked", async () => {
    const wrote: Fate = { ...asks, answer: "asks_after_effect" };
    const { found } = await tell({ profile: "manual", fates: [wrote] }, async (story) => {
      await asked(story);
      await story.passes(INPUT_FOR);
      await story.sweeping(SETTLE / 1_000);
      expect((await story.world.desk.guard.queue.list()).items).toHaveLength(1);
    });
    expect(found).toEqual([]);
  });

  test("whose own answer is lost after the effect is in doubt, and is not sent again", async () => {
    const { found } = await tell({ profile: "manual", fates: [asks, unheard(), PLAIN] }, async (story) => {
      await asked(story);
      story.answer();
      await story.passes(100);
      story.answer(bare);
      story.ask({ process: 2 });
      await story.passes(DEADLINE);
      expect(story.states()).toEqual(["uncertain"]);
      expect(story.effects()).toBe(1);
    });
    expect(found).toEqual([]);
  });

  test("that is rejected closes nothing: the round before it may have written (I6)", async () => {
    const fates: Fate[] = [
      { ...asks, answer: "asks_after_effect" },
      { ...PLAIN, answer: "rejected" },
    ];
    const { found } = await tell({ profile: "manual", fates }, async (story) => {
      await asked(story);
      story.answer();
      await story.passes(100);
      expect(story.states()).toEqual(["uncertain"]);
    });
    expect(found).toEqual([]);
  });
});

describe("A store that loses what it knows between two rounds", () => {
  test("the taking of a question: the answer is not sent once more (I2)", async () => {
    const { found } = await tell({ profile: "manual", fates: [asks, unheard(), PLAIN] }, async (story) => {
      await asked(story);
      story.answer({ process: 1 });
      await story.passes(5);
      story.world.processes[1]?.die();
      story.world.loseNewest([0]);
      story.answer({ ...bare, process: 2 });
      await story.passes(DEADLINE);
      expect([story.world.handedOver.size, story.effects()]).toEqual([2, 1]);
    });
    expect(found).toEqual([]);
  });

  test("the question: an answer that belongs to none on record is not sent, for it may have been sent before (I7)", async () => {
    for (const named of [true, false]) {
      const { found, world } = await tell({ profile: "manual", fates: [asks, PLAIN] }, async (story) => {
        await asked(story);
        story.answer();
        await story.passes(100);
        story.world.loseStore(60_000);
        await story.passes(DEADLINE);
        story.answer({ process: 2, named });
        await story.passes(1_000);
        expect([story.world.handedOver.size, story.effects()]).toEqual([2, 1]);
      });
      expect(world.outcomes.at(-1)).toMatchObject({ kind: "refused", because: "question_lost" });
      expect(found).toEqual([]);
    }
  });

  test("nothing of it: the answer goes on with its call all the same, in any process", async () => {
    const { found } = await tell({ profile: "manual", fates: [asks, PLAIN] }, async (story) => {
      story.world.loseStore(1);
      await story.passes(DEADLINE);
      await asked(story);
      story.answer(bare);
      await story.passes(1_000);
      expect(story.states()).toEqual(["succeeded"]);
    });
    expect(found).toEqual([]);
  });

  test("the whole call: an answer whose call says when it was issued is taken in as uncertain (I7)", async () => {
    const { found } = await tell({ profile: "manual", fates: [asks, PLAIN] }, async (story) => {
      story.ask({ rank: 1 });
      await story.passes(100);
      story.answer({ process: 1 });
      await story.passes(100);
      expect(story.effects()).toBe(1);
      story.world.loseStore(60_000);
      story.answer({ process: 2 });
      await story.passes(1_000);
      expect(story.effects()).toBe(1);
      expect(story.states()).toEqual(["uncertain"]);
    });
    expect(found).toEqual([]);
  });
});
