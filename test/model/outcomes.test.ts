/** Answers, repeated wishes and decisions, as the reference model tells them: each rule that was dropped there holds here. */
import { describe, expect, test } from "vitest";
import { PLAIN } from "./destination.ts";
import { DEADLINE } from "./profiles.ts";
import { lost, tell, unheard } from "./story.ts";

const first = { rank: 1 } as const;

describe("An answer speaks for what it is", () => {
  test("a rejected resend does not close the first attempt (I6, bug.reject-on-replay)", async () => {
    const rejected = { ...PLAIN, answer: "rejected" } as const;
    const { found } = await tell({ profile: "contract", fates: [unheard(), rejected] }, async (story) => {
      story.ask();
      await story.passes(DEADLINE + 1_000);
      expect(story.states()).not.toContain("rejected");
    });
    expect(found).toEqual([]);
  });

  test("a tool error after the effect is not taken for a rejection (I9)", async () => {
    const error = { ...PLAIN, answer: "tool_error_after_effect" } as const;
    const { found } = await tell({ profile: "observe", fates: [error] }, async (story) => {
      story.ask();
      await story.sweeping(15);
      expect(story.states()).toEqual(["applied"]);
    });
    expect(found).toEqual([]);
  });

  test("an answer that comes after the deadline settles the operation (I12)", async () => {
    const { found } = await tell(
      { profile: "manual", fates: [{ ...PLAIN, reply: DEADLINE + 5_000 }] },
      async (story) => {
        story.ask();
        await story.passes(DEADLINE + 6_000);
        expect(story.states()).toEqual(["succeeded"]);
      },
    );
    expect(found).toEqual([]);
  });

  test("an answer that the store could not take is written by the next life of the process (I12)", async () => {
    const { found, world } = await tell({ profile: "manual", fates: [{ ...PLAIN, reply: 500 }] }, async (story) => {
      story.ask();
      await story.passes(100);
      story.world.outageUntil(8_000);
      await story.passes(5_000);
      story.world.restart(0);
      await story.passes(10_000);
      expect(story.states()).toEqual(["succeeded"]);
    });
    expect(world.outcomes).toMatchObject([{ kind: "succeeded", recorded: false }]);
    expect(found).toEqual([]);
  });
});

describe("One wish, one operation", () => {
  test("a result that nobody received is recalled, not repeated (bug.reissue-unguarded)", async () => {
    const { found, world } = await tell({ profile: "manual" }, async (story) => {
      story.ask({ listens: false });
      await story.passes(1_000);
      story.ask({ process: 1 });
      await story.passes(1_000);
      expect(story.effects()).toBe(1);
    });
    expect(world.outcomes).toMatchObject([{ kind: "succeeded" }, { kind: "succeeded", recalled: true }]);
    expect(found).toEqual([]);
  });

  test("a result that was received is not: the same call is another write", async () => {
    const { found } = await tell({ profile: "manual" }, async (story) => {
      story.ask();
      await story.passes(1_000);
      story.ask();
      await story.passes(1_000);
      expect(story.effects()).toBe(2);
    });
    expect(found).toEqual([]);
  });

  test("a call with other arguments that is told of it does not receive its result: it is recalled after that too (D7-03)", async () => {
    const { found, world } = await tell({ profile: "manual" }, async (story) => {
      story.ask({ listens: false });
      await story.passes(1_000);
      story.ask({ note: 1 });
      await story.passes(1_000);
      story.ask();
      await story.passes(1_000);
      expect(story.effects()).toBe(1);
    });
    expect(world.outcomes.slice(1)).toMatchObject([
      { differentArguments: true },
      { kind: "succeeded", recalled: true },
    ]);
    expect(found).toEqual([]);
  });

  test("while the first is in doubt, the model's repeat is held, with other words too (I9)", async () => {
    const { found, world } = await tell({ profile: "manual", fates: [unheard()] }, async (story) => {
      story.ask();
      await story.passes(1_000);
      story.ask({ process: 1 });
      await story.passes(1_000);
      story.ask({ process: 2, note: 1 });
      await story.passes(1_000);
      expect(story.effects()).toBe(1);
    });
    expect(world.outcomes.slice(1)).toMatchObject([
      { kind: "uncertain" },
      { kind: "uncertain", differentArguments: true },
    ]);
    expect(found).toEqual([]);
  });

  test("an operation id of its own waits for a resend of an equal call, and is not told that call's outcome (I1)", async () => {
    const fates = [unheard(), { ...PLAIN, reply: 2_000 }, PLAIN];
    const { found, world } = await tell({ profile: "contract", fates }, async (story) => {
      story.ask({ listens: false });
      await story.passes(1_000);
      expect(story.states()).toEqual(["in_flight"]);
      story.ask({ process: 1, rank: 1 });
      await story.passes(5_000);
      story.ask({ process: 2 });
      await story.passes(1_000);
      expect(story.effects()).toBe(2);
    });
    expect(world.outcomes.at(-1)).toMatchObject({ kind: "succeeded", recalled: true });
    expect(found).toEqual([]);
  });

  test("an operation id with other arguments is refused (I10)", async () => {
    const { found, world } = await tell({ profile: "manual" }, async (story) => {
      const context = { operationId: "order-7" };
      for (const note of [0, 1]) {
        await Promise.all([story.world.call({ process: note, item: "A", note, context }), story.passes(1_000)]);
      }
      story.asked.wanted.set("A", 1);
      expect(story.effects()).toBe(1);
    });
    expect(world.outcomes).toMatchObject([{ kind: "succeeded" }, { kind: "refused", because: "other_arguments" }]);
    expect(found).toEqual([]);
  });

  test("an intent from before a known loss is adopted, not sent (I7, asm.A3-amnesia)", async () => {
    const { found } = await tell({ profile: "manual" }, async (story) => {
      story.ask(first);
      await story.passes(1_000);
      story.world.loseStore(60_000);
      story.ask({ again: 1, process: 1 });
      await story.passes(1_000);
      expect(story.effects()).toBe(1);
      expect(story.states()).toEqual(["uncertain"]);
    });
    expect(found).toEqual([]);
  });
});

