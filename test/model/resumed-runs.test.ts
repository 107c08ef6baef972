import { expect, test } from "vitest";
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
