/** Calls in several legs are one operation. */
import { UrlElicitationRequiredError } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it } from "vitest";
import { guardClient, guardFetch, guardTransport } from "../../../adapters/mcp/index.ts";
import { currentCallContext, withCallContext } from "../../../src/index.ts";
import { clientV1, clientV2, SERVER, type Server, transportFor } from "./support/clients.ts";
import { type FakeGuard, fakeGuard, sleep } from "./support/fake-guard.ts";
import { onElicitation } from "./support/hosts.ts";
import { pipe } from "./support/pipe.ts";
import { http, invoices, later, order, serverOver, stdio } from "./support/world.ts";

const invoice = { name: "create_invoice", arguments: order };

async function answering(
  server: Server,
  guard: FakeGuard,
  answer = async () => ({ action: "accept" as const, content: { confirm: true } }),
  fetch?: typeof globalThis.fetch,
) {
  const client = clientV2("v2-2026", undefined, { elicitation: { form: {} } });
  onElicitation(client, answer);
  await client.connect(guardTransport(guard, SERVER, transportFor("v2-2026", server, fetch ? { fetch } : {})) as never);
  later(() => client.close().catch(() => {}));
  if (!("url" in server)) await client.listTools();
  return client;
}

describe("input_required", () => {
  it.each(["http", "stdio"] as const)("the leg that brings the input settles the operation: over %s", async (kind) => {
    const server = await serverOver(kind, invoices({ reply: { input_required: "s1" } }));
    const guard = fakeGuard();
    const client = await answering(server, guard);
    const result = await client.callTool(invoice);
    expect(result.isError).toBeFalsy();
    expect(guard.calls).toHaveLength(1);
    expect(guard.evidence).toMatchObject([{ kind: "result", result: { resultType: "complete" } }]);
    expect(guard.waits).toEqual([true, false]);
    expect(guard.told).toHaveLength(1);
    expect(server.log.arrivals("create_invoice")).toHaveLength(2);
    expect(server.log.effects("create_invoice")).toHaveLength(1);
  });

  it("the leg carries the key of its operation", async () => {
    const server = await http(invoices({ reply: { input_required: "s1" } }));
    const guard = fakeGuard({
      attempt: { arguments: { ...order, idempotency_key: "k1" }, meta: { "com.acme/key": "k1" } },
    });
    await (await answering(server, guard)).callTool(invoice);
    const legs = server.log.arrivals("create_invoice");
    expect(legs.map(({ arguments: args }) => args.idempotency_key)).toEqual(["k1", "k1"]);
    expect(legs.map(({ meta }) => meta["com.acme/key"])).toEqual(["k1", "k1"]);
    expect(legs[1]?.requestState).toBe("s1");
  });

  it("the question is asked in the context of its call, over stdio too", async () => {
    const server = stdio(invoices({ reply: { input_required: "s1" } }));
    const runs: unknown[] = [];
    const asked = async () => {
      runs.push(currentCallContext().runId);
      return { action: "accept" as const, content: { confirm: true } };
    };
    const client = await answering(server, fakeGuard(), asked);
    await withCallContext({ runId: "run-1" }, () => client.callTool(invoice));
    expect(runs).toEqual(["run-1"]);
  });

  it("a person may take longer than the deadline", async () => {
    const server = await http(invoices({ reply: { input_required: "s1" } }));
    const guard = fakeGuard({ deadline: 100 });
    const slow = () => sleep(250).then(() => ({ action: "accept" as const, content: { confirm: true } }));
    const result = await (await answering(server, guard, slow)).callTool(invoice);
    expect(result.isError).toBeFalsy();
    expect(guard.outcomes).toMatchObject([{ kind: "succeeded" }]);
  });

  it("under guardFetch alone the leg is recognised by its state", async () => {
    const server = await http(invoices({ reply: { input_required: "s1" } }));
    const guard = fakeGuard();
    const client = clientV2("v2-2026", undefined, { elicitation: { form: {} } });
    onElicitation(client, async () => ({ action: "accept", content: { confirm: true } }));
    await client.connect(transportFor("v2-2026", server, { fetch: guardFetch(guard, { server: SERVER }) }) as never);
    later(() => client.close());
    expect((await client.callTool(invoice)).isError).toBeFalsy();
    expect(guard.calls).toHaveLength(1);
    expect(server.log.effects("create_invoice")).toHaveLength(1);
  });

  it("with guardFetch under the tap a leg is a post of its own", async () => {
    const server = await http(invoices({ reply: { input_required: "s1" } }));
    const guard = fakeGuard();
    const client = await answering(server, guard, undefined, guardFetch(guard, { server: SERVER }));
    expect((await client.callTool(invoice)).isError).toBeFalsy();
    expect(guard.calls).toHaveLength(1);
  });

  it("a leg that is handed out and answered by hand belongs to the same operation", async () => {
    const server = await http(invoices({ reply: { input_required: "s1" } }));
    const guard = fakeGuard();
    const raw = clientV2("v2-2026", undefined, { elicitation: { form: {} } });
    const client = guardClient(guard, SERVER, raw);
    await client.connect(transportFor("v2-2026", server, {}) as never);
    later(() => client.close());
    const asked = await client.callTool(invoice, { allowInputRequired: true } as never);
    expect(asked).toMatchObject({ resultType: "input_required", requestState: "s1" });
    const inputResponses = { confirm: { action: "accept", content: { confirm: true } } };
    const params = { ...invoice, inputResponses, requestState: "s1" } as never;
    const outcome = await client.perform(params);
    expect(outcome.kind).toBe("succeeded");
    expect(guard.calls).toHaveLength(1);
  });

  it("a rejected leg is no rejection of the call", async () => {
    const guard = fakeGuard();
    const { transport, server, messages, received } = pipe();
    guardTransport(guard, SERVER, transport);
    transport.onmessage = received;
    const call = (id: number, extra = {}) => ({
      jsonrpc: "2.0",
      id,
      method: "tools/call",
      params: { ...invoice, ...extra },
    });
    void transport.send(call(1));
    await sleep(5);
    server.reply({ jsonrpc: "2.0", id: 1, result: { resultType: "input_required", requestState: "s1" } });
    await sleep(5);
    void transport.send(call(2, { requestState: "s1" }));
    await sleep(5);
    server.reply({ jsonrpc: "2.0", id: 2, error: { code: -32602, message: "no" } });
    await sleep(5);
    expect(guard.evidence).toMatchObject([{ kind: "rpc_error", id: "other" }]);
    expect(messages).toMatchObject([
      { id: 1, result: { requestState: "s1" } },
      { id: 2, result: { isError: true } },
    ]);
  });

  it("a close while somebody is asked ends the call", async () => {
    const server = await http(invoices({ reply: { input_required: "s1" } }));
    const guard = fakeGuard({ deadline: 5000 });
    const raw = clientV2("v2-2026", undefined, { elicitation: { form: {} } });
    onElicitation(raw, () => new Promise(() => {}));
    const client = guardClient(guard, SERVER, raw);
    await client.connect(transportFor("v2-2026", server, {}) as never);
    const outcome = client.perform(invoice);
    await server.log.waitFor(({ arrivals }) => arrivals().length === 1);
    await sleep(50);
    await client.close();
    expect(await outcome).toMatchObject({ kind: "uncertain", reason: "connection_closed" });
  });
});

