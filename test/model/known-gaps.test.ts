/** A double effect that the model found and that the engine does not prevent yet. The test ends the day its gap is closed. */
import { expect, test } from "vitest";
import { PLAIN } from "./destination.ts";
import { lost, tell, unheard } from "./story.ts";

/** A loss that the store knows of is told to intents without a record, not to a record that is older than it was. */
test.fails("a permit whose spending a known loss took back is not spent once more (I2, I7)", async () => {
  const fates = [lost, unheard(4_800), PLAIN];
  const { world } = await tell({ profile: "hook", fates, assumptionBroken: true }, async (story) => {
    story.ask({ rank: 1 });
    for (let round = 0; round < 300 && story.world.handedOver.size < 2; round += 1) {
      for (const { guard } of story.world.processes) guard.sweep().catch(() => {});
      await story.passes(100);
    }
    story.world.loseStore(200);
    await story.sweeping(30);
  });
  expect(world.destination.effects).toHaveLength(1);
});
