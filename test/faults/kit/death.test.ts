import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { CLIENTS, connect, INVOICE, outcomeOf } from "./clients.ts";
import { httpServer, stdioServer } from "./servers.ts";

test.each(CLIENTS)("the effect log survives the kill of the child of %s, and the next child goes on", async (name) => {
  const server = stdioServer({ script: { create_invoice: [{ reply: "kill_process" }, { reply: "ok" }] } });

  const first = await connect(name, server);
  expect(await outcomeOf(first.call("create_invoice", INVOICE))).toBe("closed");
  expect(server.log.effects()).toHaveLength(1);

  const second = await connect(name, server);
  expect(await second.call("find_invoice", { order: "o-1" })).toMatchObject({
    structuredContent: { invoices: [{ id: "inv_1" }] },
  });
  expect(await outcomeOf(second.call("create_invoice", INVOICE))).toBe("result");

  const pids = new Set(server.log.arrivals().map(({ pid }) => pid));
  expect(pids.size).toBe(2);
  expect(server.log.effects().map(({ reference }) => reference)).toEqual(["inv_1", "inv_3"]);
});

test("the native key survives the kill of the child", async () => {
  const server = stdioServer({
    destination: { nativeKey: { from: { argument: "idempotency_key" } } },
    script: { create_invoice: [{ reply: "kill_process" }, { reply: "ok" }] },
  });
  const keyed = { ...INVOICE, idempotency_key: "k-1" };
  await outcomeOf((await connect("v1", server)).call("create_invoice", keyed));
  await (await connect("v1", server)).call("create_invoice", keyed);
  expect(server.log.effects()).toHaveLength(1);
});

test("a crashed HTTP server refuses connections until it is restarted, then knows no session", async () => {
  const server = await httpServer({ script: { create_invoice: [{ reply: "kill_process" }, { reply: "ok" }] } });
  const client = await connect("v1", server.url);

  expect(await outcomeOf(client.call("create_invoice", INVOICE))).toBe("fetch failed UND_ERR_SOCKET");
  expect(await outcomeOf(client.call("create_invoice", INVOICE))).toBe("fetch failed ECONNREFUSED");
  await server.restart();
  expect(await outcomeOf(client.call("create_invoice", INVOICE))).toBe("error 404");

  expect(server.log.arrivals()).toHaveLength(1);
  const again = await connect("v1", server.url);
  expect(await outcomeOf(again.call("create_invoice", INVOICE))).toBe("result");
  expect(server.log.effects()).toHaveLength(2);
});

test("the log is a file of JSON lines, arrival before effect", async () => {
  const server = await httpServer();
  const client = await connect("v1", server.url);
  await client.call("create_invoice", INVOICE);

  const lines = readFileSync(server.log.file, "utf8").trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line).kind)).toEqual(["arrival", "effect"]);
});

test("numbers keep their digits in the raw message", async () => {
  const server = await httpServer({ sessions: "stateless" });
  const params = '{"name":"create_invoice","arguments":{"customer":"a","order":"b","amount":12345678901234567890}}';
  await fetch(server.url, {
    method: "POST",
    body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`,
  });
  expect(server.log.arrivals()[0]?.raw).toContain("12345678901234567890");
});

test("waiting for something that does not happen fails and shows the log", async () => {
  const server = await httpServer();
  const client = await connect("v1", server.url);
  await client.call("create_invoice", INVOICE);
  await expect(server.log.waitFor(({ effects }) => effects().length === 2, 20)).rejects.toThrow(/"kind":"effect"/);
});
