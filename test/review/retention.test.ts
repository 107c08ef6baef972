import { expect, it } from "vitest";
import { guardFunction, withCallContext } from "../../src/index.ts";
import { uuidv7, world } from "./support.ts";

it("I7: an operation id is not sent again when its record expired before validFor did", async () => {
  let make: ReturnType<typeof world>;
  try {
    make = world({ servers: { bank: { tools: { pay: { retention: "1m", validFor: "1h" } } } } });
  } catch {
    return; // refusing such a configuration is a cure, too
  }
  const { guard, hand } = make;
  let effects = 0;
  const pay = guardFunction(guard, { server: "bank", tool: "pay" }, async () => {
    effects += 1;
    return { id: `INV-${effects}` };
  });
  const context = { operationId: uuidv7(hand.now()) };
  void withCallContext(context, () => pay({ order: 1 }));
  await hand.move(120_000);
  void withCallContext(context, () => pay({ order: 1 }));
  await hand.move(5_000);
  expect(effects).toBe(1);
});
