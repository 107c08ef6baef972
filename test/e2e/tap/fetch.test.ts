/** guardFetch: below the tap as its eye, alone as the whole guard. */
import { createMCPClient } from "@ai-sdk/mcp";
import { describe, expect, it, vi } from "vitest";
import { guardFetch } from "../../../adapters/mcp/index.ts";
import type { HttpFaultServer, Step } from "../../../adapters/testing/index.ts";
import type { JsonObject } from "../../../src/index.ts";
import { CLIENTS, type ClientName, type Connected, SERVER } from "./support/clients.ts";
import { type FakeGuard, fakeGuard, sleep } from "./support/fake-guard.ts";
import { unauthorized } from "./support/hosts.ts";
import { BANNED, connected, http, invoices, later, order } from "./support/world.ts";

const SDKS = ["v1", "v2-2025", "v2-2026"] as const;
const ANSWERS = ["json", "sse"] as const;
const EACH = CLIENTS.flatMap((name) => ANSWERS.map((answers) => [name, answers] as const));

/** A client whose transport knows nothing of the guard. */
async function alone(
  name: ClientName,
  server: HttpFaultServer,
  guard: FakeGuard,
): Promise<Pick<Connected, "call" | "close" | "listTools">> {
  const fetch = guardFetch(guard, { server: SERVER });
  if (name !== "ai-sdk") return connected(name, server, { fetch });
  const client = await createMCPClient({ transport: { type: "http", url: server.url, fetch } });
  later(() => client.close());
  return {
    call: (tool, args, options) => client.callTool({ name: tool, arguments: args, options: options as never }) as never,
    listTools: () => client.listTools(),
    close: () => client.close(),
  };
}

