/** A delivery that rides on a begin must arrive, whatever that begin finds. */
import { expect, test } from "vitest";
import { memoryStore } from "../../../adapters/stores/memory/index.ts";
import type { Wire } from "../../../src/entries/wire.ts";
import { createGuard } from "../../../src/index.ts";

const wire: Wire = {
  headers: false,
  send: async (attempt) =>
    attempt.mayStart() ? { kind: "result", result: { content: [] } } : { kind: "not_sent", cause: "permit_lost" },
};

test("a delivered outcome stays delivered when the next call of the tool is a recall", async () => {
  const guard = createGuard({ store: memoryStore(), secret: "a secret of this test" });
  const call = async (args: object, operationId?: string) => {
    const named = operationId === undefined ? {} : { operationId };
    const outcome = await guard.perform({ server: "bank", tool: "pay", arguments: args, ...named }, wire);
    guard.delivered(outcome);
    return outcome;
  };
  await call({ order: 1 }, "known");
  await call({ order: 2 });
  await call({ order: 1 }, "known"); // carries the delivery of order 2, and is answered from its record
  expect(await call({ order: 2 })).not.toHaveProperty("recalled");
  await guard.close();
});
