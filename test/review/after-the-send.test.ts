import { expect, it } from "vitest";
import { memoryStore } from "../../adapters/stores/memory/index.ts";
import { createGuard, guardFunction, IndoubtError, withCallContext } from "../../src/index.ts";
import { never, SECRET, world } from "./support.ts";

it("after the send no failure of the store reads as `effect: none`, and the answer is not lost", async () => {
  const store = memoryStore();
  let broken = false;
  const swap: typeof store.swap = async (request) => {
    if (broken) throw new IndoubtError("STORE_INCOMPATIBLE", "The file is of another program now.");
    return store.swap(request);
  };
  const guard = createGuard({ store: { ...store, swap }, secret: SECRET });
  const pay = guardFunction(guard, { server: "bank", tool: "pay" }, async () => {
    broken = true;
    return { id: "INV-1" };
  });
  const outcome = await pay({ order: 1 });
  expect({ kind: outcome.kind, recorded: outcome.recorded }).toEqual({ kind: "succeeded", recorded: false });
});

it("a throwing onOutcome does not turn a payment that was made into a failed call", async () => {
  const { guard, hand } = world();
  const pay = guardFunction(guard, { server: "bank", tool: "pay" }, async () => ({ id: "INV-1" }));
  const context = {
    onOutcome: () => {
      throw new Error("the metrics library is not set up");
    },
  };
  const calling = withCallContext(context, () => pay({ order: 1 })).then(
    ({ kind }) => kind,
    (error: unknown) => String(error),
  );
  await hand.move(100);
  expect(await calling).toBe("succeeded");
});

it("a success that is no JSON (a BigInt id, a cycle) is a success, not doubt", async () => {
  const { guard, hand } = world();
  const pay = guardFunction(guard, { server: "bank", tool: "pay" }, async () => ({ id: 9_007_199_254_740_993n }));
  const calling = pay({ order: 1 });
  await hand.move(100);
  expect((await calling).kind).toBe("succeeded");
});

it("a retry of an operation in doubt that meets a store without connection is not told that nothing was done", async () => {
  const store = memoryStore();
  let down = false;
  const begin: typeof store.begin = async (request) => {
    if (down) throw new IndoubtError("STORE_UNAVAILABLE", "down");
    return store.begin(request);
  };
  const guard = createGuard({ store: { ...store, begin }, secret: SECRET, storeTimeout: 100, deadline: 100 });
  const pay = guardFunction(guard, { server: "bank", tool: "pay" }, () => never());
  const first = await withCallContext({ operationId: "run-7" }, () => pay({ order: 1 }));
  expect(first.kind).toBe("uncertain");
  down = true;
  const second = await withCallContext({ operationId: "run-7" }, () => pay({ order: 1 }));
  expect(JSON.stringify(guard.toolResult(second))).not.toContain("nothing was done");
});

it("a deadline that is no number is refused before anything is sent; the call settles", async () => {
  const guard = createGuard({ store: memoryStore(), secret: SECRET });
  const pay = guardFunction(guard, { server: "bank", tool: "pay" }, () => never());
  // "2s" is right in createGuard, so a newcomer writes it here, too; plain JavaScript lets it pass.
  const calling = withCallContext({ deadline: "100ms" as unknown as number }, () => pay({ order: 1 }));
  const first = await Promise.race([
    calling.then(
      () => "settled",
      () => "settled",
    ),
    new Promise((resolve) => setTimeout(() => resolve("still waiting"), 3_000)),
  ]);
  expect(first).toBe("settled");
});
