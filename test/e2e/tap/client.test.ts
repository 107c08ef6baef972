import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, expectTypeOf, it, vi } from "vitest";
import { guardClient, guardFetch } from "../../../adapters/mcp/index.ts";
import type { Reply } from "../../../adapters/testing/index.ts";
import { type Outcome, withCallContext } from "../../../src/index.ts";
import { type ClientName, clientV1, clientV2, SERVER, type Server, transportFor } from "./support/clients.ts";
import { type FakeGuard, fakeGuard, sleep } from "./support/fake-guard.ts";
import { onElicitation } from "./support/hosts.ts";
import { BANNED, http, invoices, later, order, stdio } from "./support/world.ts";

const SDKS = ["v1", "v2-2025", "v2-2026"] as const;

async function guarded(name: ClientName, server: Server, guard: FakeGuard, fetch?: typeof globalThis.fetch) {
  const raw = name === "v1" ? clientV1() : clientV2(name);
  const client = guardClient(guard, SERVER, raw);
  await client.connect(transportFor(name, server, fetch ? { fetch } : {}) as never);
  later(() => client.close().catch(() => {}));
  await client.listTools();
  return client;
}

const invoice = { name: "create_invoice", arguments: order };

describe("a guarded client", () => {
  it("is still a client, with the types of its SDK", async () => {
    const guard = fakeGuard();
    const v1 = guardClient(guard, SERVER, clientV1());
    const v2 = guardClient(guard, SERVER, clientV2("v2-2025"));
    expect(v1).toBeInstanceOf(ClientV1);
    expect(v2).toBeInstanceOf(ClientV2);
    expect(v1.constructor).toBe(ClientV1);
    expect(v1.listTools).toBe(v1.listTools);
    expectTypeOf(v1.callTool).toEqualTypeOf<ClientV1["callTool"]>();
    expectTypeOf(v2.callTool).toEqualTypeOf<ClientV2["callTool"]>();
    expectTypeOf(v1.perform).returns.resolves.toEqualTypeOf<Outcome>();
    type Second = NonNullable<Parameters<typeof v1.perform>[1]>["request"];
    expectTypeOf<Second>().toEqualTypeOf<Parameters<ClientV1["callTool"]>[2]>();
    type SecondV2 = NonNullable<Parameters<typeof v2.perform>[1]>["request"];
    expectTypeOf<SecondV2>().toEqualTypeOf<Parameters<ClientV2["callTool"]>[1]>();
  });

  it("takes v1's result schema before the options, and v2's options in its place", async () => {
    const server = await http(invoices({ reply: { progress: { every: 20, for: 60 } } }));
    const { CallToolResultSchema } = await import("@modelcontextprotocol/sdk/types.js");
    const guard = fakeGuard();
    let seen = 0;
    const onprogress = (): void => {
      seen += 1;
    };
    const v1 = (await guarded("v1", server, guard)) as unknown as ClientV1;
    await v1.callTool(invoice, CallToolResultSchema, { onprogress });
    expect(seen).toBeGreaterThan(0);
    seen = 0;
    const v2 = (await guarded("v2-2026", server, guard)) as unknown as ClientV2;
    await v2.callTool(invoice, { onprogress });
    expect(seen).toBeGreaterThan(0);
  });

  it.each(SDKS)("%s: never throws for doubt", async (name) => {
    const server = await http(invoices({ reply: "reset" }));
    const client = await guarded(name, server, fakeGuard());
    const result = (await client.callTool(invoice)) as CallToolResult;
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result)).not.toMatch(BANNED);
  });

  it.each(SDKS)("%s: the caller's timeout is the guard's deadline; the SDK's timer does not run", async (name) => {
    const server = await http(invoices({ reply: { late: 400 } }));
    const guard = fakeGuard();
    const client = (await guarded(name, server, guard)) as unknown as ClientV2;
    const options = { timeout: 150, maxTotalTimeout: 150 };
    const outcome = await client.callTool(
      invoice,
      ...((name === "v1" ? [undefined, options] : [options]) as unknown as []),
    );
    expect(outcome.isError).toBe(true);
    expect(guard.calls[0]?.deadline).toBe(150);
    await vi.waitFor(() => expect(guard.evidence).toMatchObject([{ kind: "result" }]), 5000);
    expect(server.log.cancels()).toEqual([]);
  });

  it("a person may take longer than the caller's timeout: the SDK's timer does not run", async () => {
    const server = await http(invoices({ reply: { elicitation: 5000 } }));
    const raw = clientV1({ elicitation: {} });
    onElicitation(raw, () => sleep(400).then(() => ({ action: "accept", content: { confirm: true } })));
    const client = guardClient(fakeGuard(), SERVER, raw);
    await client.connect(transportFor("v1", server, {}) as never);
    later(() => client.close());
    const result = (await client.callTool(invoice, undefined, { timeout: 200 })) as CallToolResult;
    expect(result.isError).toBeFalsy();
  });

  it("a caller that aborted before the call hears it from the SDK, and nothing is sent", async () => {
    const server = await http();
    const guard = fakeGuard();
    const client = await guarded("v1", server, guard);
    await expect(client.perform(invoice, { signal: AbortSignal.abort() })).rejects.toThrow();
    expect(server.log.arrivals()).toEqual([]);
  });

  it.each(SDKS)("%s: perform returns the whole outcome, with the identity that it was given", async (name) => {
    const server = await http();
    const guard = fakeGuard();
    const client = await guarded(name, server, guard);
    const heard: Outcome[] = [];
    const options = {
      operationId: "op-7",
      expect: "digest",
      deadline: 700,
      onOutcome: (o: Outcome) => void heard.push(o),
    };
    const outcome = await withCallContext({ runId: "run-1" }, () => client.perform(invoice, options));
    expect(outcome).toMatchObject({ kind: "succeeded", answer: { kind: "result" } });
    expect(heard).toEqual([outcome]);
    const { operationId, expect: digest, deadline, runId } = guard.calls[0] ?? {};
    expect({ operationId, digest, deadline, runId }).toEqual({
      operationId: "op-7",
      digest: "digest",
      deadline: 700,
      runId: "run-1",
    });
  });

  it.each(SDKS)(
    "%s: a rejection by the server is thrown as the SDK throws it, and told as an outcome",
    async (name) => {
      const error = { code: -32602, message: "no such customer" };
      const server = await http(invoices({ commit: "none", reply: { rpcError: error } }));
      const client = await guarded(name, server, fakeGuard());
      await expect(client.callTool(invoice)).rejects.toMatchObject({ code: -32602 });
      expect(await client.perform(invoice)).toMatchObject({ kind: "rejected", answer: error });
    },
  );

  const COMPLAINTS: readonly (readonly [string, Reply])[] = [
    ["its output schema is broken", "schema_invalid"],
    ["structured content is missing", "no_structured_content"],
    ["its shape is wrong", "shape_invalid"],
  ];
  it.each(SDKS.flatMap((name) => COMPLAINTS.map(([title, reply]) => [name, title, reply] as const)))(
    "%s: a result that came is returned although %s",
    async (name, _title, reply) => {
      const server = await http(invoices({ reply }));
      const guard = fakeGuard();
      const client = await guarded(name, server, guard);
      const result = (await client.callTool(invoice)) as CallToolResult;
      expect(result.isError).toBeFalsy();
      expect(result.content.at(-1)).toMatchObject({ text: expect.stringContaining("The server answered this call") });
      expect(guard.outcomes).toMatchObject([{ kind: "succeeded" }]);
      expect(guard.told).toHaveLength(1);
      expect(server.log.effects()).toHaveLength(1);
    },
  );

  it("an unknown resultType is returned as it came", async () => {
    const server = await http(invoices({ reply: { task: "t1" } }));
    const client = await guarded("v2-2026", server, fakeGuard());
    expect(await client.callTool(invoice)).toMatchObject({ resultType: "task" });
  });

  it.each(SDKS)(
    "%s: a call in flight at close ends with doubt, or with the late answer under guardFetch",
    async (name) => {
      for (const below of [false, true]) {
        const server = await http(invoices({ reply: { late: 200 } }));
        const guard = fakeGuard();
        const client = await guarded(name, server, guard, below ? guardFetch(guard, { server: SERVER }) : undefined);
        const result = client.callTool(invoice);
        await server.log.waitFor(({ arrivals }) => arrivals().length === 1);
        await client.close();
        expect(((await result) as CallToolResult).isError ?? false).toBe(!below);
        expect(guard.outcomes).toMatchObject([{ kind: below ? "succeeded" : "uncertain" }]);
      }
    },
  );

  it.each(SDKS)("%s: the guard's own failure is thrown as it is", async (name) => {
    const failure = Object.assign(new Error("The store does not answer."), { code: "STORE_UNAVAILABLE" });
    const guard = { ...fakeGuard(), perform: async () => Promise.reject(failure) };
    const client = await guarded(name, await http(), guard);
    await expect(client.callTool(invoice)).rejects.toBe(failure);
  });

  it("works for a client that was connected before, over stdio", async () => {
    const server = stdio();
    const raw = clientV1();
    await raw.connect(transportFor("v1", server, {}) as never);
    later(() => raw.close());
    const guard = fakeGuard();
    expect(await guardClient(guard, SERVER, raw).perform(invoice)).toMatchObject({ kind: "succeeded" });
  });
});
