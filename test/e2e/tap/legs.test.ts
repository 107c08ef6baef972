/** Calls in several legs are one operation. What the server did is the judge; the guard is real unless the seam is tested. */
import { UrlElicitationRequiredError } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it } from "vitest";
import { guardClient, guardFetch, guardTransport } from "../../../adapters/mcp/index.ts";
import { currentCallContext, type GuardedCalls } from "../../../src/entries/wire.ts";
import { withCallContext } from "../../../src/index.ts";
import { clientV1, clientV2, SERVER, type Server, transportFor } from "./support/clients.ts";
import { fakeGuard, sleep } from "./support/fake-guard.ts";
import { onElicitation } from "./support/hosts.ts";
import { openGuard } from "./support/legs.ts";
import { pipe } from "./support/pipe.ts";
import { http, invoices, later, order, serverOver, stdio } from "./support/world.ts";

const invoice = { name: "create_invoice", arguments: order };

async function answering(
  server: Server,
  guard: GuardedCalls,
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
    const { guard, outcomes } = openGuard();
    const client = await answering(server, guard);
    const result = await client.callTool(invoice);
    expect(result.isError).toBeFalsy();
    expect(result.content).toHaveLength(1);
    const [asked, answered] = outcomes;
    expect(asked).toMatchObject({ kind: "uncertain", state: "in_flight", reason: "input_required" });
    expect(answered).toMatchObject({ kind: "succeeded", operation: asked?.operation, attempts: 1, basis: "first" });
    expect(server.log.arrivals("create_invoice")).toHaveLength(2);
    expect(server.log.effects("create_invoice")).toHaveLength(1);
  });

  it("the leg carries the key of its operation", async () => {
    const server = await http(invoices({ reply: { input_required: "s1" } }));
    const { guard, outcomes } = openGuard({ tool: { marker: { meta: "com.acme/key" } } });
    await (await answering(server, guard)).callTool(invoice);
    const legs = server.log.arrivals("create_invoice");
    const [key, again] = legs.map(({ meta }) => meta["com.acme/key"]);
    expect(key).toMatch(/^[0-9a-f-]{36}$/);
    expect([again, outcomes.at(-1)?.kind]).toEqual([key, "succeeded"]);
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
    const { guard, outcomes } = openGuard({ options: { deadline: 1_000 } });
    const slow = () => sleep(1_300).then(() => ({ action: "accept" as const, content: { confirm: true } }));
    const result = await (await answering(server, guard, slow)).callTool(invoice);
    expect(result.isError).toBeFalsy();
    expect(outcomes.at(-1)).toMatchObject({ kind: "succeeded" });
  });

  it("under guardFetch alone the leg is recognised by its state", async () => {
    const server = await http(invoices({ reply: { input_required: "s1" } }));
    const { guard, outcomes } = openGuard();
    const client = clientV2("v2-2026", undefined, { elicitation: { form: {} } });
    onElicitation(client, async () => ({ action: "accept", content: { confirm: true } }));
    await client.connect(transportFor("v2-2026", server, { fetch: guardFetch(guard, { server: SERVER }) }) as never);
    later(() => client.close());
    expect((await client.callTool(invoice)).isError).toBeFalsy();
    expect(new Set(outcomes.map(({ operation }) => operation)).size).toBe(1);
    expect(server.log.effects("create_invoice")).toHaveLength(1);
  });

  it("with guardFetch under the tap a leg is a post of its own", async () => {
    const server = await http(invoices({ reply: { input_required: "s1" } }));
    const { guard, outcomes } = openGuard();
    const client = await answering(server, guard, undefined, guardFetch(guard, { server: SERVER }));
    expect((await client.callTool(invoice)).isError).toBeFalsy();
    expect(new Set(outcomes.map(({ operation }) => operation)).size).toBe(1);
    expect(server.log.effects("create_invoice")).toHaveLength(1);
  });

  it("a question that is handed out, and its answer by hand, are told as one operation", async () => {
    const server = await http(invoices({ reply: { input_required: "s1" } }));
    const { guard } = openGuard();
    const client = guardClient(guard, SERVER, clientV2("v2-2026", undefined, { elicitation: { form: {} } }));
    await client.connect(transportFor("v2-2026", server, {}) as never);
    later(() => client.close());
    const byHand = { request: { allowInputRequired: true } } as never;
    const asked = await client.perform(invoice, byHand);
    expect(asked).toMatchObject({
      kind: "uncertain",
      reason: "input_required",
      answer: { kind: "result", result: { resultType: "input_required", requestState: "s1" } },
    });
    const inputResponses = { confirm: { action: "accept", content: { confirm: true } } };
    const params = { ...invoice, inputResponses, requestState: "s1" } as never;
    expect(await client.perform(params)).toMatchObject({ kind: "succeeded", operation: asked.operation });
    expect(server.log.effects("create_invoice")).toHaveLength(1);
  });

  it("a declared read goes on in rounds too, and none of them is on record", async () => {
    const server = await http(invoices({ reply: { input_required: "s1" } }));
    const { guard, outcomes } = openGuard({ tool: { effect: "read" } });
    const client = await answering(server, guard);
    expect((await client.callTool(invoice)).isError).toBeFalsy();
    expect(outcomes.map(({ operation }) => operation)).toEqual(["", ""]);
    expect(server.log.arrivals("create_invoice")).toHaveLength(2);
  });

  it("a rejected leg is no rejection of the call", async () => {
    const { guard, outcomes } = openGuard();
    const { transport, server, messages, received } = pipe();
    guardTransport(guard, SERVER, transport);
    transport.onmessage = received;
    const call = (id: number, extra = {}) => ({
      jsonrpc: "2.0",
      id,
      method: "tools/call",
      params: { ...invoice, ...extra },
    });
    const sent = (id: number) => expect.poll(() => server.seen).toContainEqual(expect.objectContaining({ id }));
    void transport.send(call(1));
    await sent(1);
    server.reply({ jsonrpc: "2.0", id: 1, result: { resultType: "input_required", requestState: "s1" } });
    await expect.poll(() => messages).toMatchObject([{ id: 1, result: { requestState: "s1" } }]);
    void transport.send(call(2, { requestState: "s1" }));
    await sent(2);
    server.reply({ jsonrpc: "2.0", id: 2, error: { code: -32602, message: "no" } });
    await expect.poll(() => messages).toMatchObject([{ id: 1 }, { id: 2, result: { isError: true } }]);
    expect(outcomes.at(-1)).toMatchObject({ kind: "uncertain", reason: "error_foreign" });
  });

  it("an abort while a declared read asks ends it as a failure", async () => {
    const server = await http(invoices({ reply: { input_required: "s1" } }));
    const raw = clientV2("v2-2026", undefined, { elicitation: { form: {} } });
    const user = new AbortController();
    onElicitation(raw, () => {
      user.abort();
      return new Promise(() => {});
    });
    const client = guardClient(openGuard({ tool: { effect: "read" } }).guard, SERVER, raw);
    await client.connect(transportFor("v2-2026", server, {}) as never);
    later(() => client.close().catch(() => {}));
    expect(await client.callTool(invoice, { signal: user.signal })).toMatchObject({ isError: true });
  });

  it.each([
    ["a close", (client: { close(): Promise<void> }) => client.close()],
    ["an abort by the caller", (_client: unknown, user: AbortController) => user.abort()],
  ])("%s while somebody is asked ends the wait, and the question stays open", async (_what, end) => {
    const server = await http(invoices({ reply: { input_required: "s1" } }));
    const { guard } = openGuard();
    const raw = clientV2("v2-2026", undefined, { elicitation: { form: {} } });
    const user = new AbortController();
    let asked = false;
    onElicitation(raw, () => {
      asked = true;
      return new Promise(() => {});
    });
    const client = guardClient(guard, SERVER, raw);
    await client.connect(transportFor("v2-2026", server, {}) as never);
    later(() => client.close().catch(() => {}));
    const outcome = client.perform(invoice, { signal: user.signal });
    await expect.poll(() => asked).toBe(true);
    await end(client, user);
    expect(await outcome).toMatchObject({ kind: "uncertain", state: "in_flight", reason: "input_required" });
  });

  it("a person who never answers does not keep the caller for longer than `maxDeadline`", async () => {
    const server = await http(invoices({ reply: { input_required: "s1" } }));
    const { guard } = openGuard({ options: { deadline: 500, maxDeadline: 900 } });
    const raw = clientV2("v2-2026", undefined, { elicitation: { form: {} } });
    onElicitation(raw, () => new Promise(() => {}));
    const client = guardClient(guard, SERVER, raw);
    await client.connect(transportFor("v2-2026", server, {}) as never);
    later(() => client.close().catch(() => {}));
    expect(await client.callTool(invoice)).toMatchObject({ isError: true });
    expect(server.log.arrivals("create_invoice")).toHaveLength(1);
  });
});

