import { expect, it } from "vitest";
import { guardFunction } from "../../src/index.ts";
import { PAY, payContract, world } from "./support.ts";

it("I12: the late success of the first attempt is recorded although the resend was answered with an error", async () => {
  const { guard, hand } = world({
    servers: {
      bank: {
        deadline: "20s",
        tools: {
          pay: {
            identityArgs: ["/order"],
            contract: payContract({ replaysErrors: true }),
          },
        },
      },
    },
  });
  guard.toolsSeen("bank", [PAY]);
  let answerFirst: (value: unknown) => void = () => {};
  const pay = guardFunction(guard, { server: "bank", tool: "pay" }, (_args: object, { attempt }) =>
    attempt === 1
      ? new Promise((resolve) => {
          answerFirst = resolve;
        })
      : Promise.resolve({ content: [{ type: "text", text: "busy" }], isError: true }),
  );
  const calling = pay({ order: "o1" });
  await hand.move(25_000);
  const outcome = await calling;
  expect(outcome).toMatchObject({ kind: "failed", attempts: 2 });
  answerFirst({ id: "INV-1" });
  await hand.move(1_000);
  const shown = await guard.queue.show(outcome.operation);
  expect(shown.conflict || shown.state === "succeeded").toBe(true);
});
