/** The tap on the real engine: what the model reads and what the server did, for each client and transport. */
import { describe, expect, it, vi } from "vitest";
import { guardClient, guardFetch } from "../../../adapters/mcp/index.ts";
import { memoryStore } from "../../../adapters/stores/memory/index.ts";
import {
  applied,
  createGuard,
  type Guard,
  type GuardOptions,
  type JsonObject,
  unclear,
  withCallContext,
} from "../../../src/index.ts";
import { CLIENTS, clientV1, clientV2, SERVER, transportFor } from "./support/clients.ts";
import { sleep } from "./support/fake-guard.ts";
import { BANNED, connected, http, invoices, later, order, serverOver } from "./support/world.ts";

const OVER = CLIENTS.flatMap((name) => (["http", "stdio"] as const).map((kind) => [name, kind] as const));
const SDKS = ["v1", "v2-2025", "v2-2026"] as const;
type Tool = NonNullable<NonNullable<GuardOptions["servers"]>[string]["tools"]>[string];

function engine(tool: Tool = {}, options: Partial<GuardOptions> = {}): Guard {
  const tools = { create_invoice: tool, find_invoice: { effect: "read" as const } };
  const guard = createGuard({ store: memoryStore(), servers: { [SERVER]: { tools } }, deadline: "20s", ...options });
  later(() => guard.close({ within: 100 }));
  return guard;
}

const said = (result: JsonObject): string => JSON.stringify(result.content);

/** The same call again until it shares the late answer; held calls send nothing meanwhile. */
const recalled = (call: () => Promise<JsonObject>): Promise<JsonObject> =>
  vi.waitFor(
    async () => {
      const result = await call();
      expect(said(result)).toMatch(/\[(recalled|joined)\]/);
      return result;
    },
    { timeout: 8000 },
  );

