/** A run that is resumed makes its tool call once more, with the same id: it is answered as before (T9). */
import { expect, test } from "vitest";
import { PLAIN } from "./destination.ts";
import { LEASE } from "./profiles.ts";
import { tell } from "./story.ts";

test("a tool call that was answered by a recall is answered so again when its run is resumed (T9)", async () => {
  const { world } = await tell({ profile: "manual" }, async (story) => {
    story.ask({ listens: false });
    await story.passes(1_000);
    story.ask({ rank: 2 });
    await story.passes(1_000);
    story.ask({ again: 1 });
    await story.passes(1_000);
  });
  expect(world.destination.effects).toHaveLength(1);
});

test("so is one that found out what became of another call whose process died (T9)", async () => {
  const fates = [{ ...PLAIN, reply: null }, PLAIN];
  const { found, world } = await tell({ profile: "contract", fates }, async (story) => {
    story.ask();
    await story.passes(100);
    story.world.processes[0]?.die();
    await story.passes(LEASE);
    story.ask({ rank: 2, process: 1 });
    await story.passes(2_000);
    story.ask({ again: 1, process: 1 });
    await story.passes(2_000);
  });
  expect(world.destination.effects).toHaveLength(1);
  expect(found).toEqual([]);
});