describe("error -32042", () => {
  const url = { code: -32042, message: "Sign in", data: { elicitations: [] } };

  it.each(["http", "stdio"] as const)("the same call again is its leg: over %s", async (kind) => {
    const server = await serverOver(kind, invoices({ commit: "none", reply: { rpcError: url } }, { reply: "ok" }));
    const guard = fakeGuard();
    const client = guardClient(guard, SERVER, clientV1());
    await client.connect(transportFor("v1", server, {}) as never);
    later(() => client.close());
    await expect(client.callTool(invoice)).rejects.toBeInstanceOf(UrlElicitationRequiredError);
    expect(await client.perform(invoice)).toMatchObject({ kind: "succeeded" });
    expect(guard.calls).toHaveLength(1);
    expect(guard.waits).toEqual([true, false]);
    expect(server.log.effects("create_invoice")).toHaveLength(1);
  });

  it("another call is not", async () => {
    const server = await http(invoices({ commit: "none", reply: { rpcError: url } }, { reply: "ok" }));
    const guard = fakeGuard();
    const client = guardClient(guard, SERVER, clientV1());
    await client.connect(transportFor("v1", server, {}) as never);
    later(() => client.close());
    await expect(client.callTool(invoice)).rejects.toThrow();
    await client.callTool({ name: "create_invoice", arguments: { ...order, amount: 11 } });
    expect(guard.calls).toHaveLength(2);
  });
});

describe("questions of the server inside a call (2025 era)", () => {
  it.each([
    ["v1", "http"],
    ["v1", "stdio"],
    ["v2-2025", "http"],
    ["v2-2025", "stdio"],
  ] as const)("%s over %s: the call waits for the person, and its deadline too", async (name, kind) => {
    const server = await serverOver(kind, invoices({ reply: { elicitation: 2000 } }));
    const guard = fakeGuard({ deadline: 150 });
    const client =
      name === "v1" ? clientV1({ elicitation: {} }) : clientV2(name, undefined, { elicitation: { form: {} } });
    onElicitation(client, () => sleep(300).then(() => ({ action: "accept", content: { confirm: true } })));
    await client.connect(guardTransport(guard, SERVER, transportFor(name, server, {})) as never);
    later(() => client.close());
    const result = await client.callTool(invoice);
    expect(result.isError).toBeFalsy();
    expect(guard.waits).toEqual([true, false]);
    expect(guard.outcomes).toMatchObject([{ kind: "succeeded" }]);
  });
});
