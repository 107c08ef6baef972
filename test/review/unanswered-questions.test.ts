/** Questions of a server that nobody answers: a call waits for them, and nothing of them outlives it. */
import { expect, test, vi } from "vitest";
import { createFlight } from "../../adapters/mcp/flight.ts";
import type { RequestFrame } from "../../adapters/mcp/frames.ts";
import { type AskedQuestions, goOn, waitFor } from "../../adapters/mcp/questions.ts";

function flight() {
  const waiting = vi.fn<(yes: boolean) => void>();
  return { waiting, flight: createFlight({ waiting } as never, { id: 1 } as RequestFrame) };
}

test("what nobody answered is forgotten with the last call that waits for it", async () => {
  const asked: AskedQuestions = new Map();
  const [one, two] = [flight().flight, flight().flight];
  waitFor(asked, "both", [one, two]);
  waitFor(asked, "first", [one]);
  one.settle({ kind: "silence", cause: "stream_ended" });
  await vi.waitFor(() => expect([...asked.keys()]).toEqual(["both"]), 10_000);
  two.settle({ kind: "silence", cause: "stream_ended" });
  await vi.waitFor(() => expect(asked.size).toBe(0), 10_000);
  waitFor(asked, "nobody", [one, two]);
  expect(asked.size).toBe(0);
});

test("a server that asks for ever is counted to a bound, and the call goes on when those are answered", () => {
  const asked: AskedQuestions = new Map();
  const { flight: call, waiting } = flight();
  const other = flight();
  for (let n = 0; n < 10_000; n += 1) waitFor(asked, `q${n}`, [call]);
  waitFor(asked, "theirs", [other.flight]);
  expect(asked.size).toBeLessThan(1_000);
  expect(other.waiting.mock.calls).toEqual([[true]]);
  for (const key of [...asked.keys()]) goOn(asked, key);
  expect(waiting.mock.calls).toEqual([[true], [false]]);
  expect(asked.size).toBe(0);
});