describe("guardFetch alone", () => {
  it.each(EACH)("passes a clean call on: %s, %s", async (name, answers) => {
    const server = await http({ answers });
    const guard = fakeGuard();
    const client = await alone(name, server, guard);
    const result = await client.call("create_invoice", order);
    expect(result.structuredContent).toEqual({ id: "inv_1" });
    expect(guard.told).toMatchObject([{ kind: "succeeded" }]);
    expect(server.log.arrivals("create_invoice")).toHaveLength(1);
  });

  it.each(EACH)("answers at our deadline and catches the late answer: %s, %s", async (name, answers) => {
    const server = await http({ ...invoices({ reply: { late: 300 } }), answers });
    const guard = fakeGuard({ deadline: 120 });
    const client = await alone(name, server, guard);
    expect(await client.call("create_invoice", order)).toMatchObject({ isError: true });
    await vi.waitFor(() => expect(guard.evidence).toMatchObject([{ kind: "result" }]), 5000);
    expect(server.log.cancels()).toEqual([]);
  });

  it.each(SDKS)("answers at our deadline inside an open event stream, progress passed on before: %s", async (name) => {
    const server = await http(invoices({ reply: { progress: { every: 40, for: 600 } } }));
    const guard = fakeGuard({ deadline: 150, attempt: { progressed: () => {} } });
    const client = await alone(name, server, guard);
    let seen = 0;
    const result = await client.call("create_invoice", order, {
      onprogress: () => {
        seen += 1;
      },
    });
    expect(result).toMatchObject({ isError: true });
    expect(seen).toBeGreaterThan(0);
    await vi.waitFor(() => expect(guard.evidence).toMatchObject([{ kind: "result" }]), 5000);
  });

  it.each(EACH)("answers a held call without sending it: %s, %s", async (name, answers) => {
    const server = await http({ answers });
    const guard = fakeGuard({ admit: () => ({ kind: "unresolved", reason: "held" }) });
    const client = await alone(name, server, guard);
    expect(await client.call("create_invoice", order)).toMatchObject({ isError: true });
    expect(server.log.arrivals()).toEqual([]);
  });

  it.each(CLIENTS)("recalls with the stored result, marked: %s", async (name) => {
    const answer = { kind: "result" as const, result: { content: [], structuredContent: { id: "inv_9" } } };
    const guard = fakeGuard({ admit: () => ({ kind: "succeeded", recalled: true, answer }) });
    const client = await alone(name, await http(), guard);
    const result = await client.call("create_invoice", order);
    expect(result.structuredContent).toEqual({ id: "inv_9" });
    expect(JSON.stringify(result.content)).toContain("Answered from the record");
  });

  const DOUBT: readonly [title: string, step: Step, reason: RegExp][] = [
    ["a reset", { reply: "reset" }, /connection_reset/],
    ["half an answer", { reply: "truncated" }, /connection_reset/],
    ["a stream that ends", { reply: "close_stream" }, /stream_ended/],
    ["a stream that breaks off", { reply: "sse_reset" }, /connection_reset/],
    ["a gateway's 504", { reply: { status: 504, when: "after" } }, /status 504/],
    ["a web page", { reply: { html: 200 } }, /unexpected_content/],
    ["an answer to somebody else", { reply: "wrong_id" }, /unreadable_answer/],
    ["a 202", { reply: "202" }, /unexpected_content/],
    ["a 409 of the server", { reply: { status: 409, when: "after" } }, /status 409/],
  ];
  it.each(CLIENTS.flatMap((name) => DOUBT.map((row) => [name, ...row] as const)))(
    "%s: %s becomes a result that says so, not an error that frameworks send again",
    async (name, _title, step, reason) => {
      const server = await http(invoices(step));
      const guard = fakeGuard();
      const client = await alone(name, server, guard);
      const result = await client.call("create_invoice", order);
      expect(result.isError).toBe(true);
      expect(JSON.stringify(result)).not.toMatch(BANNED);
      expect(guard.outcomes).toMatchObject([{ kind: "uncertain", reason: expect.stringMatching(reason) }]);
      expect(server.log.effects("create_invoice")).toHaveLength(1);
    },
  );

  it("a key travels in an argument, in _meta and in a header", async () => {
    const server = await http();
    const attempt = {
      arguments: { ...order, idempotency_key: "k" },
      meta: { "com.acme/key": "k" },
      headers: { "Idempotency-Key": "k" },
    };
    const client = await alone("v1", server, fakeGuard({ attempt }));
    await client.call("create_invoice", order);
    expect(server.log.arrivals("create_invoice")).toMatchObject([
      { arguments: { idempotency_key: "k" }, meta: { "com.acme/key": "k" }, keyHeader: "k" },
    ]);
  });

  it.each(EACH)("a further attempt has a fresh id and its answer is the reply: %s, %s", async (name, answers) => {
    const server = await http({ ...invoices({ commit: "none", reply: "never" }, { reply: "ok" }), answers });
    const client = await alone(name, server, fakeGuard({ deadline: 100, sends: 2 }));
    expect((await client.call("create_invoice", order)).structuredContent).toEqual({ id: "inv_2" });
  });

  it.each(SDKS)("a client's timer cancels nothing: %s", async (name) => {
    const server = await http(invoices({ reply: { late: 250 } }));
    const guard = fakeGuard();
    const client = await alone(name, server, guard);
    await expect(client.call("create_invoice", order, { timeout: 100 })).rejects.toThrow();
    await vi.waitFor(() => expect(guard.evidence).toMatchObject([{ kind: "result" }]), 5000);
    expect(server.log.cancels()).toEqual([]);
    expect(guard.told).toEqual([]);
  });

  it.each(EACH)("a late answer after close is still read: %s, %s", async (name, answers) => {
    const server = await http({ ...invoices({ reply: { late: 200 } }), answers });
    const guard = fakeGuard();
    const client = await alone(name, server, guard);
    const reply = client.call("create_invoice", order).catch(() => "closed");
    await server.log.waitFor(({ arrivals }) => arrivals().length === 1);
    await client.close();
    expect(await reply).toBe("closed");
    await vi.waitFor(() => expect(guard.evidence).toMatchObject([{ kind: "result" }]), 5000);
    expect(guard.told).toEqual([]);
  });

  it("a refused connection is proof that nothing was sent", async () => {
    const server = await http();
    const guard = fakeGuard();
    const client = await alone("v1", server, guard);
    server.crash();
    expect(JSON.stringify(await client.call("create_invoice", order))).not.toMatch(BANNED);
    expect(guard.evidence).toEqual([{ kind: "not_sent", cause: "connection_refused" }]);
    await server.restart();
  });

  it("a JSON-RPC error with our id inside a 400 is the server's word", async () => {
    const error = { code: -32602, message: "no such customer" };
    const server = await http(invoices({ commit: "none", reply: { rpcError: error } }));
    const client = await alone("v2-2026", server, fakeGuard());
    await expect(client.call("create_invoice", order)).rejects.toMatchObject({ code: -32602 });
  });

  it.each(SDKS)("tool lists are seen in passing: %s", async (name) => {
    const guard = fakeGuard();
    await (await alone(name, await http({ answers: "sse" }), guard)).listTools();
    await sleep(20);
    expect(guard.tools).toContain("create_invoice");
  });

  it.each(["v1", "v2-2025"] as const)(
    "a stream that broke off is resumed, and the answer that comes then is the reply: %s",
    async (name) => {
      const server = await http(invoices({ reply: "sse_resume" }));
      const guard = fakeGuard({ deadline: 5000 });
      const client = await alone(name, server, guard);
      expect((await client.call("create_invoice", order)).structuredContent).toEqual({ id: "inv_1" });
      expect(guard.outcomes).toMatchObject([{ kind: "succeeded" }]);
      expect(guard.told).toHaveLength(1);
    },
  );

  it("the guard's own failure ends the request with that failure", async () => {
    const failure = Object.assign(new Error("The store does not answer."), { code: "STORE_UNAVAILABLE" });
    const guard = { ...fakeGuard(), perform: async () => Promise.reject(failure) };
    const client = await alone("v1", await http(), guard);
    await expect(client.call("create_invoice", order)).rejects.toBe(failure);
  });

  it("a refusal that a client acts on reaches it as it came", async () => {
    const server = await http(invoices({ commit: "none", reply: unauthorized }));
    const guard = fakeGuard();
    const fetch = guardFetch(guard, { server: SERVER });
    const session = await initialized(server.url);
    const body = { jsonrpc: "2.0", id: 5, method: "tools/call", params: { name: "create_invoice", arguments: order } };
    const response = await fetch(server.url, { method: "POST", body: JSON.stringify(body), headers: session });
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toContain("Bearer");
    expect(guard.outcomes).toMatchObject([{ kind: "rejected" }]);
  });
});

