import { createServer } from "node:net";
import { describe, expect, it } from "vitest";
import { guardFetch } from "../../../adapters/mcp/index.ts";
import type { Reply, Step } from "../../../adapters/testing/index.ts";
import type { WireEvidence } from "../../../src/entries/wire.ts";
import { CLIENTS, type ClientName, SERVER } from "./support/clients.ts";
import { fakeGuard } from "./support/fake-guard.ts";
import { BANNED, connected, http, invoices, order, stdio } from "./support/world.ts";

type Expected = Partial<WireEvidence> | RegExp;
const ran: Step["commit"] = "before_reply";
const silent = (cause: string): Expected => ({ kind: "silence", cause }) as Expected;
const status = (code: number): Expected => ({ kind: "http_status", status: code });

/** What the server does, how often it took effect, what the tap reports alone and with guardFetch below it. */
const OVER_HTTP: readonly [title: string, step: Step, effects: number, alone: Expected, withFetch: Expected][] = [
  ["a result", { reply: "ok" }, 1, { kind: "result" }, { kind: "result" }],
  ["an isError result", { reply: { isError: "no" } }, 1, { kind: "result" }, { kind: "result" }],
  [
    "a JSON-RPC error",
    { reply: { rpcError: { code: -32603, message: "x" } } },
    1,
    { kind: "rpc_error", code: -32603 },
    { kind: "rpc_error", code: -32603 },
  ],
  [
    "a JSON-RPC refusal",
    { commit: "none", reply: { rpcError: { code: -32602, message: "x" } } },
    0,
    { kind: "rpc_error", code: -32602, id: "ours" },
    { kind: "rpc_error", code: -32602, id: "ours" },
  ],
  ["no reply", { reply: "never" }, 1, silent("deadline"), silent("deadline")],
  ["a stream that is closed at once", { reply: "close_stream" }, 1, /deadline|stream_ended/, silent("stream_ended")],
  ["a reset", { reply: "reset" }, 1, silent("connection_reset"), silent("connection_reset")],
  ["half an answer", { reply: "truncated" }, 1, silent("connection_reset"), silent("connection_reset")],
  ["an empty 200", { reply: "empty_200" }, 1, silent("unreadable_answer"), silent("unreadable_answer")],
  ["no JSON", { reply: "not_json" }, 1, silent("unreadable_answer"), silent("unreadable_answer")],
  ["a web page", { reply: { html: 200 } }, 1, silent("unexpected_content"), silent("unexpected_content")],
  ["a gateway's 502", { reply: { status: 502, when: "after" } }, 1, status(502), status(502)],
  [
    "a 429",
    { reply: { status: 429, when: "before", headers: { "retry-after": "2" } } },
    0,
    status(429),
    { ...status(429), retryAfter: 2000 } as Expected,
  ],
  ["a 413", { reply: { status: 413, when: "before" } }, 0, status(413), status(413)],
  [
    "a stream that ends without an answer",
    { reply: "malformed_sse" },
    1,
    /deadline|stream_ended/,
    silent("stream_ended"),
  ],
  ["a stream that breaks off", { reply: "sse_reset" }, 1, /deadline|stream_ended/, silent("connection_reset")],
];

describe.each(["v1", "v2-2025", "v2-2026"] as const)("%s over HTTP", (name) => {
  for (const [title, step, effects, alone, withFetch] of OVER_HTTP) {
    it.each([
      ["the tap alone", alone],
      ["the tap with guardFetch", withFetch],
    ])(`reads ${title} for what it is, by %s`, async (seen, expected) => {
      const server = await http(invoices({ commit: ran, ...step }));
      const guard = fakeGuard({ deadline: waits(expected) ? 200 : 10_000 });
      const fetch = seen.includes("guardFetch") ? { fetch: guardFetch(guard, { server: SERVER }) } : {};
      const client = await connected(name, server, { guard, ...fetch });
      const result = await client.call("create_invoice", order).catch((error: unknown) => error);
      expect(server.log.effects("create_invoice")).toHaveLength(effects);
      expect(server.log.arrivals("create_invoice")).toHaveLength(1);
      const [evidence] = guard.evidence;
      if (expected instanceof RegExp) expect(reasonOf(guard)).toMatch(expected);
      else if ("cause" in expected && expected.cause === "deadline") expect(guard.evidence).toEqual([]);
      else expect(evidence).toMatchObject(expected);
      expect(guard.outcomes).toHaveLength(1);
      if (guard.outcomes[0]?.kind === "uncertain") expect(result).toMatchObject({ isError: true });
      expect(String(result instanceof Error ? result.message : JSON.stringify(result))).not.toMatch(BANNED);
    });
  }
});

