/** The way on which a task is asked for outlives its call by hours: the call's arguments must not stay with it. */
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { guardFetch, guardTransport } from "../../adapters/mcp/index.ts";
import type { GuardedCalls } from "../../src/entries/wire.ts";
import type { Outcome } from "../../src/index.ts";
import { keepTaskWire, type TaskWires } from "../../src/task-wires.ts";
import { fakeGuard } from "../e2e/tap/support/fake-guard.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Keeps of each call what the engine keeps of one that became a task. */
function keeper() {
  const kept: TaskWires = new Map();
  const seen: WeakRef<object>[] = [];
  const guard: GuardedCalls = {
    ...fakeGuard(),
    perform: async (call, wire) => {
      keepTaskWire(kept, `op${kept.size}`, wire);
      seen.push(new WeakRef(call.arguments as object), new WeakRef(wire));
      return { kind: "uncertain", reason: "task_running", operation: "op", attempts: 1 } as Outcome;
    },
  };
  return { kept, seen, guard };
}

async function left(seen: readonly WeakRef<object>[]): Promise<number> {
  await sleep(50);
  collect();
  return seen.filter((each) => each.deref() !== undefined).length;
}

const frame = (id: number) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "pay", arguments: { order: id } },
});

test("through guardFetch", async () => {
  const { kept, seen, guard } = keeper();
  const fetch = guardFetch(guard, { server: "bank" });
  const headers = { "content-type": "application/json" };
  for (let id = 0; id < 20; id += 1)
    await fetch("http://127.0.0.1:9/mcp", { method: "POST", headers, body: JSON.stringify(frame(id)) });
  expect([kept.size, seen.length]).toEqual([20, 40]);
  expect(await left(seen)).toBeLessThan(4);
  expect(kept.size).toBe(20);
});

test("through a guarded transport", async () => {
  const { kept, seen, guard } = keeper();
  const transport = guardTransport(guard, "bank", {
    start: async () => {},
    send: async () => {},
    close: async () => {},
  });
  Object.assign(transport, { onmessage: () => {} });
  await transport.start();
  const send = transport.send as (message: unknown) => Promise<void>;
  for (let id = 0; id < 20; id += 1) await send(frame(id));
  expect([kept.size, seen.length]).toEqual([20, 40]);
  expect(await left(seen)).toBeLessThan(4);
});