async function initialized(url: string): Promise<Record<string, string>> {
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params });
  const response = await fetch(url, { method: "POST", body });
  return { "mcp-session-id": response.headers.get("mcp-session-id") ?? "" };
}

describe("guardFetch below the tap", () => {
  it.each(SDKS)("sees the end of the stream at once: %s", async (name) => {
    const server = await http(invoices({ reply: "close_stream" }));
    const guard = fakeGuard({ deadline: 10_000 });
    const client = await connected(name, server, { guard, fetch: guardFetch(guard, { server: SERVER }) });
    const started = Date.now();
    expect(await client.call("create_invoice", order)).toMatchObject({ isError: true });
    expect(Date.now() - started).toBeLessThan(9_000);
  });

  it.each(SDKS)("lets a redirect on the same origin pass as the same attempt: %s", async (name) => {
    const redirect = (location: string): Step => ({
      commit: "none",
      reply: { status: 307, when: "before", headers: { location } },
    });
    const server = await http(invoices(redirect("/mcp/"), { reply: "ok" }));
    const guard = fakeGuard();
    const client = await connected(name, server, { guard, fetch: guardFetch(guard, { server: SERVER }) });
    expect((await client.call("create_invoice", order)).isError).toBeFalsy();
    expect(guard.calls).toHaveLength(1);
    expect(server.log.effects("create_invoice")).toHaveLength(1);
  });

  it.each(SDKS)("a resumed stream brings the answer: %s", async (name) => {
    const server = await http(invoices({ reply: "sse_resume" }));
    const guard = fakeGuard({ deadline: 5000 });
    const client = await connected(name, server, { guard, fetch: guardFetch(guard, { server: SERVER }) });
    await client.call("create_invoice", order).catch(() => {});
    expect(guard.outcomes).toMatchObject([{ kind: "succeeded" }]);
  });

  it("knows that nothing was sent when the send failed before any fetch", async () => {
    const server = await http();
    const guard = fakeGuard();
    const client = await connected("v1", server, { guard, fetch: guardFetch(guard, { server: SERVER }) });
    const transport = client.transport as unknown as { _commonHeaders: () => Promise<unknown> };
    transport._commonHeaders = async () => Promise.reject(new Error("no token"));
    await client.call("create_invoice", order);
    expect(guard.evidence).toEqual([{ kind: "not_sent", cause: "not_connected" }]);
  });

  it("reads every byte of the answer as it came", async () => {
    const result: JsonObject = { content: [{ type: "text", text: "übermäßig 漢字 \u2028" }] };
    const server = await http({ ...invoices({ reply: { result } }), answers: "sse" });
    const guard = fakeGuard();
    const client = await connected("v1", server, { guard, fetch: guardFetch(guard, { server: SERVER }) });
    expect(await client.call("create_invoice", order)).toMatchObject(result);
  });
});
