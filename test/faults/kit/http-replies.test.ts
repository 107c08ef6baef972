import { describe, expect, test } from "vitest";
import { type Reply, type Step, sessionNotFound } from "../../../adapters/testing/index.ts";
import { CLIENTS, connect, INVOICE, outcomeOf } from "./clients.ts";
import { httpServer } from "./servers.ts";

interface Row {
  readonly reply: Reply;
  readonly commit?: Step["commit"];
  readonly effects: number;
  /** What the bare SDK says, in every generation and era. */
  readonly says: string;
}

const RESET = "fetch failed ECONNRESET";
const OTHER_SIDE = "fetch failed UND_ERR_SOCKET";

const ROWS: readonly Row[] = [
  { reply: "ok", effects: 1, says: "result" },
  { reply: { late: 50 }, effects: 1, says: "result" },
  { reply: "never", effects: 1, says: "timeout" },
  { reply: "close_stream", effects: 1, says: "timeout" },
  { reply: "reset", effects: 1, says: RESET },
  { reply: "reset", commit: "before_accept_fails", effects: 0, says: RESET },
  { reply: "kill_process", effects: 1, says: OTHER_SIDE },
  { reply: { isError: "busy" }, effects: 1, says: "isError busy" },
  { reply: { isError: "" }, commit: "none", effects: 0, says: "isError " },
  { reply: { rpcError: { code: -32603, message: "boom" } }, effects: 1, says: "error -32603" },
  { reply: { rpcError: { code: -32602, message: "no" } }, commit: "none", effects: 0, says: "error -32602" },
  { reply: "schema_invalid", effects: 1, says: "error -32602" },
  { reply: "no_structured_content", effects: 1, says: "error -32600" },
  { reply: "shape_invalid", effects: 1, says: "invalid result" },
  { reply: "huge", effects: 1, says: "result" },
  { reply: "wrong_id", effects: 1, says: "timeout" },
  { reply: "string_id", effects: 1, says: "result" },
  { reply: "null_id_error", effects: 1, says: "invalid result" },
  { reply: "extra_top_level_key", effects: 1, says: "invalid result" },
  { reply: { html: 502 }, effects: 1, says: "error 502" },
  { reply: "empty_200", effects: 1, says: "SyntaxError" },
  { reply: "not_json", effects: 1, says: "SyntaxError" },
  { reply: "truncated", effects: 1, says: "terminated UND_ERR_SOCKET" },
  { reply: { success_false: "" }, effects: 1, says: "result" },
  { reply: "success_without_effect", effects: 0, says: "result" },
  { reply: { already_exists: "inv_9" }, effects: 0, says: "isError Already exists: inv_9" },
  { reply: { pending: "job-1" }, effects: 1, says: "result" },
  { reply: { result: { content: [], structuredContent: { id: "x" } } }, effects: 1, says: "result" },
  { reply: { status: 503, when: "before" }, effects: 0, says: "error 503" },
  { reply: { status: 503, when: "after" }, effects: 1, says: "error 503" },
  { reply: sessionNotFound("after"), effects: 1, says: "error 404" },
  { reply: "sse_end", effects: 1, says: "timeout" },
  { reply: "sse_resume", effects: 1, says: "result" },
  { reply: "sse_reset", effects: 1, says: "timeout" },
  { reply: "malformed_sse", effects: 1, says: "timeout" },
  { reply: "202", effects: 1, says: "timeout" },
];

describe.each(CLIENTS)("over HTTP, to the bare client %s", (name) => {
  test.each(ROWS)("the reply $reply with commit $commit looks like $says", async ({ reply, commit, effects, says }) => {
    const server = await httpServer({
      script: { create_invoice: [{ reply, ...(commit === undefined ? {} : { commit }) }] },
    });
    const client = await connect(name, server.url);

    const outcome = await outcomeOf(
      client.call("create_invoice", INVOICE, { timeout: says === "timeout" ? 300 : 10_000 }),
    );

    expect(outcome).toBe(says);
    expect(server.log.arrivals()).toHaveLength(1);
    expect(server.log.effects()).toHaveLength(effects);
  });
});

test("a reply that exists only over stdio is refused when it is planned", async () => {
  const server = await httpServer();
  expect(() => server.plan("create_invoice", { reply: "stdout_noise" })).toThrow(/only over stdio/);
});

test("a plan for a tool that does not exist is refused", async () => {
  const server = await httpServer();
  expect(() => server.plan("refund", { reply: "never" })).toThrow(/no tool "refund"/);
});
