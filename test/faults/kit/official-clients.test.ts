import { describe, expect, test } from "vitest";
import { CLIENTS, connect, INVOICE, outcomeOf } from "./clients.ts";
import { httpServer, stdioServer } from "./servers.ts";

describe.each(CLIENTS)("the official client %s", (name) => {
  test.each(["json", "sse"] as const)("creates exactly one invoice over HTTP with %s answers", async (answers) => {
    const server = await httpServer({ answers });
    const client = await connect(name, server.url);

    expect(await outcomeOf(client.call("create_invoice", INVOICE))).toBe("result");

    expect(server.log.arrivals("create_invoice")).toHaveLength(1);
    expect(server.log.effects("create_invoice")).toMatchObject([{ reference: "inv_1", arguments: INVOICE }]);
  });

  test("creates exactly one invoice over stdio", async () => {
    const server = stdioServer();
    const client = await connect(name, server);

    expect(await outcomeOf(client.call("create_invoice", INVOICE))).toBe("result");

    expect(server.log.arrivals("create_invoice")).toHaveLength(1);
    expect(server.log.effects("create_invoice")).toMatchObject([{ reference: "inv_1", arguments: INVOICE }]);
  });

  test("finds the invoice that it created", async () => {
    const server = await httpServer();
    const client = await connect(name, server.url);
    await client.call("create_invoice", INVOICE);

    const found = await client.call("find_invoice", { order: "o-1" });

    expect(found).toMatchObject({ structuredContent: { invoices: [{ id: "inv_1", ...INVOICE }] } });
    expect(server.log.reads("find_invoice")).toMatchObject([{ found: 1, failed: false }]);
  });

  test("is told when a required argument is missing, and nothing happens", async () => {
    const server = await httpServer();
    const client = await connect(name, server.url);

    expect(await outcomeOf(client.call("create_invoice", { customer: "acme" }))).toBe("error -32602");
    expect(server.log.effects()).toEqual([]);
  });
});

test("a server of the 2026 era turns a client of the 2025 era away", async () => {
  const server = await httpServer({ eras: "2026-07-28" });
  await expect(connect("v1", server.url)).rejects.toThrow();
});

test("a server of the 2025 era turns a client of the 2026 era away", async () => {
  const server = await httpServer({ eras: "2025-11-25" });
  await expect(connect("v2 2026-07-28", server.url)).rejects.toThrow();
});
