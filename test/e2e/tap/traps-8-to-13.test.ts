/** The traps of the seam, in the order of the facts sheet: each was measured to break a naive tap. */
import { describe, expect, it } from "vitest";
import { guardClient, guardFetch, guardTransport } from "../../../adapters/mcp/index.ts";
import type { JsonObject } from "../../../src/index.ts";
import { CLIENTS, clientV1, clientV2, SERVER, transportFor } from "./support/clients.ts";
import { fakeGuard, sleep } from "./support/fake-guard.ts";
import { onElicitation } from "./support/hosts.ts";
import { pipe } from "./support/pipe.ts";
import { connected, http, invoices, later, order, stdio } from "./support/world.ts";

const call = (id: unknown, extra: JsonObject = {}) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "create_invoice", arguments: order, ...extra },
});
const _answer = (id: unknown) => ({ jsonrpc: "2.0", id, result: { content: [] } });

describe("trap 8: task-augmented calls", () => {
  it("get a JSON-RPC error instead of a local isError", async () => {
    const guard = fakeGuard({ admit: () => ({ kind: "unresolved", reason: "held" }) });
    const { transport, messages, received } = pipe();
    guardTransport(guard, SERVER, transport);
    transport.onmessage = received;
    await transport.send(call(1, { task: { ttl: 1000 } }));
    expect(messages).toMatchObject([{ id: 1, error: { message: expect.stringContaining("[indoubt:unresolved]") } }]);
  });
});

describe("trap 9: progress after a local answer", () => {
  it.each(["v1", "v2-2025", "v2-2026"] as const)("%s: is swallowed, and extends nothing", async (name) => {
    const server = await http(invoices({ reply: { progress: { every: 50, for: 3000 } } }));
    const guard = fakeGuard({ deadline: 500, attempt: { progressed: () => {} } });
    const client = await connected(name, server, { guard });
    let seen = 0;
    const errors: unknown[] = [];
    const inner = client.transport.onerror;
    client.transport.onerror = (error: Error) => {
      errors.push(error);
      inner?.(error);
    };
    await client.call("create_invoice", order, {
      onprogress: () => {
        seen += 1;
      },
    });
    const atAnswer = seen;
    expect(atAnswer).toBeGreaterThan(0);
    await sleep(300);
    expect(seen).toBe(atAnswer);
    expect(errors).toEqual([]);
  });

  it.each(["v1", "v2-2026"] as const)("%s: before it progress is passed on and extends the deadline", async (name) => {
    const server = await http(invoices({ reply: { progress: { every: 60, for: 400 } } }));
    const guard = fakeGuard({ deadline: 250 });
    const client = await connected(name, server, { guard });
    let seen = 0;
    const result = await client.call("create_invoice", order, {
      onprogress: () => {
        seen += 1;
      },
    });
    expect(result.isError).toBeFalsy();
    expect(seen).toBeGreaterThan(2);
    expect(guard.progress).toBeGreaterThan(2);
  });
});

describe("trap 10: v2 sends again after -32020", () => {
  it("the second send is a call of its own in the same context, after a rejection", async () => {
    const refused = { code: -32020, message: "HeaderMismatch" };
    const server = await http(invoices({ commit: "none", reply: { rpcError: refused } }, { reply: "ok" }));
    const guard = fakeGuard();
    const client = guardClient(guard, SERVER, clientV2("v2-2026"));
    await client.connect(transportFor("v2-2026", server, {}) as never);
    later(() => client.close());
    const outcome = await client.perform({ name: "create_invoice", arguments: order }, { operationId: "op-1" });
    expect(outcome.kind).toBe("succeeded");
    expect(guard.outcomes.map(({ kind }) => kind)).toEqual(["rejected", "succeeded"]);
    expect(guard.calls.map(({ operationId }) => operationId)).toEqual(["op-1", "op-1"]);
    expect(server.log.effects("create_invoice")).toHaveLength(1);
  });
});

