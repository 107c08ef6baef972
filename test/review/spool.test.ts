import { expect, it } from "vitest";
import { memoryStore } from "../../adapters/stores/memory/index.ts";
import { createGuard, guardFunction, IndoubtError } from "../../src/index.ts";
import { handClock } from "../core/support/hand-clock.ts";
import { SECRET } from "./support.ts";

it("I12: an outcome that a dead process left in the shared spool comes home by a process that is already running", async () => {
  const hand = handClock();
  const lines: string[] = [];
  const spool = {
    append: async (line: string) => void lines.push(line),
    lines: async () => [...lines],
    remove: async (gone: readonly string[]) => {
      for (const line of gone) if (lines.includes(line)) lines.splice(lines.indexOf(line), 1);
    },
  };
  const store = memoryStore({ now: hand.now });
  const worker = createGuard({ store: { ...store.another(), spool }, secret: SECRET, clock: hand.clock });
  await worker.start();

  const dying = handClock();
  let down = false;
  const swap: typeof store.swap = async (request) => {
    if (down) throw new IndoubtError("STORE_UNAVAILABLE", "down");
    return store.swap(request);
  };
  const agent = createGuard({ store: { ...store, swap, spool }, secret: SECRET, clock: dying.clock, storeTimeout: 50 });
  const pay = guardFunction(agent, { server: "bank", tool: "pay" }, async () => {
    down = true;
    return { id: "INV-1" };
  });
  const outcome = await pay({ order: 1 });
  expect(outcome).toMatchObject({ kind: "succeeded", recorded: false });
  expect(lines.length).toBe(1);
  // The agent dies here: its clock never moves again. The worker goes on for ten minutes.
  await hand.move(600_000);
  expect((await worker.queue.show(outcome.operation)).state).toBe("succeeded");
}, 60_000);
