import { describe, expect, test } from "vitest";
import type { NativeKey } from "../../../adapters/testing/index.ts";
import { connect, INVOICE, outcomeOf } from "./clients.ts";
import { httpServer } from "./servers.ts";

const KEYED = { ...INVOICE, idempotency_key: "k-1" };

async function keyed(nativeKey: Partial<NativeKey> = {}) {
  const server = await httpServer({
    destination: { nativeKey: { from: { argument: "idempotency_key" }, ...nativeKey } },
  });
  return { server, client: await connect("v1", server.url) };
}

describe("the native key", () => {
  test("makes two calls one effect, and both get the same id", async () => {
    const { server, client } = await keyed();

    const first = await client.call("create_invoice", KEYED);
    const second = await client.call("create_invoice", KEYED);

    expect(second).toEqual(first);
    expect(server.log.arrivals()).toHaveLength(2);
    expect(server.log.effects()).toMatchObject([{ key: "k-1" }]);
  });

  test("is forgotten after its window", async () => {
    const { server, client } = await keyed({ windowMs: 30 });
    await client.call("create_invoice", KEYED);
    await new Promise((resolve) => setTimeout(resolve, 60));
    await client.call("create_invoice", KEYED);
    expect(server.log.effects()).toHaveLength(2);
  });

  test.each([
    { mismatch: "reject", effects: 1, says: "isError This idempotency key was used with other arguments." },
    { mismatch: "replay", effects: 1, says: "result" },
    { mismatch: "execute", effects: 2, says: "result" },
  ] as const)("with other arguments can $mismatch", async ({ mismatch, effects, says }) => {
    const { server, client } = await keyed({ mismatch });
    await client.call("create_invoice", KEYED);
    expect(await outcomeOf(client.call("create_invoice", { ...KEYED, amount: 99 }))).toBe(says);
    expect(server.log.effects()).toHaveLength(effects);
  });

  test.each([
    { overlap: "reject", effects: 1, says: "isError A request with this idempotency key is in flight." },
    { overlap: "join", effects: 1, says: "result" },
    { overlap: "race", effects: 2, says: "result" },
  ] as const)("in flight can $overlap", async ({ overlap, effects, says }) => {
    const { server, client } = await keyed({ overlap });
    server.plan("create_invoice", { commit: { late: 100 }, reply: { late: 150 } });

    const first = outcomeOf(client.call("create_invoice", KEYED));
    await server.log.waitFor(({ arrivals }) => arrivals().length === 1);
    const second = await outcomeOf(client.call("create_invoice", KEYED));

    expect([await first, second]).toEqual(["result", says]);
    expect(server.log.effects()).toHaveLength(effects);
  });

  test("can travel in a header", async () => {
    const nativeKey = { from: { header: "Idempotency-Key" } } as const;
    const server = await httpServer({ sessions: "stateless", destination: { nativeKey } });
    const call = { method: "tools/call", params: { name: "create_invoice", arguments: INVOICE } };
    const send = (id: number) =>
      fetch(server.url, {
        method: "POST",
        headers: { "content-type": "application/json", "idempotency-key": "k-2" },
        body: JSON.stringify({ jsonrpc: "2.0", id, ...call }),
      });

    await send(1);
    await send(2);

    expect(server.log.arrivals().map(({ keyHeader }) => keyHeader)).toEqual(["k-2", "k-2"]);
    expect(server.log.effects()).toMatchObject([{ key: "k-2", keyHeader: "k-2" }]);
  });
});

test("lagging reads see an effect later", async () => {
  const server = await httpServer({ destination: { visibleAfter: 100 } });
  const client = await connect("v1", server.url);
  await client.call("create_invoice", INVOICE);
  await client.call("find_invoice", { order: "o-1" });
  await new Promise((resolve) => setTimeout(resolve, 120));
  await client.call("find_invoice", { order: "o-1" });
  expect(server.log.reads().map(({ found }) => found)).toEqual([0, 1]);
});

test("the first reads can fail, and say so instead of finding nothing", async () => {
  const server = await httpServer({ destination: { failReads: 1 } });
  const client = await connect("v1", server.url);
  expect(await outcomeOf(client.call("find_invoice", {}))).toBe("isError The lookup failed.");
  expect(await outcomeOf(client.call("find_invoice", {}))).toBe("result");
});

test.each([
  { clash: "refuse", orders: ["o-1"], says: "isError Already exists: inv_1" },
  { clash: "rename", orders: ["o-1", "o-1(1)"], says: "result" },
] as const)("a unique name can $clash a second object", async ({ clash, orders, says }) => {
  const server = await httpServer({ destination: { unique: { tool: "create_invoice", field: "order", clash } } });
  const client = await connect("v1", server.url);
  await client.call("create_invoice", INVOICE);
  expect(await outcomeOf(client.call("create_invoice", INVOICE))).toBe(says);
  expect(server.objects("create_invoice").map(({ order }) => order)).toEqual(orders);
});

test("a file that is written twice is listed once", async () => {
  const server = await httpServer();
  const client = await connect("v1", server.url);
  await client.call("write_file", { path: "a.txt", content: "1" });
  await client.call("write_file", { path: "a.txt", content: "2" });
  expect(await client.call("list_files", {})).toMatchObject({
    structuredContent: { files: [{ path: "a.txt", content: "2" }] },
  });
});
