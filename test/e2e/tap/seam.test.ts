/** The rows of the seam's facts sheet: what was measured to work has to go on working. */
import { describe, expect, it, vi } from "vitest";
import { guardClient, guardFetch, guardTransport } from "../../../adapters/mcp/index.ts";
import { CLIENTS, type ClientName, clientV1, clientV2, SERVER, transportFor } from "./support/clients.ts";
import { fakeGuard } from "./support/fake-guard.ts";
import { connected, http, invoices, later, order, serverOver, stdio } from "./support/world.ts";

const SDKS = ["v1", "v2-2025", "v2-2026"] as const;
const OVER = CLIENTS.flatMap((name) => (["http", "stdio"] as const).map((kind) => [name, kind] as const));
const sdk = (name: ClientName) => (name === "v1" ? clientV1() : clientV2(name));

describe("instrumenting a transport", () => {
  it.each(OVER)("works before connect: %s over %s", async (name, kind) => {
    const server = await serverOver(kind);
    const guard = fakeGuard();
    const client = await connected(name, server, { guard });
    expect((await client.call("create_invoice", order)).isError).toBeFalsy();
    expect(server.log.effects("create_invoice")).toHaveLength(1);
    expect(guard.told.map(({ kind: outcome }) => outcome)).toEqual(["succeeded"]);
  });

  it.each(OVER)("works after connect: %s over %s", async (name, kind) => {
    const server = await serverOver(kind);
    const guard = fakeGuard();
    const client = await connected(name, server);
    expect(guardTransport(guard, SERVER, client.transport)).toBe(client.transport);
    expect((await client.call("create_invoice", order)).isError).toBeFalsy();
    expect(guard.told).toHaveLength(1);
  });

  it("a second time changes nothing, and as another server it is refused", async () => {
    const guard = fakeGuard();
    const transport = transportFor("v1", await http(), {});
    guardTransport(guard, SERVER, transport);
    const { send } = transport;
    guardTransport(guard, SERVER, transport);
    expect(transport.send).toBe(send);
    expect(() => guardTransport(guard, "other", transport)).toThrow(
      expect.objectContaining({ code: "CONFIG_INVALID" }),
    );
  });

  it("keeps v2's probe on a sibling process when the era is negotiated", async () => {
    const server = stdio({ eras: "2025-11-25" });
    const guard = fakeGuard();
    const client = clientV2("v2-2026", { mode: "auto" });
    await client.connect(guardTransport(guard, SERVER, transportFor("v2-2026", server, {})) as never);
    later(() => client.close());
    await client.callTool({ name: "create_invoice", arguments: order });
    expect(client.getProtocolEra()).toBe("legacy");
    expect(guard.told).toHaveLength(1);
  });

  it.each(SDKS)("a new transport on the same client is guarded too: %s", async (name) => {
    const server = await http();
    const guard = fakeGuard();
    const raw = sdk(name);
    const client = guardClient(guard, SERVER, raw);
    await client.connect(transportFor(name, server, {}) as never);
    await client.callTool({ name: "create_invoice", arguments: order });
    await client.close();
    await raw.connect(transportFor(name, server, {}) as never);
    later(() => raw.close());
    await client.callTool({ name: "create_invoice", arguments: order });
    expect(guard.calls).toHaveLength(2);
  });
});

describe("our deadline first", () => {
  it.each(OVER)(
    "answers with isError, posts once, cancels nothing, catches the late answer: %s over %s",
    async (name, kind) => {
      const server = await serverOver(kind, invoices({ reply: { late: 400 } }));
      const guard = fakeGuard();
      const client = await connected(name, server, { guard, deadline: 200 });
      expect(await client.call("create_invoice", order)).toMatchObject({ isError: true });
      expect(guard.outcomes).toMatchObject([{ kind: "uncertain", reason: "deadline" }]);
      await vi.waitFor(() => expect(guard.evidence).toMatchObject([{ kind: "result" }]), 5000);
      expect(server.log.arrivals("create_invoice")).toHaveLength(1);
      expect(server.log.cancels()).toEqual([]);
    },
  );
});

describe("the client's timer first", () => {
  it.each(OVER)("its cancellation is swallowed and the late answer caught: %s over %s", async (name, kind) => {
    const server = await serverOver(kind, invoices({ reply: { late: 300 } }));
    const guard = fakeGuard();
    const client = await connected(name, server, { guard });
    await expect(client.call("create_invoice", order, { timeout: 150 })).rejects.toThrow();
    await vi.waitFor(() => expect(guard.evidence).toMatchObject([{ kind: "result" }]), 5000);
    expect(server.log.cancels()).toEqual([]);
    expect(guard.told).toEqual([]);
  });
});

describe("after client.close()", () => {
  it.each(SDKS)("the tap alone leaves doubt: %s", async (name) => {
    const server = await http(invoices({ reply: { late: 200 } }));
    const guard = fakeGuard();
    const client = await connected(name, server, { guard });
    const reply = client.call("create_invoice", order);
    await server.log.waitFor(({ arrivals }) => arrivals().length === 1);
    await client.close();
    expect(await reply).toMatchObject({ isError: true });
    expect(guard.evidence).toEqual([{ kind: "silence", cause: "connection_closed" }]);
  });

  it.each(SDKS)("guardFetch still reads the late answer: %s", async (name) => {
    const server = await http(invoices({ reply: { late: 200 } }));
    const guard = fakeGuard();
    const client = await connected(name, server, { guard, fetch: guardFetch(guard, { server: SERVER }) });
    const reply = client.call("create_invoice", order).catch(() => "closed");
    await server.log.waitFor(({ arrivals }) => arrivals().length === 1);
    await client.close();
    expect(await reply).toBe("closed");
    await vi.waitFor(() => expect(guard.evidence).toMatchObject([{ kind: "result" }]), 5000);
    expect(guard.told).toEqual([]);
  });

  it("a stdio server that is closed makes every call in flight uncertain at once", async () => {
    const server = stdio(invoices({ reply: "never" }));
    const guard = fakeGuard({ deadline: 20_000 });
    const client = await connected("v2-2025", server, { guard });
    const replies = [1, 2].map((amount) => client.call("create_invoice", { ...order, amount }));
    await server.log.waitFor(({ arrivals }) => arrivals().length === 2);
    process.kill((client.transport as { pid: number }).pid, "SIGKILL");
    expect(await Promise.all(replies)).toMatchObject([{ isError: true }, { isError: true }]);
    expect(guard.evidence).toEqual(Array(2).fill({ kind: "silence", cause: "connection_closed" }));
  });
});