describe("trap 11: what has no request is not cancelled", () => {
  it.each(["v1", "v2-2025"] as const)("%s: a joined call that is taken back tells the server nothing", async (name) => {
    const server = stdio();
    const guard = fakeGuard({
      cancel: "forward",
      admit: () => sleep(300).then(() => ({ kind: "abandoned" as const })),
    });
    const client = await connected(name, server, { guard });
    const abort = new AbortController();
    const reply = client.call("create_invoice", order, { signal: abort.signal });
    await sleep(50);
    abort.abort();
    await expect(reply).rejects.toThrow();
    await sleep(100);
    expect(server.log.cancels()).toEqual([]);
    expect(guard.told).toEqual([]);
  });

  it.each(CLIENTS)("%s: a call that is taken back before its send is not sent", async (name) => {
    const server = await http();
    const guard = fakeGuard({ admit: () => sleep(150).then(() => undefined) });
    const client = await connected(name, server, { guard });
    const abort = new AbortController();
    const reply = client.call("create_invoice", order, { signal: abort.signal });
    await sleep(50);
    abort.abort();
    await expect(reply).rejects.toThrow();
    await sleep(250);
    expect(guard.evidence).toEqual([{ kind: "not_sent", cause: "aborted_before_send" }]);
    expect(server.log.arrivals()).toEqual([]);
  });
});

describe("trap 12: batches", () => {
  it("with a tool call are refused by the tap", async () => {
    const guard = fakeGuard();
    const { transport, server } = pipe();
    guardTransport(guard, SERVER, transport);
    await expect(transport.send([call(1), call(2)])).rejects.toMatchObject({ code: "CALL_REFUSED" });
    expect(server.seen).toEqual([]);
  });

  it("with a tool call are refused by guardFetch, each request with an error", async () => {
    const server = await http();
    const guard = fakeGuard();
    const fetch = guardFetch(guard, { server: SERVER });
    const body = JSON.stringify([call(1), { jsonrpc: "2.0", id: 2, method: "ping" }]);
    const response = await fetch(server.url, { method: "POST", body });
    expect(await response.json()).toMatchObject([
      { id: 1, error: { code: -32600 } },
      { id: 2, error: { code: -32600 } },
    ]);
    expect(server.log.arrivals()).toEqual([]);
  });
});

describe("trap 13: one guardFetch for several clients", () => {
  it("two clients that count alike do not take each other's posts for re-posts", async () => {
    const server = await http(invoices({ reply: { late: 100 } }));
    const guard = fakeGuard();
    const fetch = guardFetch(guard, { server: SERVER });
    const clients = await Promise.all(["v1", "v1"].map(() => connected("v1", server, { guard, fetch })));
    const results = await Promise.all(clients.map((client) => client.call("create_invoice", order)));
    expect(results.map(({ isError }) => isError ?? false)).toEqual([false, false]);
    expect(server.log.effects("create_invoice")).toHaveLength(2);
  });

  it("a tool call of another client inside an elicitation handler is guarded on its own", async () => {
    const asking = await http({ ...invoices({ reply: { elicitation: 1000 } }), eras: "2025-11-25" });
    const other = await http();
    const guard = fakeGuard();
    const fetch = guardFetch(guard, { server: SERVER });
    const inner = await connected("v1", other, { fetch });
    const client = clientV1({ elicitation: {} });
    onElicitation(client, async () => {
      await inner.call("create_invoice", order);
      return { action: "accept", content: {} };
    });
    await client.connect(guardTransport(guard, SERVER, transportFor("v1", asking, { fetch })) as never);
    later(() => client.close());
    await client.callTool({ name: "create_invoice", arguments: order });
    expect(guard.calls).toHaveLength(2);
    expect(other.log.effects("create_invoice")).toHaveLength(1);
    expect(asking.log.effects("create_invoice")).toHaveLength(1);
  });
});