describe("A person's decision", () => {
  const inTheQueue = { profile: "manual", fates: [lost, PLAIN], latencies: [0, 5, 40] } as const;

  test("an order to send is carried out once, whoever sees it (I2, each permit is spent once)", async () => {
    const { found } = await tell(inTheQueue, async (story) => {
      story.ask();
      await story.passes(70_000);
      await story.sweeping(2);
      const [item] = (await story.world.desk.guard.queue.list()).items;
      const decision = { verdict: "resend", version: item?.version ?? 0, actor: "Ada", reason: "not there" } as const;
      await story.world.desk.guard.queue.resolve(item?.id ?? "", decision);
      await story.sweeping(3);
      expect(story.effects()).toBe(1);
      expect(story.world.handedOver.size).toBe(2);
    });
    expect(found).toEqual([]);
  });

  test("counts for the version that was looked at, not for what came after (I3, bug.no-cas)", async () => {
    const { found } = await tell({ ...inTheQueue, fates: [lost, unheard()] }, async (story) => {
      const { queue } = story.world.desk.guard;
      story.ask();
      await story.passes(71_000);
      await story.sweeping(2);
      const [item] = (await queue.list()).items;
      const { id = "", version = 0 } = item ?? {};
      await queue.resolve(id, { verdict: "resend", version, actor: "Bob", reason: "not there" });
      await story.sweeping(80);
      expect(story.effects()).toBe(1);
      const late = queue.resolve(id, { verdict: "not_applied", version, actor: "Ada", reason: "not there" });
      await expect(late).rejects.toMatchObject({ code: "RESOLUTION_CONFLICT" });
    });
    expect(found).toEqual([]);
  });

  test("before quiescence it needs an override", async () => {
    const { found } = await tell({ ...inTheQueue, fates: [unheard(4_000)] }, async (story) => {
      story.ask();
      await story.passes(2_000);
      const [item] = (await story.world.desk.guard.queue.list({ index: "open" })).items;
      const decision = { verdict: "not_applied", version: item?.version ?? 0, actor: "Ada", reason: "gone" } as const;
      await expect(story.world.desk.guard.queue.resolve(item?.id ?? "", decision)).rejects.toMatchObject({
        code: "RESOLUTION_CONFLICT",
      });
    });
    expect(found).toEqual([]);
  });
});
