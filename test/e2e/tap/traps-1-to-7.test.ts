/** The traps of the seam, in the order of the facts sheet: each was measured to break a naive tap. */
import { describe, expect, it, vi } from "vitest";
import { guardClient, guardFetch, guardTransport } from "../../../adapters/mcp/index.ts";
import type { JsonObject } from "../../../src/index.ts";
import { CLIENTS, clientV1, clientV2, SERVER, transportFor } from "./support/clients.ts";
import { fakeGuard, sleep } from "./support/fake-guard.ts";
import { signedIn, unauthorized } from "./support/hosts.ts";
import { pipe } from "./support/pipe.ts";
import { connected, http, invoices, later, order, stdio } from "./support/world.ts";

const call = (id: unknown, extra: JsonObject = {}) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "create_invoice", arguments: order, ...extra },
});
const answer = (id: unknown) => ({ jsonrpc: "2.0", id, result: { content: [] } });

describe("trap 1: ids compare as numbers", () => {
  it.each(CLIENTS)('%s: an answer to id "1" settles the call with id 1', async (name) => {
    const server = await http(invoices({ reply: "string_id" }));
    const guard = fakeGuard();
    const client = await connected(name, server, { guard });
    expect((await client.call("create_invoice", order)).isError).toBeFalsy();
    expect(guard.evidence).toMatchObject([{ kind: "result" }]);
  });

  it("an error with a null id does not settle the call with id 0", async () => {
    const guard = fakeGuard({ deadline: 50 });
    const { transport, server, received } = pipe();
    guardTransport(guard, SERVER, transport);
    transport.onmessage = received;
    void transport.send(call(0));
    await sleep(5);
    server.reply({ jsonrpc: "2.0", id: null, error: { code: -32602, message: "who?" } });
    await sleep(80);
    expect(guard.evidence).toEqual([]);
    expect(guard.outcomes).toMatchObject([{ kind: "uncertain" }]);
    server.reply(answer(0));
    await vi.waitFor(() => expect(guard.evidence).toMatchObject([{ kind: "result" }]), 5000);
  });
});

describe("trap 2: handlers chain older handlers", () => {
  it("a message is met once although each new handler calls the one before", async () => {
    const guard = fakeGuard();
    const { transport, server } = pipe();
    const met: string[] = [];
    transport.onmessage = () => met.push("first");
    guardTransport(guard, SERVER, transport);
    for (const name of ["second", "third"]) {
      const older = transport.onmessage;
      transport.onmessage = (message) => {
        older?.(message);
        met.push(name);
      };
    }
    void transport.send(call(1));
    await sleep(5);
    server.reply(answer(1));
    await sleep(5);
    expect(met).toEqual(["first", "second", "third"]);
    expect(guard.evidence).toHaveLength(1);
  });

  it("a close is met once in the same way", () => {
    const { transport, server } = pipe();
    const met: string[] = [];
    guardTransport(fakeGuard(), SERVER, transport);
    transport.onclose = () => met.push("first");
    const older = transport.onclose;
    transport.onclose = () => {
      older();
      met.push("second");
    };
    server.close();
    expect(met).toEqual(["first", "second"]);
  });
});

describe("trap 3: the server exits while a reply is held", () => {
  it.each(CLIENTS)("%s gets the reply, and hears of the close after it", async (name) => {
    const server = stdio(invoices({ reply: "ok" }));
    const guard = fakeGuard({ recording: 500 });
    const client = await connected(name, server, { guard });
    const reply = client.call("create_invoice", order);
    await vi.waitFor(() => expect(guard.evidence).toHaveLength(1), 10_000);
    process.kill((client.transport as { pid: number }).pid, "SIGKILL");
    expect((await reply).isError).toBeFalsy();
    expect(guard.told).toHaveLength(1);
  });
});

describe("trap 4: frames that the client's parser drops", () => {
  it.each(["v1", "v2-2025"] as const)("%s: an extra top-level key over stdio leaves doubt", async (name) => {
    const server = stdio(invoices({ reply: "extra_top_level_key" }));
    const guard = fakeGuard({ deadline: 200 });
    const client = await connected(name, server, { guard });
    expect((await client.call("create_invoice", order)).isError).toBe(true);
    expect(guard.outcomes).toMatchObject([{ kind: "uncertain" }]);
  });

  it.each(["json", "sse"] as const)("guardFetch reads the answer all the same, from %s", async (answers) => {
    const server = await http({ ...invoices({ reply: "extra_top_level_key" }), answers });
    const guard = fakeGuard();
    const client = await connected("v1", server, { guard, fetch: guardFetch(guard, { server: SERVER }) });
    const result = await client.call("create_invoice", order);
    expect(guard.evidence).toMatchObject([{ kind: "result" }]);
    expect(result.structuredContent).toMatchObject({ id: "inv_1" });
  });
});

