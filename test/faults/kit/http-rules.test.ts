import { expect, test } from "vitest";
import type { JsonObject } from "../../../adapters/testing/index.ts";
import { INVOICE } from "./clients.ts";
import { httpServer } from "./servers.ts";

const VERSION = "io.modelcontextprotocol/protocolVersion";

interface Rule {
  readonly rule: string;
  readonly method: string;
  readonly version: string;
  readonly headers?: Record<string, string>;
  readonly answers: readonly [status: number, code: number | undefined];
}

const RULES: readonly Rule[] = [
  { rule: "a tool list is answered", method: "tools/list", version: "2026-07-28", answers: [200, undefined] },
  { rule: "an unknown method is not found", method: "tools/dance", version: "2026-07-28", answers: [404, -32601] },
  { rule: "an unknown version is refused", method: "tools/list", version: "2027-01-01", answers: [400, -32022] },
  {
    rule: "a header that contradicts the body is refused",
    method: "tools/list",
    version: "2026-07-28",
    headers: { "mcp-method": "tools/call" },
    answers: [400, -32020],
  },
];

test.each(RULES)("in the 2026 era $rule", async ({ method, version, headers, answers }) => {
  const server = await httpServer();
  const declared = { "mcp-protocol-version": version, "mcp-method": method, ...headers };
  const response = await post(server.url, { method, params: { _meta: { [VERSION]: version } } }, declared);
  const body = (await response.json()) as { error?: { code: number } };
  expect([response.status, body.error?.code]).toEqual(answers);
});

test("lists of the 2026 era say how long they hold and for whom", async () => {
  const server = await httpServer();
  const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list" };
  const response = await post(
    server.url,
    { method: "tools/list", params: { _meta: { [VERSION]: "2026-07-28" } } },
    headers,
  );
  expect(await response.json()).toMatchObject({ result: { resultType: "complete", ttlMs: 0, cacheScope: "private" } });
});

test("the 2025 era insists on a session that it handed out", async () => {
  const server = await httpServer();
  const call = { method: "tools/call", params: { name: "create_invoice", arguments: INVOICE } };
  const opening = await post(server.url, { method: "initialize", params: { protocolVersion: "2025-11-25" } });
  const session = opening.headers.get("mcp-session-id") ?? "";

  expect((await post(server.url, call)).status).toBe(400);
  expect((await post(server.url, call, { "mcp-session-id": "stranger" })).status).toBe(404);
  expect((await post(server.url, call, { "mcp-session-id": session })).status).toBe(200);
  expect(server.log.arrivals()).toMatchObject([{ session }]);
});

test("a batch is refused", async () => {
  const server = await httpServer();
  const response = await fetch(server.url, { method: "POST", body: "[]" });
  expect(response.status).toBe(400);
});

function post(url: string, message: JsonObject, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, { method: "POST", headers, body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...message }) });
}
