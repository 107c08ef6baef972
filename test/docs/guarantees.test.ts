/** Sentences of docs/guarantees.md that a reader could doubt, tried out. The judge is the count of effects. */
import { afterEach, describe, expect, test } from "vitest";
import { memoryStore } from "../../adapters/stores/memory/index.ts";
import { createGuard, type Guard, guardFunction, withCallContext } from "../../src/index.ts";

/** A UUIDv7 of this moment. */
function operationIdNow(): string {
  const time = Date.now().toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7abc-8abc-0123456789ab`;
}

describe("docs/guarantees.md", () => {
  const opened: Guard[] = [];
  afterEach(() => Promise.all(opened.splice(0).map((guard) => guard.close())));

  function destination(answer: () => unknown) {
    const effects: unknown[] = [];
    const store = memoryStore();
    const guard = createGuard({ store, secret: "0123456789abcdef" });
    opened.push(guard);
    const write = guardFunction(guard, { server: "bank", tool: "pay" }, async (payment: { amount: number }) => {
      effects.push(payment);
      return answer();
    });
    return { effects, store, write };
  }
  const lost = () => {
    throw new Error("the reply was lost");
  };

  test("after store loss an operation id that carries its time is taken in as uncertain and not sent (I7)", async () => {
    const { effects, store, write } = destination(lost);
    const operationId = operationIdNow();
    const before = Date.now();
    await withCallContext({ operationId }, () => write({ amount: 5 }));
    await new Promise((resolve) => setTimeout(resolve, 5));
    store.loseEverythingSince(before - 1);
    const outcome = await withCallContext({ operationId }, () => write({ amount: 5 }));
    expect(outcome).toMatchObject({ kind: "uncertain", reason: "store_loss", attempts: 1 });
    expect(effects).toHaveLength(1);
  });

  test("after store loss a call that is known by its arguments alone looks new and is sent again (I7)", async () => {
    const { effects, store, write } = destination(lost);
    const before = Date.now();
    await write({ amount: 5 });
    store.loseEverythingSince(before - 1);
    await write({ amount: 5 });
    expect(effects).toHaveLength(2);
  });

  test("after its result was delivered the same call is a new write; under the same operation id it is not", async () => {
    const { effects, write } = destination(() => ({ paid: true }));
    await write({ amount: 5 });
    await write({ amount: 5 });
    expect(effects).toHaveLength(2);
    const named = () => withCallContext({ operationId: "order-7" }, () => write({ amount: 5 }));
    expect(await named()).toMatchObject({ kind: "succeeded" });
    expect(await named()).toMatchObject({ kind: "succeeded", recalled: true });
    expect(effects).toHaveLength(3);
  });

  test("a tool error without hook and contract is `failed`, and the same call is then sent again", async () => {
    const { effects, write } = destination(() => ({ content: [{ type: "text", text: "no" }], isError: true }));
    expect(await write({ amount: 5 })).toMatchObject({ kind: "failed" });
    expect(await write({ amount: 5 })).toMatchObject({ kind: "failed" });
    expect(effects).toHaveLength(2);
  });
});
