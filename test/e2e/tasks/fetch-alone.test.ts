/** guardFetch alone has no client that recovery could use: a call's own way is kept while its process lives. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { expect, onTestFinished, test, vi } from "vitest";
import { guardFetch } from "../../../adapters/mcp/index.ts";
import { sqliteStore } from "../../../adapters/stores/sqlite/index.ts";
import { type FaultServerOptions, startFaultServer } from "../../../adapters/testing/index.ts";
import { createGuard, type Guard } from "../../../src/index.ts";
import { newFile } from "../../stores/sqlite/support.ts";

const SERVER = "billing.acme";
const INVOICE = { customer: "acme", order: "o-1", amount: 12 };

async function serverOf(late: number) {
  const script: FaultServerOptions["script"] = {
    create_invoice: [{ commit: { late }, reply: { task: { id: "task-1", poll: 50 } } }],
  };
  const server = await startFaultServer({ script });
  onTestFinished(() => server.close());
  return server;
}

/** A process: its guard, and a client under guardFetch and nothing else. */
async function processOf(file: string, url: string, deadline: number, taskFor = 60_000) {
  const create_invoice = { settle: 100, taskFor };
  const guard = createGuard({
    store: sqliteStore({ file }),
    secret: "a secret of these tests",
    sweepEvery: "1h",
    servers: { [SERVER]: { tools: { create_invoice } } },
  });
  onTestFinished(() => guard.close({ within: 0 }).catch(() => {}));
  const fetch = guardFetch(guard, { server: SERVER, deadline }) as never;
  const client = new Client({ name: "alone", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { fetch }) as never);
  onTestFinished(() => client.close().catch(() => {}));
  return { guard, call: () => client.callTool({ name: "create_invoice", arguments: INVOICE }) };
}

async function until(guard: Guard, state: string) {
  const [open] = (await guard.queue.list({ index: "open" })).items;
  return vi.waitFor(
    async () => {
      await guard.sweep();
      const item = await guard.queue.show(open?.id ?? "");
      expect(item.state).toBe(state);
      return item;
    },
    { timeout: 10_000, interval: 50 },
  );
}

test("recovery asks for the end on the way that the call took", async () => {
  const server = await serverOf(800);
  const { guard, call } = await processOf(newFile(), server.url, 200);
  expect(await call()).toMatchObject({ isError: true });
  expect((await until(guard, "succeeded")).attempts).toBe(1);
  expect(await call()).toMatchObject({ structuredContent: { id: "inv_1" } });
  expect(server.log.arrivals("create_invoice")).toHaveLength(1);
});

test("in another process nobody can ask: a person reads what to do, and the next equal call gets the end", async () => {
  const server = await serverOf(2_500);
  const file = newFile();
  const first = await processOf(file, server.url, 1_000, 2_000);
  await first.call();
  await first.guard.close({ within: 0 });

  const { guard, call } = await processOf(file, server.url, 10_000);
  const item = await until(guard, "unresolved");
  expect([item.reason, item.attempts]).toEqual(["task_not_asked", 1]);
  expect(item.next).toMatch(/task "task-1": ask for that task there.*guardClient, guardTransport or the proxy/);
  expect(await call()).toMatchObject({ structuredContent: { id: "inv_1" } });
  expect(await guard.queue.list()).toMatchObject({ items: [] });
  expect([server.log.arrivals("create_invoice").length, server.log.effects("create_invoice").length]).toEqual([1, 1]);
});
