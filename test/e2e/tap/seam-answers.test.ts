/** The rows of the seam's facts sheet: what was measured to work has to go on working. */
import { describe, expect, it } from "vitest";
import { guardFetch } from "../../../adapters/mcp/index.ts";
import type { JsonObject, Outcome } from "../../../src/index.ts";
import { CLIENTS, type ClientName, type Connected, clientV1, clientV2, connect, SERVER } from "./support/clients.ts";
import { fakeGuard } from "./support/fake-guard.ts";
import { connected, http, invoices, later, order, serverOver, stdio } from "./support/world.ts";

const SDKS = ["v1", "v2-2025", "v2-2026"] as const;
const OVER = CLIENTS.flatMap((name) => (["http", "stdio"] as const).map((kind) => [name, kind] as const));
const _sdk = (name: ClientName) => (name === "v1" ? clientV1() : clientV2(name));

describe("a joined call", () => {
  it.each(SDKS)("gets structuredContent and resultType intact: %s", async (name) => {
    const server = await http();
    let first: Promise<Outcome> | undefined;
    const base = fakeGuard();
    const guard = {
      ...base,
      perform: (...args: Parameters<typeof base.perform>): Promise<Outcome> => {
        if (first) return first.then((outcome) => ({ ...outcome, joined: true as const }));
        first = base.perform(...args);
        return first;
      },
    };
    const client = await connected(name, server, { guard });
    await client.listTools();
    const results = await Promise.all([client.call("create_invoice", order), client.call("create_invoice", order)]);
    expect(results.map(({ structuredContent }) => structuredContent)).toEqual([{ id: "inv_1" }, { id: "inv_1" }]);
    expect(JSON.stringify(results[1]?.content)).toContain("Shared with the same call");
    expect(server.log.effects("create_invoice")).toHaveLength(1);
  });
});

describe("a mark in _meta", () => {
  it.each(CLIENTS)("survives, beside a text block: %s", async (name) => {
    const answer = { kind: "result" as const, result: { content: [], structuredContent: { id: "inv_1" } } };
    const guard = fakeGuard({ admit: () => ({ kind: "succeeded", recalled: true, answer }) });
    const client = await connected(name, await http(), { guard });
    const result = await client.call("create_invoice", order);
    expect(result).toMatchObject({ _meta: { "indoubt/outcome": "succeeded" }, content: [{ type: "text" }] });
    expect(result.structuredContent).toEqual({ id: "inv_1" });
  });
});

describe("a key", () => {
  const attempt = { arguments: { ...order, idempotency_key: "k1" }, meta: { "com.acme/key": "k1" } };

  it.each(OVER)(
    "travels in an argument and in _meta; the caller's object stays as it is: %s over %s",
    async (name, kind) => {
      const server = await serverOver(kind);
      const guard = fakeGuard({ attempt });
      const client = await connected(name, server, { guard });
      const mine = Object.freeze({ ...order });
      await client.call("create_invoice", mine);
      const [arrival] = server.log.arrivals("create_invoice");
      expect(arrival).toMatchObject({ arguments: { idempotency_key: "k1" }, meta: { "com.acme/key": "k1" } });
      expect(mine).toEqual(order);
    },
  );

  it.each([
    ["v1", true],
    ["v2-2025", false],
    ["v2-2026", false],
  ] as const)("travels in the header of one request: %s", async (name, viaFetch) => {
    const server = await http(invoices({ reply: { late: 50 } }));
    const base = fakeGuard();
    let count = 0;
    const headers: boolean[] = [];
    const guard = {
      ...base,
      perform: (call: Parameters<typeof base.perform>[0], wire: Parameters<typeof base.perform>[1]) => {
        headers.push(wire.headers);
        const key = `k${++count}`;
        const send: typeof wire.send = (attempt) => wire.send({ ...attempt, headers: { "Idempotency-Key": key } });
        return base.perform(call, { headers: wire.headers, send });
      },
    };
    const fetch = viaFetch ? { fetch: guardFetch(guard, { server: SERVER }) } : {};
    const client = await connected(name, server, { guard, ...fetch });
    await Promise.all([1, 2].map((amount) => client.call("create_invoice", { ...order, amount })));
    expect(
      server.log
        .arrivals("create_invoice")
        .map(({ keyHeader }) => keyHeader)
        .sort(),
    ).toEqual(["k1", "k2"]);
    expect(headers).toEqual([true, true]);
  });

  it("has no header in v1 without guardFetch, and none over stdio", async () => {
    for (const server of [await http(), stdio()]) {
      const base = fakeGuard();
      const headers: boolean[] = [];
      const perform: typeof base.perform = (call, wire) => {
        headers.push(wire.headers);
        return base.perform(call, wire);
      };
      const client = await connected("v1", server, { guard: { ...base, perform } });
      await client.call("create_invoice", order);
      expect(headers).toEqual([false]);
    }
  });
});