/** Whether only our deadline ends the call. */
const waits = (expected: Expected): boolean =>
  expected instanceof RegExp || ("cause" in expected && expected.cause === "deadline");

const reasonOf = ({ outcomes: [outcome] }: ReturnType<typeof fakeGuard>): string =>
  outcome?.kind === "uncertain" ? outcome.reason : String(outcome?.kind);

const OVER_STDIO: readonly [title: string, reply: Reply, expected: Expected][] = [
  ["a result", "ok", { kind: "result" }],
  ["noise before the result", "stdout_noise", { kind: "result" }],
  ["an id that came back as text", "string_id", { kind: "result" }],
  ["a killed server", "kill_process", silent("connection_closed")],
  ["half a line and the end", "truncated", silent("connection_closed")],
  ["no reply", "never", silent("deadline")],
  ["an error without an id", "null_id_error", silent("deadline")],
  ["an answer to somebody else", "wrong_id", silent("deadline")],
  ["no JSON", "not_json", silent("deadline")],
];

describe.each(CLIENTS)("%s over stdio", (name) => {
  it.each(OVER_STDIO)("reads %s for what it is", async (_title, reply, expected) => {
    const server = stdio(invoices({ reply }));
    const guard = fakeGuard({ deadline: waits(expected) ? 300 : 10_000 });
    const client = await connected(name, server, { guard });
    const result = await client.call("create_invoice", order);
    expect(server.log.effects("create_invoice")).toHaveLength(1);
    if ("cause" in expected && expected.cause === "deadline") expect(guard.evidence).toEqual([]);
    else expect(guard.evidence[0]).toMatchObject(expected);
    if (guard.outcomes[0]?.kind === "uncertain") expect(result.isError).toBe(true);
  });
});

describe("proof that nothing was sent", () => {
  it.each(CLIENTS)("is a refused connection (%s)", async (name) => {
    const server = await http();
    const guard = fakeGuard();
    const client = await connected(name, server, { guard });
    server.crash();
    const result = await client.call("create_invoice", order);
    expect(guard.evidence).toEqual([{ kind: "not_sent", cause: "connection_refused" }]);
    expect(JSON.stringify(result)).not.toMatch(BANNED);
    await server.restart();
  });

  it("is a name that does not resolve, found by its code in the chain of causes", async () => {
    const { evidenceOfError } = await import("../../../adapters/mcp/evidence.ts");
    const cause = Object.assign(new Error("x"), { code: "ENOTFOUND" });
    const error = new TypeError("fetch failed", { cause });
    expect(evidenceOfError(error, { id: 1, authInside: false })).toEqual({
      kind: "not_sent",
      cause: "name_not_resolved",
    });
    expect(evidenceOfError(error, { id: 1, authInside: true })).toEqual({ kind: "silence", cause: "transport_error" });
  });

  it("is a certificate that is not trusted", async () => {
    const { evidenceOfError } = await import("../../../adapters/mcp/evidence.ts");
    const error = new TypeError("x", { cause: Object.assign(new Error("x"), { code: "DEPTH_ZERO_SELF_SIGNED_CERT" }) });
    expect(evidenceOfError(error, { id: 1, authInside: false })).toEqual({ kind: "not_sent", cause: "tls_failed" });
  });

  it("is a stdio server that is gone", async () => {
    const server = stdio();
    const guard = fakeGuard();
    const client = await connected("v1", server, { guard });
    const { transport } = client;
    await transport.close();
    await transport.send({ jsonrpc: "2.0", id: 77, method: "tools/call", params: { name: "create_invoice" } } as never);
    expect(guard.evidence).toEqual([{ kind: "not_sent", cause: "not_connected" }]);
  });

  it("is a permit that was lost", async () => {
    const server = await http();
    const guard = fakeGuard({ permit: () => false });
    const client = await connected("v1", server, { guard });
    await client.call("create_invoice", order);
    expect(guard.evidence).toEqual([{ kind: "not_sent", cause: "permit_lost" }]);
    expect(server.log.arrivals()).toHaveLength(0);
  });

  it("is not the text of an error: a listener that drops the connection leaves doubt", async () => {
    const refusing = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => refusing.listen(0, "127.0.0.1", resolve));
    const address = refusing.address();
    const port = typeof address === "object" && address ? address.port : 0;
    const server = await http();
    const guard = fakeGuard();
    let target: string | undefined;
    const fetch: typeof globalThis.fetch = (input, init) => globalThis.fetch(target ?? input, init);
    const client = await connected("v2-2026" satisfies ClientName, server, { guard, fetch });
    target = `http://127.0.0.1:${port}/mcp`;
    await client.call("create_invoice", order);
    expect(guard.evidence).toEqual([{ kind: "silence", cause: "connection_reset" }]);
    refusing.close();
  });
});
