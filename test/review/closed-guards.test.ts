/** What a closed guard does not do any more. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { memoryStore } from "../../adapters/stores/memory/index.ts";
import { createGuard } from "../../src/index.ts";

test("a closed guard is not started: it says so", async () => {
  const guard = createGuard({ store: memoryStore() });
  await guard.close();
  await expect(guard.start()).rejects.toMatchObject({ code: "CALL_REFUSED", effect: "none" });
});

test("a guard that is closed while it starts does not sweep", async () => {
  const store = memoryStore();
  let asked = 0;
  let healthy = () => {};
  const health = new Promise<void>((resolve) => {
    healthy = resolve;
  });
  const watched = {
    ...store,
    health: () => health.then(() => store.health()),
    due: (limit: number) => {
      asked += 1;
      return store.due(limit);
    },
  };
  const guard = createGuard({ store: watched, sweepEvery: 10 });
  const starting = guard.start();
  await guard.close();
  healthy();
  await starting;
  await sleep(50);
  expect(asked).toBe(0);
});
