/** A destination that refuses repeats while it works on the first (`concurrent: "rejected"`), for longer than a moment. */
import { expect, test } from "vitest";
import { invoice, LOST, OK, pinned, SERVER, sends, timeless, wireOf } from "./support.ts";

const BUSY_FOR = 20_000;

async function charged(maxAttempts: number | undefined) {
  const create_invoice = { contract: pinned(), ...(maxAttempts !== undefined && { maxAttempts }) };
  const { guard, run, time } = timeless({ deadline: "60s", tools: { create_invoice } });
  guard.toolsSeen(SERVER, [invoice], {});
  await time.settle();
  const begun = time.now();
  const busy = () => time.now() < begun + BUSY_FOR;
  const wire = wireOf(LOST, () => (busy() ? { kind: "http_status", status: 409 } : OK));
  const outcome = await run(
    guard.perform({ server: SERVER, tool: "create_invoice", arguments: { order: "o-1" } }, wire),
  );
  const keys = new Set(wire.sent.map((attempt) => attempt.arguments.idempotency_key));
  return { kind: outcome.kind, sends: sends(wire), keys: keys.size };
}

test("three sends cover a destination that is busy for a second; for longer the operation is in doubt, as it is", async () => {
  expect(await charged(undefined)).toEqual({ kind: "uncertain", sends: 3, keys: 1 });
});

test("with more sends allowed, their pauses double, and the answer is had inside the call's deadline (C03)", async () => {
  expect(await charged(7)).toEqual({ kind: "succeeded", sends: 7, keys: 1 });
});
