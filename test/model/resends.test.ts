/** The counterexamples of the reference model, one by one: each rule that was dropped there holds here (P0, I1 to I12). */
import { describe, expect, test } from "vitest";
import { PLAIN } from "./destination.ts";
import { DEADLINE, LEASE, SERVER, TOOL, WINDOW } from "./profiles.ts";
import { lost, tell, unheard } from "./story.ts";
import { uuidv7 } from "./wanted.ts";

const first = { rank: 1 } as const;

describe("What ends, ends in doubt, never in another send", () => {
  test("a caller that died leaves a lease; when it ends, nobody sends again (I2, bug.lease-reclaim)", async () => {
    const { found } = await tell({ profile: "manual", fates: [{ ...PLAIN, reply: null }, PLAIN] }, async (story) => {
      story.ask();
      await story.passes(100);
      story.world.processes[0]?.die();
      await story.passes(LEASE);
      await story.sweeping(3);
      story.ask({ process: 1 });
      await story.passes(1_000);
      expect(story.effects()).toBe(1);
      expect(story.states()).toEqual(["uncertain"]);
    });
    expect(found).toEqual([]);
  });

  test("a call that the store cannot record is not sent (I11, bug.fail-open)", async () => {
    const { found, world } = await tell({ profile: "contract" }, async (story) => {
      story.world.outageUntil(20_000);
      story.ask();
      await story.passes(20_000);
      expect(story.effects()).toBe(0);
    });
    expect(world.outcomes).toMatchObject([{ kind: "refused", because: "store_unavailable" }]);
    expect(found).toEqual([]);
  });

  test("a hand-over that comes long after the lease was last confirmed does not take place (I1, asm.A1-pause)", async () => {
    const { found } = await tell({ profile: "manual", fates: [{ ...PLAIN, gate: LEASE + 1_000 }] }, async (story) => {
      story.ask();
      await story.passes(100);
      story.world.outageUntil(LEASE + 2_000);
      await story.passes(DEADLINE);
      expect(story.world.handedOver.size).toBe(0);
      expect(story.effects()).toBe(0);
    });
    expect(found).toEqual([]);
  });

  test("the permit of an old intent is as old as the intent, also when it comes back unused (I2, bug.no-permit-age)", async () => {
    const fates = [{ ...PLAIN, gate: LEASE + 1_000 }, PLAIN];
    const { found, world } = await tell({ profile: "manual", fates }, async (story) => {
      const context = { operationId: uuidv7(story.world.time.now() - 800_000, 1) };
      story.world.call({ process: 0, item: "A", context });
      await story.passes(100);
      story.world.outageUntil(LEASE + 2_000);
      await story.passes(120_000);
      story.world.call({ process: 0, item: "A", context });
      await story.passes(1_000);
      expect(story.states()).toEqual(["not_applied"]);
      expect(story.effects()).toBe(0);
    });
    expect(world.outcomes).toMatchObject([{}, { kind: "not_applied" }]);
    expect(found).toEqual([]);
  });

  test("an open record is due or in the queue at every step (I5, bug.no-queue)", async () => {
    const { found } = await tell({ profile: "manual", fates: [lost] }, async (story) => {
      story.ask();
      await story.passes(100);
      await story.world.check();
      expect(story.states()).toEqual(["uncertain"]);
    });
    expect(found).toEqual([]);
  });
});

describe("Absence counts only when nothing can land any more", () => {
  test("a write that lands late, inside the settle window, is found and not repeated (I2, bug.no-settle, bug.early-evidence)", async () => {
    const { found } = await tell({ profile: "hook", fates: [unheard(4_800), PLAIN] }, async (story) => {
      story.ask();
      await story.sweeping(30);
      expect(story.effects()).toBe(1);
      expect(story.states()).toEqual(["applied"]);
    });
    expect(found).toEqual([]);
  });

  test("a request that never arrived is sent again after its absence was seen, once, by whoever comes first (I2)", async () => {
    const { found } = await tell({ profile: "hook", fates: [lost, PLAIN], latencies: [0, 40, 1] }, async (story) => {
      story.ask();
      await story.sweeping(40);
      expect(story.effects()).toBe(1);
      expect(story.world.handedOver.size).toBe(2);
    });
    expect(found).toEqual([]);
  });
});

