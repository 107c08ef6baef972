/** Signing in goes on working: a refusal with a challenge is no doubt. */
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { describe, expect, it } from "vitest";
import { guardFetch, guardTransport } from "../../../adapters/mcp/index.ts";
import { clientV1, SERVER } from "./support/clients.ts";
import { fakeGuard } from "./support/fake-guard.ts";
import { provider, signedIn, unauthorized } from "./support/hosts.ts";
import { http, invoices, later, order } from "./support/world.ts";

const invoice = { name: "create_invoice", arguments: order };
const stepUp = {
  status: 403,
  when: "before",
  headers: { "www-authenticate": 'Bearer error="insufficient_scope", scope="write"' },
} as const;

describe("signing in under the guard", () => {
  it("v1's second post after 401 passes the tap alone, as the same call", async () => {
    const server = await http(invoices({ commit: "none", reply: unauthorized }, { reply: "ok" }));
    const guard = fakeGuard();
    const client = await signedIn("v1", server.url, guard, fetch);
    expect((await client.callTool(invoice)).isError).toBeFalsy();
    expect(guard.calls).toHaveLength(1);
    expect(server.log.effects("create_invoice")).toHaveLength(1);
  });

  it.each(["v1", "v2-2025"] as const)("%s: a fresh token after a challenge: one call, one effect", async (name) => {
    const server = await http(invoices({ commit: "none", reply: unauthorized }, { reply: "ok" }));
    const guard = fakeGuard();
    const client = await signedIn(name, server.url, guard, guardFetch(guard, { server: SERVER }));
    expect((await client.callTool(invoice)).isError).toBeFalsy();
    expect(guard.calls).toHaveLength(1);
    expect(server.log.arrivals("create_invoice")).toHaveLength(2);
    expect(server.log.effects("create_invoice")).toHaveLength(1);
  });

  it("v1: a wider scope after 403 insufficient_scope: one call, one effect", async () => {
    const server = await http(invoices({ commit: "none", reply: stepUp }, { reply: "ok" }));
    const guard = fakeGuard();
    const client = await signedIn("v1", server.url, guard, guardFetch(guard, { server: SERVER }));
    expect((await client.callTool(invoice)).isError).toBeFalsy();
    expect(guard.calls).toHaveLength(1);
    expect(server.log.effects("create_invoice")).toHaveLength(1);
  });

  it("the host hears UnauthorizedError from the SDK when a person has to sign in", async () => {
    const server = await http(invoices({ commit: "none", reply: unauthorized }));
    const guard = fakeGuard();
    const target = new URL(server.url);
    const below = guardFetch(guard, { server: SERVER });
    const offline: typeof fetch = async (input, init) =>
      new URL(String(input)).pathname === target.pathname ? below(input, init) : new Response(null, { status: 404 });
    const authProvider = { ...provider(), tokens: () => undefined };
    const transport = new HttpV1(target, { fetch: offline as never, authProvider: authProvider as never });
    const client = clientV1();
    await client.connect(guardTransport(guard, SERVER, transport) as never);
    later(() => client.close());
    await expect(client.callTool(invoice)).rejects.toThrow("Unauthorized");
    expect(guard.evidence).toEqual([{ kind: "http_status", status: 401, challenge: true }]);
    expect(guard.outcomes).toMatchObject([{ kind: "rejected" }]);
    expect(server.log.effects()).toEqual([]);
  });
});
