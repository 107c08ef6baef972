import { describe, expect, test } from "vitest";
import type { Reply, Step } from "../../../adapters/testing/index.ts";
import { connect, INVOICE, outcomeOf } from "./clients.ts";
import { stdioServer } from "./servers.ts";

interface Row {
  readonly reply: Reply;
  readonly commit?: Step["commit"];
  readonly effects: number;
  readonly says: string;
}

const ROWS: readonly Row[] = [
  { reply: "ok", effects: 1, says: "result" },
  { reply: { late: 50 }, effects: 1, says: "result" },
  { reply: "never", effects: 1, says: "timeout" },
  { reply: "close_stream", effects: 1, says: "timeout" },
  { reply: "reset", effects: 1, says: "closed" },
  { reply: "reset", commit: "before_accept_fails", effects: 0, says: "closed" },
  { reply: "kill_process", effects: 1, says: "closed" },
  { reply: { isError: "busy" }, effects: 1, says: "isError busy" },
  { reply: { rpcError: { code: -32603, message: "boom" } }, effects: 1, says: "error -32603" },
  { reply: "schema_invalid", effects: 1, says: "error -32602" },
  { reply: "no_structured_content", effects: 1, says: "error -32600" },
  { reply: "shape_invalid", effects: 1, says: "invalid result" },
  { reply: "huge", effects: 1, says: "closed" },
  { reply: "wrong_id", effects: 1, says: "timeout" },
  { reply: "string_id", effects: 1, says: "result" },
  { reply: "null_id_error", effects: 1, says: "timeout" },
  { reply: "extra_top_level_key", effects: 1, says: "timeout" },
  { reply: "stdout_noise", effects: 1, says: "result" },
  { reply: "not_json", effects: 1, says: "timeout" },
  { reply: "truncated", effects: 1, says: "closed" },
  { reply: "success_without_effect", effects: 0, says: "result" },
  { reply: { already_exists: "inv_9" }, effects: 0, says: "isError Already exists: inv_9" },
  { reply: { pending: "job-1" }, effects: 1, says: "result" },
];

describe.each(["v1", "v2 2026-07-28"] as const)("over stdio, to the bare client %s", (name) => {
  test.each(ROWS)("the reply $reply with commit $commit looks like $says", async (row) => {
    const { reply, commit, effects, says } = row;
    const server = stdioServer({
      script: { create_invoice: [{ reply, ...(commit === undefined ? {} : { commit }) }] },
    });
    const client = await connect(name, server);

    expect(
      await outcomeOf(client.call("create_invoice", INVOICE, { timeout: says === "timeout" ? 400 : 25_000 })),
    ).toBe(says);

    expect(server.log.arrivals()).toHaveLength(1);
    expect(server.log.effects()).toHaveLength(effects);
  });
});

test("a reply that exists only over HTTP is refused when it is planned", () => {
  expect(() => stdioServer({ script: { create_invoice: [{ reply: "202" }] } })).toThrow(/only over HTTP/);
});
