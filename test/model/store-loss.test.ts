/** A store that lost the newest versions of records and knows it: what is left is not taken for all there was. */
import { describe, expect, test } from "vitest";
import { PLAIN } from "./destination.ts";
import { DEADLINE, LEASE, SETTLE } from "./profiles.ts";
import { lost, type Story, tell, unheard } from "./story.ts";
import { uuidv7 } from "./wanted.ts";

const rejected = { ...PLAIN, answer: "rejected" } as const;

/** Sweeps until a second attempt was handed over. */
async function untilSentAgain(story: Story): Promise<void> {
  for (let round = 0; round < 300 && story.world.handedOver.size < 2; round += 1) {
    for (const { guard } of story.world.processes) guard.sweep().catch(() => {});
    await story.passes(100);
  }
}

describe("After a known loss", () => {
  test("a permit whose spending a known loss took back is not spent once more (I2, I7)", async () => {
    const fates = [lost, unheard(4_800), PLAIN];
    const { found, world } = await tell({ profile: "hook", fates }, async (story) => {
      story.ask({ rank: 1 });
      await untilSentAgain(story);
      story.world.loseStore(200);
      await story.sweeping(30);
    });
    expect(world.destination.effects).toHaveLength(1);
    expect(found).toEqual([]);
  });

  test("an order to send again that was carried out is not carried out once more (I2)", async () => {
    const { found, world, trace } = await tell(
      { profile: "manual", fates: [lost, unheard(), PLAIN] },
      async (story) => {
        story.ask();
        await story.sweeping(75);
        const [item] = (await story.world.desk.guard.queue.list()).items;
        const order = { verdict: "resend", version: item?.version ?? 0, actor: "Ada", reason: "not there" } as const;
        await story.world.desk.guard.queue.resolve(item?.id ?? "", order);
        await untilSentAgain(story);
        await story.passes(1_000);
        while (story.states()[0] !== "ready") story.world.loseNewest([0]);
        await story.sweeping(20);
        expect(story.effects()).toBe(1);
      },
    );
    expect(world.destination.effects, trace).toHaveLength(1);
    expect(found).toEqual([]);
  });

  test("what was told as rejected, and is in doubt again, is not made good by a resend (I2)", async () => {
    for (const profile of ["hook", "hook_and_contract", "contract"] as const) {
      const { found, world, trace } = await tell({ profile, fates: [rejected, PLAIN] }, async (story) => {
        story.ask();
        await story.passes(100);
        story.world.loseNewest([0]);
        story.ask({ process: 1, rank: 1 });
        await story.passes(1_000);
        await story.sweeping(60);
      });
      expect(world.destination.effects, trace).toHaveLength(1);
      expect(found).toEqual([]);
    }
  });

  test("the doubt lasts until the send that may be lost can no longer land (I2)", async () => {
    const { found } = await tell({ profile: "observe", fates: [lost, PLAIN] }, async (story) => {
      story.ask();
      await story.passes(1_000);
      story.world.loseNewest([0]);
      await story.passes(LEASE + SETTLE - 500);
      await story.sweeping(0);
      expect(["in_flight", "uncertain"]).toContain(story.states()[0]);
    });
    expect(found).toEqual([]);
  });

  test("an old handle does not fit the record that was adopted in place of its own (I2, I8)", async () => {
    const slow = { ...PLAIN, answer: "rejected", reply: 3_000 } as const;
    const { world, found } = await tell({ profile: "manual", fates: [slow, PLAIN] }, async (story) => {
      story.ask({ rank: 1 });
      await story.passes(100);
      story.world.loseStore(60_000);
      await story.passes(1);
      story.ask({ process: 1, again: 1 });
      await story.passes(DEADLINE);
      expect(story.states()).toEqual(["uncertain"]);
      await story.sweeping(10);
    });
    expect(world.destination.effects.length).toBeLessThanOrEqual(1);
    expect(found).toEqual([]);
  });
});

describe("A loss that took nothing of a call in flight", () => {
  test("leaves the call to its driver: it renews, and its answer counts", async () => {
    const slow = { ...PLAIN, answer: "rejected", reply: LEASE + 500 } as const;
    const { found, world } = await tell({ profile: "hook", fates: [slow, PLAIN] }, async (story) => {
      story.ask({ rank: 1 });
      await story.passes(100);
      story.world.loseNewest([]);
      await story.sweeping(9);
      expect(story.states()).toEqual(["rejected"]);
    });
    expect(world.outcomes).toMatchObject([{ kind: "rejected" }]);
    expect(found).toEqual([]);
  });

  test("is over with the lease where the driver is dead: then it is in doubt, with one more send counted", async () => {
    const { found } = await tell({ profile: "manual", fates: [{ ...PLAIN, reply: null }] }, async (story) => {
      story.ask({ rank: 1 });
      await story.passes(100);
      story.world.processes[0]?.die();
      story.world.loseNewest([]);
      await story.passes(LEASE - 1_000);
      await story.sweeping(1);
      expect(story.states()).toEqual(["in_flight"]);
      await story.sweeping(2);
      const [id = ""] = story.world.log.ids();
      expect(story.world.log.current(id)?.after).toMatchObject({
        state: "uncertain",
        reason: "store_loss",
        attempts: 2,
      });
    });
    expect(found).toEqual([]);
  });
});

test("an intent whose clock is ahead of the store's is not taken for one that was issued after a loss (I7)", async () => {
  const { found, world, trace } = await tell({ profile: "manual" }, async (story) => {
    story.world.stepStoreClock(-400);
    story.ask({ rank: 1 });
    await story.passes(1);
    story.world.loseStore(1_000);
    story.ask({ rank: 1, item: "B" });
    await story.passes(1);
    story.ask({ again: 2 });
    await story.passes(1_000);
  });
  expect(
    world.destination.effects.filter(({ item }) => item === "A"),
    trace,
  ).toHaveLength(1);
  expect(found).toEqual([]);
});

test("an intent is sent as ever once no clock can be so far ahead (I7)", async () => {
  const { found, world } = await tell({ profile: "manual" }, async (story) => {
    story.world.loseStore(1_000);
    await story.passes(4_900);
    story.ask({ rank: 1 });
    await story.passes(200);
    story.ask({ rank: 1, item: "B" });
    await story.passes(1_000);
    expect(story.states()).toEqual(["uncertain", "succeeded"]);
  });
  expect(world.destination.effects.map(({ item }) => item)).toEqual(["B"]);
  expect(found).toEqual([]);
});

test("a caller that asks again after a loss is told what is known, and nothing is sent (I2, I7)", async () => {
  const context = { operationId: uuidv7(1_800_000_000_000, 7) };
  const { world, found } = await tell({ profile: "contract", fates: [{ ...PLAIN, reply: null }] }, async (story) => {
    void story.world.call({ process: 0, item: "A", context });
    await story.passes(20);
    story.world.processes[0]?.die();
    await story.passes(LEASE + 1_000);
    story.world.loseNewest([0]);
    void story.world.call({ process: 1, item: "A", context });
    await story.passes(DEADLINE);
    expect(story.world.handedOver.size).toBe(1);
  });
  expect(world.outcomes.at(-1)).toMatchObject({ kind: expect.stringMatching(/uncertain|unresolved/) });
  // The call was made around the judge, who wants nothing.
  expect(found).toEqual(["DUPLICATE: 1 effects of A, 0 wanted"]);
});