describe("A contract allows a resend with its key, inside its window", () => {
  test("a lost reply is followed by a resend of the same key, which takes no second effect (I2, bug.random-key)", async () => {
    const { found } = await tell({ profile: "contract", fates: [unheard(), PLAIN] }, async (story) => {
      story.ask();
      await story.passes(DEADLINE);
      expect(story.world.handedOver.size).toBe(2);
      expect(story.states()).toEqual(["succeeded"]);
    });
    expect(found).toEqual([]);
  });

  const afterThePause = (pause: number, resent: boolean) =>
    tell({ profile: "contract", fates: [{ ...PLAIN, reply: null }, unheard(4_000)] }, async (story) => {
      story.ask();
      await story.passes(100);
      story.world.processes[0]?.die();
      await story.passes(pause);
      await story.sweeping(20);
      expect(story.world.handedOver.size > 1).toBe(resent);
    });

  test("inside the window it is resent", async () => {
    expect((await afterThePause(30_000, true)).found).toEqual([]);
  });
  test("after the window it is not (I2, bug.window-ignored)", async () => {
    expect((await afterThePause(WINDOW + 5_000, false)).found).toEqual([]);
  });
  test("nor shortly before its end, for the resend itself may land late (I2, bug.window-no-margin)", async () => {
    expect((await afterThePause(WINDOW - 3_000, false)).found).toEqual([]);
  });

  test("the window of a record that was born anew counts from the issue of the intent (I7, bug.window-from-record)", async () => {
    const { found } = await tell({ profile: "contract" }, async (story) => {
      story.ask(first);
      await story.passes(1_000);
      story.world.loseStore(60_000);
      await story.passes(WINDOW / 2);
      story.world.processes[1]?.dieAt(1, "after");
      story.ask({ again: 1, process: 1 });
      await story.passes(1_000);
      expect(story.states()).toEqual(["uncertain"]);
      for (const process of story.world.processes) process.die();
      await story.passes(WINDOW / 2);
      story.world.restart(0);
      await story.sweeping(5);
      expect(story.effects()).toBe(1);
    });
    expect(found).toEqual([]);
  });

  test("a resend that waits for its hand-over stays here when the first answer comes after all (I1, I12)", async () => {
    const first = { ...PLAIN, gate: 2_500, land: 4_000, reply: 2_000 };
    const { found } = await tell({ profile: "contract", fates: [first, { ...PLAIN, gate: 1_500 }] }, async (story) => {
      story.ask();
      await story.passes(DEADLINE + 5_000);
      expect(story.world.handedOver.size).toBe(1);
      expect(story.states()).toEqual(["succeeded"]);
    });
    expect(found).toEqual([]);
  });

  test("a destination that is not safe under overlapping repeats gets its resend after quiescence (I2)", async () => {
    const { found } = await tell({ profile: "serial", fates: [unheard(4_000), PLAIN] }, async (story) => {
      story.ask();
      await story.sweeping(15);
      expect(story.world.handedOver.size).toBe(2);
      expect(story.effects()).toBe(1);
    });
    expect(found).toEqual([]);
  });

  test("a tool that changed since its review is not sent again (S22)", async () => {
    const { found } = await tell({ profile: "contract", fates: [unheard(), PLAIN] }, async (story) => {
      const changed = { name: TOOL, inputSchema: { type: "object", required: ["item"] } };
      for (const { guard } of [...story.world.processes, story.world.desk]) guard.toolsSeen(SERVER, [changed]);
      story.ask();
      await story.sweeping(15);
      expect(story.world.handedOver.size).toBe(1);
    });
    expect(found).toEqual([]);
  });

  test("a suspended contract resends nothing, in no process (S23)", async () => {
    const { found } = await tell({ profile: "contract", fates: [unheard(), PLAIN] }, async (story) => {
      await story.world.desk.store.suspend({ server: SERVER, tool: TOOL, reason: "doubts", actor: "Ada" });
      story.ask();
      await story.sweeping(15);
      expect(story.world.handedOver.size).toBe(1);
    });
    expect(found).toEqual([]);
  });
});
