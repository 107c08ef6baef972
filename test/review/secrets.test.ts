import { expect, it } from "vitest";
import { guardFunction } from "../../src/index.ts";
import { never, world } from "./support.ts";

it("what a hook throws (a connection string, a row of the customer) is not kept in plain text in the history", async () => {
  const { guard, hand, store } = world({
    deadline: "1s",
    servers: {
      bank: {
        tools: {
          pay: {
            identityArgs: ["/order"],
            redact: ["/email"],
            reconcile: (intent) => {
              throw new Error(`connect postgres://app:hunter2@db failed for ${String(intent.arguments.order)}`);
            },
          },
        },
      },
    },
  });
  const pay = guardFunction(guard, { server: "bank", tool: "pay" }, () => never());
  const calling = pay({ order: "jane.doe@example.com", email: "jane.doe@example.com" });
  await hand.move(10_000);
  const { operation } = await calling;
  const lines = (await store.history(operation)).map(({ line }) => line).join("\n");
  expect(lines).not.toContain("hunter2");
  expect(lines).not.toContain("jane.doe");
});
