/** Callers that ask for a task and follow it themselves: they get the handle, and what they hear of its end is the answer. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { CallToolResultSchema, CreateTaskResultSchema, GetTaskResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { expect, onTestFinished, test, vi } from "vitest";
import { guardFetch, guardTransport } from "../../../adapters/mcp/index.ts";
import { memoryStore } from "../../../adapters/stores/memory/index.ts";
import { startFaultServer } from "../../../adapters/testing/index.ts";
import { createGuard, type Guard, type JsonObject } from "../../../src/index.ts";

const SERVER = "billing.acme";
const INVOICE = { customer: "acme", order: "o-1", amount: 12 };

async function world() {
  const step = (id: string) => ({ commit: { late: 150 }, reply: { task: { id } } });
  const server = await startFaultServer({ script: { create_invoice: [step("task-1"), step("task-2")] } });
  const guard = createGuard({ store: memoryStore(), sweepEvery: "1h", servers: { [SERVER]: {} } });
  onTestFinished(async () => {
    await guard.close({ within: 0 });
    await server.close();
  });
  return { server, guard };
}

/** Asks until it is over. @returns the last answer */
async function followed(ask: () => Promise<JsonObject>): Promise<JsonObject> {
  return vi.waitFor(
    async () => {
      const seen = await ask();
      expect(seen.status).toBe("completed");
      return seen;
    },
    { timeout: 15_000, interval: 30 },
  );
}

async function v1(guard: Guard, url: string, by: "transport" | "fetch") {
  const fetch = by === "fetch" ? { fetch: guardFetch(guard, { server: SERVER }) as never } : {};
  const transport = new StreamableHTTPClientTransport(new URL(url), fetch);
  if (by === "transport") guardTransport(guard, SERVER, transport);
  const client = new Client({ name: "own", version: "1.0.0" });
  await client.connect(transport as never);
  onTestFinished(() => client.close().catch(() => {}));
  const params = { name: "create_invoice", arguments: INVOICE, task: { ttl: 60_000 } };
  return {
    call: () => client.request({ method: "tools/call", params }, CreateTaskResultSchema),
    get: (taskId: string) => client.request({ method: "tasks/get", params: { taskId } }, GetTaskResultSchema),
    result: (taskId: string) => client.request({ method: "tasks/result", params: { taskId } }, CallToolResultSchema),
  };
}

test.each(["transport", "fetch"] as const)(
  "2025 era, guarded by %s: the handle comes as it was made, its result is recorded and delivered",
  async (by) => {
    const { server, guard } = await world();
    const client = await v1(guard, server.url, by);
    const settled: string[] = [];
    guard.on("transition", ({ row }) => void settled.push(row));
    const first = await client.call();
    expect(first).toMatchObject({ task: { taskId: "task-1", status: "working" } });
    expect(first).not.toHaveProperty("content");
    await followed(() => client.get("task-1") as Promise<JsonObject>);
    expect(await client.result("task-1")).toMatchObject({ content: [{ text: expect.stringContaining("inv_1") }] });
    await vi.waitFor(() => expect(settled).toContain("ok"), 10_000);

    const second = await client.call();
    expect(second.task.taskId).toBe("task-2");
    await server.log.waitFor(({ effects }) => effects("create_invoice").length === 2);
  },
);

test("2025 era: a repeat while the task runs is not sent, and is told so by an error, for a task was asked for", async () => {
  const { server, guard } = await world();
  const client = await v1(guard, server.url, "transport");
  await client.call();
  await expect(client.call()).rejects.toMatchObject({
    code: -32603,
    message: expect.stringContaining("Do not repeat"),
  });
  expect(server.log.arrivals("create_invoice")).toHaveLength(1);
});

test("2026 era: a caller whose capabilities name tasks gets the handle, and a later call is a call of its own", async () => {
  const { server, guard } = await world();
  const post = guardFetch(guard, { server: SERVER });
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": { extensions: { "io.modelcontextprotocol/tasks": {} } },
  };
  let id = 0;
  const ask = async (method: string, name: string, params: object): Promise<JsonObject> => {
    const response = await post(server.url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": method,
        "mcp-name": name,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params: { ...params, _meta } }),
    });
    return ((await response.json()) as { result: JsonObject }).result;
  };
  const call = () => ask("tools/call", "create_invoice", { name: "create_invoice", arguments: INVOICE });
  expect(await call()).toMatchObject({ resultType: "task", taskId: "task-1" });
  const end = await followed(() => ask("tasks/get", "task-1", { taskId: "task-1" }));
  expect(end).toMatchObject({ result: { content: [{ text: expect.stringContaining("inv_1") }] } });
  await vi.waitFor(async () => expect(await call()).toMatchObject({ resultType: "task", taskId: "task-2" }), 10_000);
  await server.log.waitFor(({ effects }) => effects("create_invoice").length === 2);
});
