/**
 * Tasks through the proxy: the host gets its handle and asks for the end itself; the handle is on record from the start,
 * so that the end is found when host or proxy die. The effect log is the judge.
 */
import { CallToolResultSchema, CreateTaskResultSchema, GetTaskResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { sqliteStore } from "../../adapters/stores/sqlite/index.ts";
import type { Step, TaskPlan } from "../../adapters/testing/index.ts";
import type { QueueDetail } from "../../src/entries/queue.ts";
import { createGuard, type JsonObject } from "../../src/index.ts";
import { SECRET } from "./settings.ts";
import { CLIENTS, type Given, type Host, INVOICE, markOf, PAIRINGS, proxied, type Scene, textOf } from "./support.ts";

const PATIENT = { timeout: 15_000, interval: 50 };
const LIMITS = { lease: 3_000, tools: { create_invoice: { settle: 300 } } } as const;

/** The handle comes at once, the effect after `late` ms. */
const asTask = (late: number, plan: Partial<TaskPlan> = {}): Step => ({
  commit: { late },
  reply: { task: { id: "task-1", poll: 50, ...plan } },
});

const scene = (pairing: Given["pairing"], step: Step, client: Given["client"] = "v1"): Promise<Scene> =>
  proxied({ pairing, client, ...LIMITS, script: { create_invoice: [step, { reply: { task: "task-2" } }] } });

/** What a host does that follows its tasks itself. */
function follower({ client }: Pick<Host, "client">) {
  const request = client.request.bind(client) as (message: object, schema: unknown) => Promise<JsonObject>;
  const params = { name: "create_invoice", arguments: INVOICE, task: { ttl: 60_000 } };
  return {
    start: () => request({ method: "tools/call", params }, CreateTaskResultSchema),
    get: () => request({ method: "tasks/get", params: { taskId: "task-1" } }, GetTaskResultSchema),
    result: () => request({ method: "tasks/result", params: { taskId: "task-1" } }, CallToolResultSchema),
    cancel: () => request({ method: "tasks/cancel", params: { taskId: "task-1" } }, GetTaskResultSchema),
  };
}

/** The record, read by another process than the proxy. */
function recordOf({ settings }: Scene) {
  const guard = createGuard({ store: sqliteStore({ file: settings.store }), secret: SECRET, sweepEvery: "1h" });
  onTestFinished(() => guard.close({ within: 0 }));
  let id: string | undefined;
  const now = async (): Promise<QueueDetail> => {
    id ??= (await guard.queue.list({ index: "open" })).items[0]?.id;
    return guard.queue.show(id ?? "");
  };
  const until = (...states: string[]): Promise<QueueDetail> =>
    vi.waitFor(async () => {
      const item = await now();
      expect(states).toContain(item.state);
      return item;
    }, PATIENT);
  return { now, until };
}

const rows = ({ audit }: QueueDetail): string[] => audit.flatMap(({ row }) => row ?? []);

describe.each(PAIRINGS)("%s", (pairing) => {
  test("W2-03 the handle is on record before the host has it, and what the host is told of the end is the answer", async () => {
    const given = await scene(pairing, asTask(600));
    const host = follower(given);
    const record = recordOf(given);

    expect(await host.start()).toMatchObject({ task: { taskId: "task-1", status: "working", ttl: 60_000 } });
    const item = await record.now();
    expect([item.attempts, item.next]).toEqual([1, expect.stringContaining('task "task-1"')]);
    await vi.waitFor(async () => expect(await host.get()).toMatchObject({ status: "completed" }), PATIENT);
    const end = await host.result();
    expect(end).toMatchObject({ structuredContent: { id: "inv_1" } });
    expect(markOf(end)).toEqual({});
    await vi.waitFor(async () => expect(await record.now()).toMatchObject({ state: "succeeded" }), PATIENT);

    // It was received: the same call is a new wish.
    await vi.waitFor(async () => expect(await host.start()).toMatchObject({ task: { taskId: "task-2" } }), PATIENT);
    await given.landed(2);
  });

  const clients = pairing === "stdio to stdio" || pairing === "http to http" ? CLIENTS : (["v1"] as const);
  test.each(clients)("a host that knows no tasks gets the end as the answer to its call (%s)", async (client) => {
    const given = await scene(pairing, asTask(300), client);
    const result = await given.call("create_invoice", INVOICE);

    expect(result).toMatchObject({ structuredContent: { id: "inv_1" } });
    expect(given.effects()).toBe(1);
  });

  test("a task that waits for input asks the person at the host, and goes on when it has it", async () => {
    const given = await scene(pairing, asTask(50, { asks: true }));
    const result = await given.call("create_invoice", INVOICE);

    expect(result).toMatchObject({ structuredContent: { id: "inv_1" } });
    expect([given.server.log.arrivals("create_invoice").length, given.effects()]).toEqual([1, 1]);
  });

  test("I9 a task that the host cancels may work on: that is doubt, and nothing is sent again", async () => {
    const given = await scene(pairing, asTask(900));
    const host = follower(given);
    const record = recordOf(given);
    await host.start();

    expect(await host.cancel()).toMatchObject({ status: "cancelled" });
    const item = await record.until("unresolved");
    expect(rows(item)).toContain("task_lost");
    const again = await given.call("create_invoice", INVOICE);
    expect(textOf(again)).toMatch(/not sent/);
    await given.landed(1);
    expect(given.server.log.arrivals("create_invoice")).toHaveLength(1);
  });

  test("a task that the server has forgotten is doubt for a person, and nothing is sent again", async () => {
    const given = await scene(pairing, asTask(200, { ends: "forgotten" }));
    const host = follower(given);
    const record = recordOf(given);
    await host.start();

    await expect(host.get()).rejects.toMatchObject({ code: -32602 });
    const item = await record.until("unresolved");
    expect(rows(item)).toContain("task_lost");
    expect(textOf(await given.call("create_invoice", INVOICE))).toMatch(/not sent/);
    expect(given.server.log.arrivals("create_invoice")).toHaveLength(1);
  });
});

test.each(["http to http", "stdio to http"] as const)(
  "W2-03 %s: a proxy that is killed while the task runs: the next one asks for the end, before anything else",
  async (pairing) => {
    const given = await scene(pairing, asTask(2_500));
    const record = recordOf(given);
    await follower(given).start();
    expect((await record.now()).next).toContain('task "task-1"');
    await given.killProxy();
    const host = await given.again();

    const item = await record.until("succeeded");
    expect(item.attempts).toBe(1);
    // The host of today may still ask for it, and is told the same by the server.
    expect(await follower(host).result()).toMatchObject({ structuredContent: { id: "inv_1" } });
    const again = await host.call("create_invoice", INVOICE);
    expect(again).toMatchObject({ structuredContent: { id: "inv_1" } });
    expect(markOf(again).recalled).toBe(true);
    expect([given.server.log.arrivals("create_invoice").length, given.effects()]).toEqual([1, 1]);
  },
);

test.each(["stdio to stdio", "http to stdio"] as const)(
  "W2-03 %s: a server that died with its proxy knows the task no more: doubt for a person, and nothing is sent again",
  async (pairing) => {
    const given = await scene(pairing, asTask(2_500));
    const record = recordOf(given);
    await follower(given).start();
    expect((await record.now()).next).toContain('task "task-1"');
    await given.killProxy();
    const host = await given.again();

    const item = await record.until("unresolved");
    expect(rows(item)).toContain("task_lost");
    expect(textOf(await host.call("create_invoice", INVOICE))).toMatch(/not sent/);
    expect(given.server.log.arrivals("create_invoice")).toHaveLength(1);
    expect(given.effects()).toBeLessThanOrEqual(1);
  },
);
