/** Other transports, and the edges of the ordinary ones. */
import { createMCPClient } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport as AiStdio } from "@ai-sdk/mcp/mcp-stdio";
import { describe, expect, it, vi } from "vitest";
import { guardFetch, guardTransport } from "../../../adapters/mcp/index.ts";
import { withCallContext } from "../../../src/index.ts";
import { CLIENTS, SERVER } from "./support/clients.ts";
import { fakeGuard, sleep } from "./support/fake-guard.ts";
import { pipe } from "./support/pipe.ts";
import { connected, http, invoices, later, order, stdio } from "./support/world.ts";

describe("other transports", () => {
  it("the stdio transport of @ai-sdk/mcp is guarded like any other", async () => {
    const { command, args, env, log } = stdio(invoices({ reply: "kill_process" }));
    const guard = fakeGuard({ deadline: 5000 });
    const transport = guardTransport(guard, SERVER, new AiStdio({ command, args, env, stderr: "ignore" }));
    const client = await createMCPClient({ transport });
    later(() => client.close());
    const result = await client.callTool({ name: "create_invoice", arguments: order });
    expect(result).toMatchObject({ isError: true });
    expect(guard.evidence).toEqual([{ kind: "silence", cause: "connection_closed" }]);
    expect(log.effects()).toHaveLength(1);
  });
});