describe("trap 5: v1 posts again through its own send", () => {
  it("after 401 the second post belongs to the same attempt", async () => {
    const server = await http(invoices({ commit: "none", reply: unauthorized }, { reply: "ok" }));
    const guard = fakeGuard();
    const fetch = guardFetch(guard, { server: SERVER });
    const client = await signedIn("v1", server.url, guard, fetch);
    const result = await client.callTool({ name: "create_invoice", arguments: order });
    expect(result.isError).toBeFalsy();
    expect(guard.calls).toHaveLength(1);
    expect(server.log.arrivals("create_invoice")).toHaveLength(2);
    expect(server.log.effects("create_invoice")).toHaveLength(1);
  });

  it.each(["v1", "v2-2025"] as const)("%s: after a 401 without a challenge it is refused", async (name) => {
    const server = await http(invoices({ reply: { status: 401, when: "after" } }, { reply: "ok" }));
    const guard = fakeGuard();
    const client = await signedIn(name, server.url, guard, guardFetch(guard, { server: SERVER }));
    const result = await client.callTool({ name: "create_invoice", arguments: order });
    expect(result.isError).toBe(true);
    expect(server.log.effects("create_invoice")).toHaveLength(1);
    expect(guard.evidence).toEqual([{ kind: "http_status", status: 401 }]);
  });
});

describe("trap 6: who cancelled", () => {
  it.each(CLIENTS)("%s: a timer of the client is never forwarded", async (name) => {
    const server = await http(invoices({ reply: { late: 300 } }));
    const guard = fakeGuard({ cancel: "forward" });
    const client = await connected(name, server, { guard });
    await expect(client.call("create_invoice", order, { timeout: 100 })).rejects.toThrow();
    await server.log.waitFor(({ effects }) => effects().length === 1);
    await vi.waitFor(() => expect(guard.evidence).toMatchObject([{ kind: "result" }]), 5000);
    expect(server.log.cancels()).toEqual([]);
    expect(guard.told).toEqual([]);
  });

  it.each(["v1", "v2-2025", "v2-2026"] as const)(
    "%s: the caller's own abort is, where the policy says so",
    async (name) => {
      const server = await http(invoices({ reply: { late: 300 } }));
      const guard = fakeGuard({ cancel: "forward" });
      const client = guardClient(guard, SERVER, name === "v1" ? clientV1() : clientV2(name));
      await client.connect(transportFor(name, server, {}) as never);
      later(() => client.close());
      const abort = new AbortController();
      const outcome = client.perform({ name: "create_invoice", arguments: order }, { signal: abort.signal });
      await server.log.waitFor(({ arrivals }) => arrivals().length === 1);
      abort.abort();
      expect(await outcome).toMatchObject({ kind: "uncertain", reason: "caller_aborted" });
      await server.log.waitFor(({ cancels }) => cancels().length === 1);
    },
  );

  it.each(["v1", "v2-2026"] as const)("%s: and is withheld where it does not", async (name) => {
    const server = await http(invoices({ reply: { late: 200 } }));
    const guard = fakeGuard({ cancel: "withhold" });
    const client = guardClient(guard, SERVER, name === "v1" ? clientV1() : clientV2(name));
    await client.connect(transportFor(name, server, {}) as never);
    later(() => client.close());
    const abort = new AbortController();
    const outcome = client.perform({ name: "create_invoice", arguments: order }, { signal: abort.signal });
    await server.log.waitFor(({ arrivals }) => arrivals().length === 1);
    abort.abort();
    expect(await outcome).toMatchObject({ kind: "uncertain", reason: "caller_aborted" });
    await vi.waitFor(() => expect(guard.evidence).toMatchObject([{ kind: "result" }]), 5000);
    expect(server.log.cancels()).toEqual([]);
  });
});

describe("trap 7: the client validates results", () => {
  it.each(["v1", "v2-2025", "v2-2026"] as const)(
    "%s accepts a local answer for a tool with an output schema",
    async (name) => {
      const server = await http();
      const guard = fakeGuard({ admit: () => ({ kind: "uncertain", reason: "held", state: "uncertain" }) });
      const client = await connected(name, server, { guard });
      await client.listTools();
      const result = await client.call("create_invoice", order);
      expect(result).toMatchObject({ isError: true });
      expect(result.structuredContent).toBeUndefined();
      expect(server.log.arrivals()).toEqual([]);
    },
  );

  it("v1 validates structuredContent even of an isError result; the result comes back all the same", async () => {
    const bad = { isError: true, content: [{ type: "text", text: "no" }], structuredContent: { wrong: 1 } };
    const server = await http(invoices({ reply: { result: bad } }));
    const guard = fakeGuard();
    const client = guardClient(guard, SERVER, clientV1());
    await client.connect(transportFor("v1", server, {}) as never);
    later(() => client.close());
    await client.listTools();
    const result = await client.callTool({ name: "create_invoice", arguments: order });
    expect(result).toMatchObject({ isError: true, structuredContent: { wrong: 1 } });
    expect(JSON.stringify(result.content)).toContain("The server answered this call");
  });
});
