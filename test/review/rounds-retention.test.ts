/** A server that asks every call the same, for longer than records are kept: a round that was sent is not sent again. */
import { expect, it } from "vitest";
import type { Store } from "../../src/entries/store.ts";
import type { Wire } from "../../src/entries/wire.ts";
import { createGuard, type JsonObject } from "../../src/index.ts";
import { SECRET, world } from "./support.ts";

const STATE = "the same each time";
const HOUR = 3_600_000;

it("a round is remembered for the retention of its own call, not of an earlier one that was asked the same", async () => {
  const pay = { identity: "per-call", settle: "1s", retention: "10h" } as const;
  const { guard, hand } = world({ servers: { bank: { tools: { pay } } } });
  let sends = 0;
  const wireFor = (asks: boolean): Wire => ({
    headers: false,
    async send(attempt) {
      if (!attempt.mayStart()) return { kind: "not_sent", cause: "permit_lost" };
      sends += 1;
      const question = { resultType: "input_required", inputRequests: {}, requestState: STATE };
      return { kind: "result", result: asks ? question : { content: [] } };
    },
  });
  const call = { server: "bank", tool: "pay", arguments: { order: 1 } };
  const answer = () => guard.perform({ ...call, leg: { requestState: STATE } }, wireFor(false));
  const whole = async () => {
    await guard.perform(call, wireFor(true));
    const outcome = await answer();
    expect(outcome.kind).toBe("succeeded");
    guard.delivered(outcome);
    for (let round = 0; round < 4; round += 1) await hand.move(60_000);
  };
  await guard.start();
  await whole();
  await hand.move(8 * HOUR);
  await whole();
  expect(sends).toBe(4);
  await hand.move(4 * HOUR);
  expect(await answer()).toMatchObject({ kind: "succeeded", recalled: true });
  expect(sends).toBe(4);
  await hand.move(20 * HOUR);
  await answer();
  expect(sends).toBe(5);
});

it("where an earlier call lets go of its rounds last, what is told is still what the later one came to", async () => {
  const { store, hand } = world();
  const pay = { identity: "per-call", settle: "1s" } as const;
  const slow = { until: 0, refused: 0 };
  const begin: Store["begin"] = async (request) => {
    const late = request.adopting && slow.until > slow.refused++;
    return late ? { kind: "late", now: hand.now() } : store.begin(request);
  };
  const options = { secret: SECRET, clock: hand.clock, servers: { bank: { tools: { pay } } } };
  const guard = createGuard({ ...options, store: Object.assign(Object.create(store), { begin }) });
  const wireFor = (result: JsonObject): Wire => ({
    headers: false,
    send: async (attempt) =>
      attempt.mayStart() ? { kind: "result", result } : { kind: "not_sent", cause: "permit_lost" },
  });
  const call = { server: "bank", tool: "pay", arguments: { order: 1 } };
  const answer = (result: JsonObject) => guard.perform({ ...call, leg: { requestState: STATE } }, wireFor(result));
  const whole = async (result: JsonObject) => {
    await guard.perform(call, wireFor({ resultType: "input_required", inputRequests: {}, requestState: STATE }));
    const outcome = await answer(result);
    guard.delivered(outcome);
    return outcome.kind;
  };
  await guard.start();
  expect(await whole({ content: [], isError: true })).toBe("failed");
  await hand.move(10);
  expect(await whole({ content: [] })).toBe("succeeded");
  slow.until = 1;
  for (let round = 0; round < 4; round += 1) await hand.move(60_000);
  expect(slow.refused).toBeGreaterThan(2);
  expect(await answer({ content: [] })).toMatchObject({ kind: "succeeded", recalled: true });
});
