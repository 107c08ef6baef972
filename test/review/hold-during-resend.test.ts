import { expect, it } from "vitest";
import { guardFunction, withCallContext } from "../../src/index.ts";
import { never, world } from "./support.ts";

it("I2: while an earlier attempt is open, another operation id stays held also between the order to resend and its answer", async () => {
  const { guard, hand } = world({ deadline: "1s" });
  let effects = 0;
  const pay = guardFunction(guard, { server: "bank", tool: "pay" }, () => {
    effects += 1;
    return never();
  });
  const first = withCallContext({ operationId: "a" }, () => pay({ order: 1 }));
  await hand.move(2_000);
  const { operation } = await first;
  const held = withCallContext({ operationId: "b" }, () => pay({ order: 1 }));
  await hand.move(2_000);
  expect((await held).heldBy).toBe(operation);
  await hand.move(90_000);
  const { version } = await guard.queue.show(operation);
  await guard.queue.resolve(operation, { verdict: "resend", version, actor: "ops", reason: "looked, not there" });
  // Nothing new is known of the first attempt, and a person has just ordered the one send that may follow it.
  const again = withCallContext({ operationId: "b" }, () => pay({ order: 1 }));
  await hand.move(2_000);
  expect((await again).heldBy).toBe(operation);
  expect(effects).toBe(1);
});
