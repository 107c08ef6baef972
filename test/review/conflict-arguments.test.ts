import { expect, it } from "vitest";
import { guardFunction } from "../../src/index.ts";
import { world } from "./support.ts";

it("S21: a conflict by a late success shows what was asked for, also days later", async () => {
  const { guard, hand } = world({
    sweepEvery: 3_600_000,
    servers: { bank: { tools: { pay: { deadline: 1_000, settle: 1_000 } } } },
  });
  let answer: (value: unknown) => void = () => {};
  const pay = guardFunction(guard, { server: "bank", tool: "pay" }, () => {
    return new Promise((resolve) => {
      answer = resolve;
    });
  });
  const calling = pay({ order: "o1" });
  await hand.move(2_000);
  const { operation } = await calling;
  await guard.sweep();
  const { version } = await guard.queue.show(operation);
  await guard.queue.resolve(operation, { verdict: "not_applied", version, actor: "ops", reason: "not in the ledger" });
  answer({ content: [{ type: "text", text: "done" }] });
  await hand.move(1_000);
  expect(await guard.queue.show(operation)).toMatchObject({ conflict: true, arguments: { order: "o1" } });
  await hand.move(3 * 86_400_000);
  expect(await guard.queue.show(operation)).toMatchObject({ conflict: true, arguments: { order: "o1" } });
});
