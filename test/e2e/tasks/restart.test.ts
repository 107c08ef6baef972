/** A host dies between the handle of a task and its end: another process finds the end, and nothing is sent twice. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { type FaultServerOptions, faultServerCommand, startFaultServer } from "../../../adapters/testing/index.ts";
import type { QueueDetail } from "../../../src/entries/queue.ts";
import { type ClientName, connectClient } from "../../cases/clients.ts";
import { newFile } from "../../stores/sqlite/support.ts";
import { openHost } from "./host.ts";

const CLIENTS = ["v1", "v2", "v2 2026"] as const;
const INVOICE = { customer: "acme", order: "o-1", amount: 12 };
const PATIENT = { timeout: 15_000, interval: 30 };

/** A host that makes one call, and how to kill it. */
function startHost(file: string, client: ClientName, target: string) {
  const path = fileURLToPath(new URL("children/caller.ts", import.meta.url));
  const child = spawn(process.execPath, ["--import", "tsx", path, file, client, target], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
  };
  onTestFinished(kill);
  return kill;
}

/** Another process as far as the store can tell: a guard of its own on the same file. */
function anotherHost(file: string) {
  const { guard, store } = openHost(file);
  onTestFinished(() => guard.close({ within: 0 }).catch(() => {}));
  const open = async (): Promise<QueueDetail | undefined> => {
    const { items } = await store.list({ index: "open" });
    return items[0] && guard.queue.show(items[0].id);
  };
  /** Resolves when the handle is on record. */
  const handle = () =>
    vi.waitFor(async () => {
      const item = await open();
      expect(item?.next).toContain('task "task-1"');
      return item as QueueDetail;
    }, PATIENT);
  const until = (id: string, state: string) =>
    vi.waitFor(async () => {
      await guard.sweep();
      const item = await guard.queue.show(id);
      expect(item.state).toBe(state);
      return item;
    }, PATIENT);
  return { guard, handle, until };
}

const slow = (late: number): FaultServerOptions => ({
  script: { create_invoice: [{ commit: { late }, reply: { task: "task-1" } }] },
});

async function httpServer(options: FaultServerOptions) {
  const server = await startFaultServer(options);
  onTestFinished(() => server.close());
  return server;
}

test.each(CLIENTS)(
  "W2-03 %s: killed with the handle on record, the sweeper of another process gets the end",
  async (name) => {
    const server = await httpServer(slow(1_500));
    const file = newFile();
    const kill = startHost(file, name, server.url);
    const other = anotherHost(file);
    const { id, state } = await other.handle();
    await kill();
    expect([state, server.log.effects("create_invoice").length]).toEqual(["in_flight", 0]);

    const client = await connectClient(other.guard, "billing.acme", name, {
      ...server,
      server,
      stallsNext: () => false,
    } as never);
    await other.until(id, "succeeded");
    const recalled = await client.call("create_invoice", INVOICE);
    expect(JSON.stringify(recalled.content)).toMatch(/inv_1.*\[recalled\]/s);
    expect(server.log.arrivals("create_invoice")).toHaveLength(1);
    expect(server.log.effects("create_invoice")).toHaveLength(1);
  },
);

test.each(CLIENTS)(
  "W2-03 %s: killed with the handle on record, the model's next call elsewhere gets the end",
  async (name) => {
    const server = await httpServer(slow(1_500));
    const file = newFile();
    const kill = startHost(file, name, server.url);
    const other = anotherHost(file);
    await other.handle();
    await kill();

    const client = await connectClient(other.guard, "billing.acme", name, {
      ...server,
      server,
      stallsNext: () => false,
    } as never);
    const result = await client.call("create_invoice", INVOICE);
    expect(result.isError).toBeFalsy();
    expect(JSON.stringify(result.content)).toContain("inv_1");
    expect(server.log.arrivals("create_invoice")).toHaveLength(1);
    expect(server.log.effects("create_invoice")).toHaveLength(1);
  },
);

test("W2-03 a stdio server that died with its host has forgotten the task: doubt, and a person", async () => {
  const server = faultServerCommand(slow(400));
  onTestFinished(() => server.remove());
  const file = newFile();
  const { command, args, env } = server;
  const kill = startHost(file, "v1", JSON.stringify({ command, args, env }));
  const other = anotherHost(file);
  const { id } = await other.handle();
  await kill();

  await connectClient(other.guard, "billing.acme", "v1", { ...server, stallsNext: () => false } as never);
  const item = await other.until(id, "unresolved");
  expect(item.audit.map(({ row }) => row)).toContain("task_lost");
  expect(server.log.arrivals("create_invoice")).toHaveLength(1);
  expect(server.log.effects("create_invoice").length).toBeLessThanOrEqual(1);
});