describe("error -32042", () => {
  const url = { code: -32042, message: "Sign in", data: { elicitations: [] } };

  it.each([
    ["http", "arguments"],
    ["stdio", "arguments"],
    ["http", "per-call"],
  ] as const)("the same call again is its leg: over %s, identity %s", async (kind, identity) => {
    const server = await serverOver(kind, invoices({ commit: "none", reply: { rpcError: url } }, { reply: "ok" }));
    const { guard, outcomes } = openGuard({ tool: identity === "per-call" ? { identity } : {} });
    const client = guardClient(guard, SERVER, clientV1());
    await client.connect(transportFor("v1", server, {}) as never);
    later(() => client.close());
    await expect(client.callTool(invoice)).rejects.toBeInstanceOf(UrlElicitationRequiredError);
    expect(await client.perform(invoice)).toMatchObject({ kind: "succeeded", operation: outcomes[0]?.operation });
    expect(server.log.effects("create_invoice")).toHaveLength(1);
  });

  it("another call is not, and an operation of its own name is not either", async () => {
    const server = await http(invoices({ commit: "none", reply: { rpcError: url } }, { reply: "ok" }));
    const { guard, outcomes } = openGuard();
    const client = guardClient(guard, SERVER, clientV1());
    await client.connect(transportFor("v1", server, {}) as never);
    later(() => client.close());
    await expect(client.callTool(invoice)).rejects.toThrow();
    await client.callTool({ name: "create_invoice", arguments: { ...order, amount: 11 } });
    await withCallContext({ operationId: "another-wish" }, () => client.callTool(invoice));
    expect(new Set(outcomes.map(({ operation }) => operation)).size).toBe(3);
    expect(server.log.effects("create_invoice")).toHaveLength(2);
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
