/** An absence counts when the operator's own times say so. */
import { expect, onTestFinished, test } from "vitest";
import { memoryStore } from "../../adapters/stores/memory/index.ts";
import { absent, createGuard, guardFunction } from "../../src/index.ts";

test("a destination whose reads are never stale is believed after two of them, with no pause between (V1)", async () => {
  const looks: number[] = [];
  const look = () => {
    looks.push(Date.now());
    return absent();
  };
  const guard = createGuard({
    store: memoryStore(),
    secret: "0123456789abcdef",
    sweepEvery: 20,
    servers: { bank: { tools: { pay: { reconcile: { look, settle: 50, staleness: 0 } } } } },
  });
  onTestFinished(() => guard.close());
  const settled = new Promise<string>((resolve) => {
    guard.on("transition", ({ row, to }) => {
      if (row === "absent" && to === "not_applied") resolve("not_applied");
      if (row === "escalate") resolve("unresolved");
    });
  });
  await guard.start();
  const pay = guardFunction(guard, { server: "bank", tool: "pay" }, async (_: { amount: number }) => {
    throw new Error("the reply was lost");
  });
  expect(await pay({ amount: 5 })).toMatchObject({ kind: "uncertain" });
  expect(await settled).toBe("not_applied");
  expect(looks.length).toBeLessThan(12);
});
