/** A server that asks every call the same, for longer than records are kept: a round that was sent is not sent again. */
import { expect, it } from "vitest";
import type { Wire } from "../../src/index.ts";
import { world } from "./support.ts";

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