describe("edges", () => {
  it.each(["v1", "v2-2025"] as const)(
    "%s: an answer too long for the client's line leaves doubt at once",
    async (name) => {
      const server = stdio(invoices({ reply: "huge" }));
      const guard = fakeGuard({ deadline: 20_000 });
      const client = await connected(name, server, { guard });
      expect(await client.call("create_invoice", order)).toMatchObject({ isError: true });
      expect(guard.evidence).toEqual([{ kind: "silence", cause: "connection_closed" }]);
    },
  );

  it("a reply that is never recorded does not keep the client from hearing of the close", async () => {
    const guard = fakeGuard({ recording: 60_000 });
    const { transport, server, received } = pipe();
    guardTransport(guard, SERVER, transport);
    transport.onmessage = received;
    const heard = new Promise<void>((resolve) => {
      transport.onclose = resolve;
    });
    void transport.send({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "create_invoice" } });
    await sleep(5);
    const started = Date.now();
    server.close();
    await heard;
    expect(Date.now() - started).toBeLessThan(6_000);
    expect(guard.told).toEqual([]);
  });

  it("a second answer is swallowed, also after the reply", async () => {
    const guard = fakeGuard();
    const { transport, server, messages, received } = pipe();
    guardTransport(guard, SERVER, transport);
    transport.onmessage = received;
    void transport.send({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "create_invoice" } });
    await sleep(5);
    for (let time = 0; time < 3; time += 1) server.reply({ jsonrpc: "2.0", id: 1, result: { content: [] } });
    await sleep(5);
    server.reply({ jsonrpc: "2.0", id: 1, result: { content: [] } });
    expect(messages).toHaveLength(1);
    expect(guard.evidence).toHaveLength(1);
  });

  it("a reply that the client's handler throws at does not count as delivered", async () => {
    const guard = fakeGuard();
    const { transport, server } = pipe();
    guardTransport(guard, SERVER, transport);
    transport.onmessage = () => {
      throw new Error("unknown id");
    };
    void transport.send({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "create_invoice" } });
    await sleep(5);
    server.reply({ jsonrpc: "2.0", id: 1, result: { content: [] } });
    await vi.waitFor(() => expect(guard.outcomes).toMatchObject([{ kind: "succeeded" }]), 10_000);
    expect(guard.told).toEqual([]);
  });

  it("everything that is no tool call passes as the same object", async () => {
    const { transport, server, messages, received } = pipe();
    guardTransport(fakeGuard(), SERVER, transport);
    transport.onmessage = received;
    const ping = { jsonrpc: "2.0", id: 7, method: "ping" };
    const pong = { jsonrpc: "2.0", id: 7, result: {} };
    await transport.send(ping);
    server.reply(pong);
    expect(server.seen[0]).toBe(ping);
    expect(messages[0]).toBe(pong);
  });

  it.each(CLIENTS)("%s: the reply runs in the context of its call", async (name) => {
    const seen: unknown[] = [];
    const guard = fakeGuard();
    const client = await connected(name, stdio(), { guard });
    const { onmessage } = client.transport;
    const { currentCallContext } = await import("../../../src/entries/wire.ts");
    client.transport.onmessage = ((message: unknown, extra: unknown) => {
      seen.push(currentCallContext().runId);
      (onmessage as (...args: unknown[]) => void)(message, extra);
    }) as never;
    const call = (runId: string) =>
      withCallContext({ runId }, () => client.call("create_invoice", { ...order, memo: runId }));
    await Promise.all([call("run-1"), call("run-2")]);
    expect(seen.sort()).toEqual(["run-1", "run-2"]);
  });

  it("a caller's abort ends the request below guardFetch alone where the policy forwards it (2026 era)", async () => {
    const server = await http(invoices({ reply: { late: 400 } }));
    const guard = fakeGuard({ cancel: "forward" });
    const client = await connected("v2-2026", server, { fetch: guardFetch(guard, { server: SERVER }) });
    const { signal, abort } = ((controller) => ({ signal: controller.signal, abort: () => controller.abort() }))(
      new AbortController(),
    );
    const reply = withCallContext({ signal }, () => client.call("create_invoice", order, { signal }));
    reply.catch(() => {});
    await server.log.waitFor(({ arrivals }) => arrivals().length === 1);
    abort();
    await expect(reply).rejects.toThrow();
    await server.log.waitFor(({ cancels }) => cancels().length === 1);
    expect(guard.evidence).toEqual([{ kind: "silence", cause: "caller_aborted" }]);
  });

  it("guardFetch takes a Request object too", async () => {
    const server = await http({ sessions: "stateless" });
    const guard = fakeGuard();
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "create_invoice", arguments: order },
    });
    const fetch = guardFetch(guard, { server: SERVER });
    const response = await fetch(new Request(server.url, { method: "POST", body }));
    expect(await response.json()).toMatchObject({ id: 1, result: { structuredContent: { id: "inv_1" } } });
    expect(guard.told).toHaveLength(1);
  });

  it("guardFetch sees a tool call in bytes too, and leaves forms alone", async () => {
    const server = await http({ sessions: "stateless" });
    const guard = fakeGuard();
    const passed: unknown[] = [];
    const below: typeof globalThis.fetch = async (input, init) => {
      passed.push(init?.body);
      return String(input) === server.url ? fetch(input, init) : new Response("ok");
    };
    const guarded = guardFetch(guard, { server: SERVER, fetch: below });
    const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "create_invoice", arguments: order } };
    const headers = { "content-type": "application/json" };
    await guarded(server.url, { method: "POST", headers, body: new TextEncoder().encode(JSON.stringify(call)) });
    expect(guard.told).toHaveLength(1);
    const form = new URLSearchParams({ grant_type: "refresh_token" });
    await guarded("http://localhost/token", { method: "POST", body: form });
    expect(passed.at(-1)).toBe(form);
  });

  it("a body that something between wrote anew is still this attempt's", async () => {
    const server = await http();
    const guard = fakeGuard();
    const below = guardFetch(guard, { server: SERVER });
    const spaced: typeof globalThis.fetch = (input, init) =>
      below(
        input,
        typeof init?.body === "string" ? { ...init, body: JSON.stringify(JSON.parse(init.body), null, 2) } : init,
      );
    const client = await connected("v1", server, { guard, fetch: spaced });
    expect((await client.call("create_invoice", order)).isError).toBeFalsy();
    expect(guard.calls).toHaveLength(1);
  });
});
