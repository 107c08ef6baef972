/** Many requests end with one guard or proxy, and must leave nothing with it. */
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { endingWith } from "../../../adapters/mcp/ending.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

async function heapAfter(requests: number, guard: AbortSignal): Promise<number> {
  for (let n = 0; n < requests; n += 1) {
    endingWith(guard, new AbortController().signal).release();
    if (n % 1_000 === 0) await sleep(0);
  }
  await sleep(100);
  collect();
  return process.memoryUsage().heapUsed;
}

test("requests that are over leave nothing at the guard that outlives them", async () => {
  const guard = new AbortController();
  const before = await heapAfter(1_000, guard.signal);
  const after = await heapAfter(100_000, guard.signal);

  // `AbortSignal.any` leaves six million on Node.js 20.
  expect(after - before).toBeLessThan(2_000_000);
});

test("a request ends with whichever comes first, its own signal or the guard's, and with none when it is over", () => {
  const [guard, own, over] = [new AbortController(), new AbortController(), new AbortController()];
  const byItself = endingWith(guard.signal, own.signal);
  const byTheGuard = endingWith(guard.signal, new AbortController().signal);
  const released = endingWith(guard.signal, over.signal);
  released.release();
  own.abort("own");
  over.abort("late");
  guard.abort("guard");

  expect(byItself.signal.reason).toBe("own");
  expect(byTheGuard.signal.reason).toBe("guard");
  expect(released.signal.aborted).toBe(false);
  expect(endingWith(guard.signal, new AbortController().signal).signal.reason).toBe("guard");
  expect(endingWith(undefined, own.signal).signal).toBe(own.signal);
});
