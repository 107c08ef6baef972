import { expect, it } from "vitest";
import { guardFunction } from "../../src/index.ts";
import { never, world } from "./support.ts";

async function inTheQueue(servers = {}) {
  const made = world({ deadline: "1s", servers });
  const pay = guardFunction(made.guard, { server: "bank", tool: "pay" }, () => never());
  const first = pay({ order: 1 });
  await made.hand.move(90_000);
  const { operation } = await first;
  const { version, state } = await made.guard.queue.show(operation);
  expect(state).toBe("unresolved");
  return { ...made, operation, version };
}

it("two persons whose decision names begin alike do not both hear that theirs was taken", async () => {
  const { guard, operation, version } = await inTheQueue();
  const by = { version, actor: "ops", reason: "looked" };
  const both = await Promise.allSettled([
    guard.queue.resolve(operation, { ...by, verdict: "applied", decision: "evening-run-2026-11-30/alice" }),
    guard.queue.resolve(operation, { ...by, verdict: "not_applied", decision: "evening-run-2026-11-30/bob" }),
  ]);
  expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
});

it("a decision handed in twice is one decision, also when recovery has acted on it in between", async () => {
  const { guard, hand, operation, version } = await inTheQueue();
  const order = { verdict: "resend", version, actor: "ops", reason: "looked", decision: "d-1" } as const;
  await guard.queue.resolve(operation, order);
  // The order lapses, so the record moves on by itself; the operator's tool hands in the same decision once more.
  await hand.move(1_000_000);
  await expect(guard.queue.resolve(operation, order)).resolves.toMatchObject({ id: operation });
});

it("an order to resend that no connection of this process can carry out does not read as automatic", async () => {
  const { guard, hand, operation, version } = await inTheQueue();
  await guard.queue.resolve(operation, { verdict: "resend", version, actor: "ops", reason: "looked" });
  await hand.move(10_000);
  const shown = await guard.queue.show(operation);
  expect({ state: shown.state, attempts: shown.attempts }).toEqual({ state: "ready", attempts: 1 });
  expect(shown.next).not.toBe("Automatic.");
});
