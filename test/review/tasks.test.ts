import { expect, it } from "vitest";
import type { Wire, WireEvidence } from "../../src/entries/wire.ts";
import { never, world } from "./support.ts";

it("a write that the destination runs as a task is not told as `the process stopped` while its process lives", async () => {
  const { guard, hand } = world();
  const wire: Wire = {
    headers: false,
    async send(attempt) {
      if (!attempt.mayStart()) return { kind: "not_sent", cause: "permit_lost" };
      return { kind: "result", result: { resultType: "task", taskId: "t-1", status: "working" } };
    },
  };
  await guard.start();
  const calling = guard.perform({ server: "bank", tool: "pay", arguments: { order: 1 } }, wire);
  await hand.move(1_000);
  const { operation } = await calling;
  await hand.move(120_000);
  const shown = await guard.queue.show(operation);
  const doubt = shown.audit.find(({ to }) => to === "uncertain") ?? shown.audit.find(({ row }) => row === "lease_over");
  expect({ row: doubt?.row, next: shown.next.includes("t-1") }).not.toEqual({ row: "lease_over", next: false });
});

it("a handle that comes after the deadline is asked for on the way that the call took, without any other connection", async () => {
  const { guard, hand } = world();
  let answer: (evidence: WireEvidence) => void = () => {};
  const wire: Wire = {
    headers: false,
    send: async (attempt) => {
      if (!attempt.mayStart()) return { kind: "not_sent", cause: "permit_lost" };
      return new Promise((resolve) => {
        answer = resolve;
      });
    },
    ask: async () => ({ kind: "result", result: { taskId: "t-1", status: "completed", result: { content: [] } } }),
  };
  await guard.start();
  const calling = guard.perform({ server: "bank", tool: "pay", arguments: { order: 1 } }, wire);
  await hand.move(61_000);
  const { kind, operation } = await calling;
  expect(kind).toBe("uncertain");
  answer({ kind: "result", result: { resultType: "task", taskId: "t-1", status: "working" } });
  await hand.move(10_000);
  expect((await guard.queue.show(operation)).state).toBe("succeeded");
});

it("a task whose server never says anything of use goes to a person after `taskFor`, also where a hook finds nothing", async () => {
  const reconcile = async () => ({ kind: "absent" }) as const;
  const pay = { reconcile, settle: "10s", taskFor: "20m" } as const;
  const { guard, hand } = world({ servers: { bank: { tools: { pay } } } });
  const wire: Wire = {
    headers: false,
    async send(attempt) {
      if (!attempt.mayStart()) return { kind: "not_sent", cause: "permit_lost" };
      return { kind: "result", result: { resultType: "task", taskId: "t-1", status: "working" } };
    },
    ask: async () => ({ kind: "rpc_error", code: -32603, message: "busy", id: "ours" }),
  };
  await guard.start();
  const calling = guard.perform({ server: "bank", tool: "pay", arguments: { order: 1 } }, wire);
  await hand.move(61_000);
  const { operation } = await calling;
  for (let minute = 0; minute < 15; minute++) await hand.move(60_000);
  expect((await guard.queue.show(operation)).state).toBe("uncertain");
  for (let minute = 0; minute < 10; minute++) await hand.move(60_000);
  const { state, reason, next } = await guard.queue.show(operation);
  expect([state, reason]).toEqual(["unresolved", "task_not_asked"]);
  expect(next).toContain('task "t-1"');
});

it("a task that waits for input is followed past the deadline, and its questions are fetched once", async () => {
  const { guard, hand } = world();
  const asked: string[] = [];
  let given = false;
  const wire: Wire = {
    headers: false,
    async send(attempt) {
      if (!attempt.mayStart()) return { kind: "not_sent", cause: "permit_lost" };
      return { kind: "result", result: { task: { taskId: "t-1", status: "working" } } };
    },
    async ask({ method }): Promise<WireEvidence> {
      if (method === "tasks/result" || !given) asked.push(method);
      if (method === "tasks/result") return given ? { kind: "result", result: { content: [] } } : never();
      return { kind: "result", result: { taskId: "t-1", status: given ? "completed" : "input_required" } };
    },
  };
  const calling = guard.perform({ server: "bank", tool: "pay", arguments: { order: 1 } }, wire);
  await hand.move(90_000);
  expect(asked.filter((method) => method === "tasks/result")).toHaveLength(1);
  given = true;
  await hand.move(5_000);
  expect((await calling).kind).toBe("succeeded");
});

it("a caller for whom the server does not know the task takes nothing from the way on which it was made", async () => {
  const { guard, hand } = world();
  let ended = false;
  const task = { resultType: "task", taskId: "t-1", status: "working" };
  const theirs: Wire = {
    headers: false,
    async send(attempt) {
      if (!attempt.mayStart()) return { kind: "not_sent", cause: "permit_lost" };
      return { kind: "result", result: task };
    },
    ask: async () => ({
      kind: "result",
      result: ended ? { taskId: "t-1", status: "completed", result: { content: [] } } : task,
    }),
  };
  const other: Wire = {
    headers: false,
    send: never,
    ask: async () => ({ kind: "rpc_error", code: -32602, message: "no such task", id: "ours" }),
  };
  const call = { server: "bank", tool: "pay", arguments: { order: 1 }, deadline: 1_000 };
  await guard.start();
  const first = guard.perform(call, theirs);
  await hand.move(2_000);
  const { operation } = await first;
  const second = guard.perform(call, other);
  await hand.move(2_000);
  expect(await second).toMatchObject({ kind: "uncertain", operation, reason: "task_running" });
  ended = true;
  await hand.move(60_000);
  expect((await guard.queue.show(operation)).state).toBe("succeeded");
});