describe("reads by hooks on the same connection", () => {
  it.each(OVER)("get their own ids and never meet the client: %s over %s", async (name, kind) => {
    const server = await serverOver(kind, invoices({ reply: { late: 200 } }));
    const guard = fakeGuard();
    const client = await connected(name, server, { guard });
    const errors: unknown[] = [];
    const older = client.transport.onerror;
    client.transport.onerror = (error: Error) => {
      errors.push(error);
      older?.(error);
    };
    const write = client.call("create_invoice", order);
    await server.log.waitFor(({ effects }) => effects().length === 1);
    const evidence = await guard.wires[0]?.send({
      operation: "op",
      tool: "find_invoice",
      number: 1,
      arguments: { order: "o1" },
      cancel: new AbortController().signal,
      mayStart: () => true,
      progressed: () => {},
      waiting: () => {},
      sentAgain: () => {},
    });
    expect(evidence).toMatchObject({ kind: "result", result: { structuredContent: { invoices: [{ order: "o1" }] } } });
    expect((await write).isError).toBeFalsy();
    expect(errors).toEqual([]);
    expect(guard.told).toHaveLength(1);
  });

  it("are over when the connection is", async () => {
    const guard = fakeGuard();
    const client = await connected("v1", await http(), { guard });
    await client.call("create_invoice", order);
    expect(guard.wires).toHaveLength(1);
    await client.close();
    expect(guard.wires).toEqual([]);
  });
});

describe("a further attempt of the same call", () => {
  it.each(OVER)("has a fresh id, and its answer is the reply: %s over %s", async (name, kind) => {
    const server = await serverOver(kind, invoices({ commit: "none", reply: "never" }, { reply: "ok" }));
    const guard = fakeGuard({ deadline: 100, sends: 2 });
    const client = await connected(name, server, { guard });
    const result = await client.call("create_invoice", order);
    expect(result.structuredContent).toEqual({ id: "inv_2" });
    const ids = server.log.arrivals("create_invoice").map(({ requestId }) => requestId);
    expect(ids).toEqual([expect.any(Number), expect.stringMatching(/^indoubt-/)]);
  });
});

describe("tool lists", () => {
  it.each(OVER)("are seen in passing: %s over %s", async (name, kind) => {
    const guard = fakeGuard();
    const client = await connected(name, await serverOver(kind), { guard });
    await client.listTools();
    expect(guard.tools).toContain("create_invoice");
  });
});

describe("a clean answer", () => {
  it("reaches the client as the object that came", async () => {
    const guard = fakeGuard();
    const client: Connected = await connect("v1", await http(), { guard });
    later(() => client.close());
    let met: JsonObject | undefined;
    const { onmessage } = client.transport;
    client.transport.onmessage = ((message: JsonObject) => {
      if ("result" in message) met = message;
      (onmessage as (message: unknown) => void)(message);
    }) as never;
    await client.call("create_invoice", order);
    expect(guard.evidence[0]).toMatchObject({ kind: "result" });
    expect((guard.evidence[0] as unknown as JsonObject).result).toBe(met?.result);
  });
});
