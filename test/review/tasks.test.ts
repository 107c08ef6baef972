import { expect, it } from "vitest";
import type { Wire } from "../../src/index.ts";
import { world } from "./support.ts";

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
