/** Tasks: a call that the server takes on is one operation, and its end is the answer. The effect log is the judge. */
import { expect, test } from "vitest";
import type { Step, TaskPlan } from "../../../adapters/testing/index.ts";
import { INVOICE, overHttp, overStdio, READ, type Scene } from "../../cases/harness.ts";
import { byOrder } from "../../cases/tools.ts";

const CLIENTS = ["v1", "v2", "v2 2026"] as const;
const WAYS = CLIENTS.flatMap((client) => (["http", "stdio", "fetch"] as const).map((way) => [client, way] as const));
type Way = (typeof WAYS)[number][1];

/** The effect lands after `late` ms; the handle is given at once. */
const asTask = (plan: Partial<TaskPlan> = {}, late = 60): Step => ({
  commit: { late },
  reply: { task: { id: "task-1", poll: 50, ...plan } },
});

function scene(client: (typeof CLIENTS)[number], way: Way, step: Step, more: object = {}): Promise<Scene> {
  const given = { client, script: { create_invoice: [step, {}] }, ...more };
  if (way === "stdio") return overStdio(given);
  return overHttp({ ...given, ...(way === "fetch" && { connect: { by: "transport", fetch: true } }) });
}

test.each(WAYS)(
  "%s over %s: the end of the task is the answer, and a repeat is a call of its own",
  async (client, way) => {
    const given = await scene(client, way, asTask());
    const first = await given.call("create_invoice", INVOICE, { deadline: 5_000 });
    expect([first.kind, first.text]).toEqual(["succeeded", expect.stringContaining("inv_1")]);
    expect(given.effects("create_invoice")).toHaveLength(1);

    const second = await given.call("create_invoice", INVOICE, { deadline: 5_000 });
    expect([second.kind, second.outcome.operation === first.outcome.operation]).toEqual(["succeeded", false]);
    expect(given.effects("create_invoice")).toHaveLength(2);
  },
);

test.each(CLIENTS)("%s: a task that outlives the deadline is in doubt, recovery asks for its end", async (client) => {
  const given = await scene(client, "http", asTask({}, 600));
  const first = await given.call("create_invoice", INVOICE, { deadline: 200 });
  expect([first.kind, first.outcome]).toMatchObject(["uncertain", { reason: "task_running" }]);
  const again = await given.call("create_invoice", INVOICE, { deadline: 50 });
  expect([again.kind, again.outcome.operation]).toEqual(["uncertain", first.outcome.operation]);

  const item = await given.until(first.outcome.operation, "succeeded");
  expect(item.attempts).toBe(1);
  const recalled = await given.call("create_invoice", INVOICE);
  expect([recalled.outcome.recalled, recalled.text]).toEqual([true, expect.stringContaining("inv_1")]);
  expect(given.effects("create_invoice")).toHaveLength(1);
  expect(given.arrivals("create_invoice")).toBe(1);
});

test.each(CLIENTS)("%s: a repeat while the task runs waits for its end, and sends nothing", async (client) => {
  const given = await scene(client, "http", asTask({}, 500));
  const first = await given.call("create_invoice", INVOICE, { deadline: 150 });
  const again = await given.call("create_invoice", INVOICE, { deadline: 5_000 });
  expect([first.kind, again.kind]).toEqual(["uncertain", "succeeded"]);
  expect(again.text).toContain("inv_1");
  expect(given.arrivals("create_invoice")).toBe(1);
});

test.each(CLIENTS)("%s: a task that failed proves nothing, like any tool error", async (client) => {
  for (const ends of ["failed", "tool_error"] as const) {
    const given = await scene(client, "http", asTask({ ends }));
    const { kind, isError, text } = await given.call("create_invoice", INVOICE, { deadline: 5_000 });
    expect([kind, isError]).toEqual(["failed", true]);
    expect(text).toMatch(/does not show whether/);
    expect(given.effects("create_invoice")).toHaveLength(1);
  }
});

test.each(CLIENTS)("%s: with a hook a failed task is looked into, and its effect is found", async (client) => {
  const given = await scene(client, "http", asTask({ ends: "failed" }), {
    policy: {
      find_invoice: READ,
      create_invoice: { identityArgs: ["/order"], reconcile: { look: byOrder, settle: 200, staleness: 50 } },
    },
  });
  const { kind, outcome } = await given.call("create_invoice", INVOICE, { deadline: 5_000 });
  expect([kind, outcome]).toMatchObject(["applied", { ref: "inv_1" }]);
});

test.each(CLIENTS.flatMap((client) => (["cancelled", "forgotten"] as const).map((ends) => [client, ends] as const)))(
  "%s: a task that was %s is no evidence: the call is in doubt, and never sent again",
  async (client, ends) => {
    const given = await scene(client, "http", asTask({ ends }));
    const { kind, outcome } = await given.call("create_invoice", INVOICE, { deadline: 3_000 });
    expect(kind).toBe("uncertain");
    expect(outcome).toMatchObject({ reason: ends === "cancelled" ? "task_cancelled" : "task_unknown" });
    expect((await given.call("create_invoice", INVOICE)).kind).toMatch(/uncertain|unresolved/);
    const item = await given.until(outcome.operation, "unresolved");
    expect(item.reason).toBe("no_way_to_find_out");
    expect(given.arrivals("create_invoice")).toBe(1);
    expect(given.effects("create_invoice")).toHaveLength(1);
  },
);

test("a task that runs longer than the operator allows goes to a person, and still settles when it ends", async () => {
  const given = await overHttp({
    script: { create_invoice: [asTask({}, 1_500)] },
    policy: { create_invoice: { taskFor: 300 } },
  });
  const { outcome } = await given.call("create_invoice", INVOICE, { deadline: 100 });
  const item = await given.until(outcome.operation, "unresolved");
  expect([item.reason, item.next]).toEqual(["task_overdue", expect.stringContaining('task "task-1"')]);
  expect((await given.until(outcome.operation, "succeeded")).state).toBe("succeeded");
  expect(await given.queue()).toEqual([]);
});

test("absence is not believed while the task runs: what a hook does not see yet may still come", async () => {
  const given = await overHttp({
    script: { create_invoice: [asTask({}, 1_500)] },
    policy: {
      find_invoice: READ,
      create_invoice: {
        identityArgs: ["/order"],
        settle: 50,
        reconcile: { look: byOrder, settle: 50, staleness: 10, absentReads: 1, resendWhenAbsent: true },
      },
    },
  });
  const { outcome } = await given.call("create_invoice", INVOICE, { deadline: 200 });
  const item = await given.until(outcome.operation, "succeeded", "not_applied", "applied");
  expect([item.state, given.arrivals("create_invoice"), given.effects("create_invoice").length]).toEqual([
    "succeeded",
    1,
    1,
  ]);
});