describe("the tap on the engine", () => {
  it.each(OVER)("a clean call is one effect and its answer: %s over %s", async (name, kind) => {
    const server = await serverOver(kind);
    const client = await connected(name, server, { guard: engine() });
    const result = await client.call("create_invoice", order);
    expect(result).toMatchObject({ structuredContent: { id: "inv_1" } });
    expect(result.content).toHaveLength(1);
    expect(server.log.effects()).toHaveLength(1);
  });

  it.each(OVER)("the same call twice, both answered, is two effects: %s over %s", async (name, kind) => {
    const server = await serverOver(kind);
    const client = await connected(name, server, { guard: engine() });
    for (const id of ["inv_1", "inv_2"]) {
      expect(await client.call("create_invoice", order)).toMatchObject({ structuredContent: { id } });
    }
  });

  it.each(OVER)("a lost answer is doubt, and the same call again is held: %s over %s", async (name, kind) => {
    const server = await serverOver(kind, invoices({ reply: "never" }));
    const guard = engine();
    const client = await connected(name, server, { guard, deadline: 250 });
    for (let time = 0; time < 3; time += 1) {
      const result = await client.call("create_invoice", order);
      expect(result.isError).toBe(true);
      expect(said(result)).toContain("Do not repeat this action");
      expect(JSON.stringify(result)).not.toMatch(BANNED);
    }
    expect(server.log.arrivals("create_invoice")).toHaveLength(1);
    expect((await guard.queue.list()).items.length).toBeLessThanOrEqual(1);
  });

  it.each(OVER)(
    "an answer that comes late settles the operation, and the repeat recalls it: %s over %s",
    async (name, kind) => {
      const server = await serverOver(kind, invoices({ reply: { late: 400 } }));
      const client = await connected(name, server, { guard: engine(), deadline: 200 });
      expect((await client.call("create_invoice", order)).isError).toBe(true);
      const repeat = await recalled(() => client.call("create_invoice", order));
      expect(repeat).toMatchObject({ structuredContent: { id: "inv_1" } });
      expect(server.log.arrivals("create_invoice")).toHaveLength(1);
    },
  );

  it.each(OVER)(
    "a call that its client gave up on is not delivered, so the repeat recalls it: %s over %s",
    async (name, kind) => {
      const server = await serverOver(kind, invoices({ reply: { late: 250 } }));
      const client = await connected(name, server, { guard: engine() });
      await expect(client.call("create_invoice", order, { timeout: 100 })).rejects.toThrow();
      await recalled(() => client.call("create_invoice", order));
      expect(server.log.arrivals("create_invoice")).toHaveLength(1);
      expect(server.log.cancels()).toEqual([]);
    },
  );

  it.each(OVER)("two of the same at once are one effect: %s over %s", async (name, kind) => {
    const server = await serverOver(kind, invoices({ reply: { late: 150 } }));
    const client = await connected(name, server, { guard: engine() });
    const results = await Promise.all([client.call("create_invoice", order), client.call("create_invoice", order)]);
    expect(results.map(({ structuredContent }) => structuredContent)).toEqual([{ id: "inv_1" }, { id: "inv_1" }]);
    expect(results.filter((result) => said(result).includes("[joined]"))).toHaveLength(1);
    expect(server.log.effects()).toHaveLength(1);
  });

  it.each(OVER)("32 different calls at once get each their own answer: %s over %s", async (name, kind) => {
    const server = await serverOver(kind);
    const client = await connected(name, server, { guard: engine() });
    const calls = Array.from({ length: 32 }, (_, amount) => client.call("create_invoice", { ...order, amount }));
    const ids = (await Promise.all(calls)).map(({ structuredContent }) => (structuredContent as JsonObject).id);
    expect(new Set(ids).size).toBe(32);
    const effects = server.log.effects();
    for (const [amount, id] of ids.entries()) {
      expect(effects.find(({ reference }) => reference === id)?.arguments.amount).toBe(amount);
    }
  });

  it.each(["v1", "v2-2025", "v2-2026", "ai-sdk"] as const)(
    "a killed stdio server is doubt at once, told and not thrown: %s",
    async (name) => {
      const server = await serverOver("stdio", invoices({ reply: "kill_process" }));
      const client = await connected(name, server, { guard: engine({}, { deadline: "20s" }) });
      const result = await client.call("create_invoice", order);
      expect(result.isError).toBe(true);
      expect(JSON.stringify(result)).not.toMatch(BANNED);
    },
  );

  it.each(OVER)("a hook looks over the same connection and settles the doubt: %s over %s", async (name, kind) => {
    const server = await serverOver(kind, invoices({ reply: "never" }));
    const guard = engine({
      settle: "1s",
      reconcile: async (_intent, { call }) => {
        const found = await call("find_invoice", { order: "o1" });
        const [invoice] = ((found.structuredContent as JsonObject).invoices ?? []) as JsonObject[];
        return invoice ? applied({ ref: String(invoice.id) }) : unclear("not there yet");
      },
    });
    const client = await connected(name, server, { guard, deadline: 2000 });
    const result = await client.call("create_invoice", order);
    expect(said(result)).toContain("[applied]");
    expect(said(result)).toContain("inv_1");
    expect(server.log.arrivals("create_invoice")).toHaveLength(1);
  });

  it.each(SDKS)("a rejection is thrown as the SDK throws it, and the repeat is sent: %s", async (name) => {
    const error = { code: -32602, message: "no such customer" };
    const server = await http(invoices({ commit: "none", reply: { rpcError: error } }, { reply: "ok" }));
    const client = await connected(name, server, { guard: engine() });
    await expect(client.call("create_invoice", order)).rejects.toMatchObject({ code: -32602 });
    expect(await client.call("create_invoice", order)).toMatchObject({ structuredContent: { id: "inv_2" } });
  });

  it.each(SDKS)("the caller's own abort is told to the server, and the call stays in doubt: %s", async (name) => {
    const server = await http(invoices({ reply: { late: 300 } }));
    const client = guardClient(engine(), SERVER, name === "v1" ? clientV1() : clientV2(name));
    await client.connect(transportFor(name, server, {}) as never);
    later(() => client.close());
    const abort = new AbortController();
    const outcome = client.perform({ name: "create_invoice", arguments: order }, { signal: abort.signal });
    await server.log.waitFor(({ arrivals }) => arrivals().length === 1);
    abort.abort();
    expect((await outcome).kind).toBe("uncertain");
    await server.log.waitFor(({ cancels }) => cancels().length === 1);
  });

  it("a server that comes up in time gets the call once", async () => {
    const server = await http();
    const client = await connected("v1", server, { guard: engine({}, { deadline: "5s" }) });
    server.crash();
    const result = client.call("create_invoice", order);
    await sleep(150);
    await server.restart();
    await result;
    expect(server.log.effects().length).toBeLessThanOrEqual(1);
  });

  it.each(SDKS)("the same tool call of the framework is one effect, whatever the transport does: %s", async (name) => {
    const server = await http(invoices({ reply: "reset" }, { reply: "ok" }));
    const client = await connected(name, server, { guard: engine() });
    const call = () =>
      withCallContext({ runId: "run", toolCallId: "call_1" }, () => client.call("create_invoice", order));
    await call();
    await call();
    expect(server.log.effects()).toHaveLength(1);
  });
});

describe("guardFetch alone on the engine", () => {
  it.each(SDKS)("a framework that sends again on every error writes once: %s", async (name) => {
    const server = await http(invoices({ reply: "reset" }, { reply: "ok" }));
    const fetch = guardFetch(engine(), { server: SERVER });
    const client = await connected(name, server, { fetch });
    for (let time = 0; time < 3; time += 1) {
      const result = await client.call("create_invoice", order).catch((error: unknown) => error);
      expect(result).toMatchObject({ isError: true });
    }
    expect(server.log.effects()).toHaveLength(1);
    expect(server.log.arrivals("create_invoice")).toHaveLength(1);
  });

  it.each(SDKS)("the late answer after close is recalled by the next client: %s", async (name) => {
    const server = await http(invoices({ reply: { late: 200 } }));
    const fetch = guardFetch(engine(), { server: SERVER });
    const first = await connected(name, server, { fetch });
    const lost = first.call("create_invoice", order).catch(() => "closed");
    await server.log.waitFor(({ arrivals }) => arrivals().length === 1);
    await first.close();
    await lost;
    const second = await connected(name, server, { fetch });
    await recalled(() => second.call("create_invoice", order));
    expect(server.log.arrivals("create_invoice")).toHaveLength(1);
  });
});
