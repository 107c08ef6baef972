import { describe, expect, test } from "vitest";
import type { Reply } from "../../../adapters/testing/index.ts";
import { connect, INVOICE, outcomeOf } from "./clients.ts";
import { httpServer, stdioServer } from "./servers.ts";

const OVER = ["http json", "http sse", "stdio"] as const;

async function server(over: (typeof OVER)[number], reply: Reply) {
  const script = { create_invoice: [{ reply }] };
  const started =
    over === "stdio"
      ? stdioServer({ script })
      : await httpServer({ script, answers: over === "http sse" ? "sse" : "json" });
  return { log: started.log, target: "url" in started ? started.url : started };
}

describe.each(OVER)("over %s", (over) => {
  test.each(["v1", "v2 legacy"] as const)(
    "%s confirms an elicitation inside the call, then it commits",
    async (name) => {
      const { log, target } = await server(over, { elicitation: 1000 });
      const client = await connect(name, target);
      expect(await outcomeOf(client.call("create_invoice", INVOICE))).toBe("result");
      expect(log.arrivals()).toHaveLength(1);
      expect(log.effects()).toHaveLength(1);
    },
  );

  test("an answer to input_required is a second leg of the same call, and it commits once", async () => {
    const { log, target } = await server(over, { input_required: "state-1" });
    const client = await connect("v2 2026-07-28", target);
    expect(await outcomeOf(client.call("create_invoice", INVOICE))).toBe("result");
    expect(log.arrivals().map(({ requestState }) => requestState)).toEqual([undefined, "state-1"]);
    expect(log.effects()).toMatchObject([{ arrival: 2 }]);
  });

  test.each(["v1", "v2 legacy", "v2 2026-07-28"] as const)("progress reaches %s before the result", async (name) => {
    const { target } = await server(over, { progress: { every: 20, for: 100 } });
    const client = await connect(name, target);
    let seen = 0;
    const outcome = await outcomeOf(client.call("create_invoice", INVOICE, { onprogress: () => (seen += 1) }));
    expect(outcome).toBe("result");
    expect(seen).toBe(4);
  });
});

test("the second leg can fail on its own", async () => {
  const http = await httpServer({
    script: { create_invoice: [{ reply: { input_required: "s" } }, { reply: "never" }] },
  });
  const client = await connect("v2 2026-07-28", http.url);
  expect(await outcomeOf(client.call("create_invoice", INVOICE, { timeout: 200 }))).toBe("timeout");
  expect(http.log.effects()).toHaveLength(1);
});

test("a reply of the other era is refused in words, and nothing is committed", async () => {
  const http = await httpServer({ script: { create_invoice: [{ reply: { input_required: "s" } }] } });
  const client = await connect("v1", http.url);
  await expect(client.call("create_invoice", INVOICE)).rejects.toThrow(/only in the 2026-07-28 era/);
  expect(http.log.effects()).toEqual([]);
});

test("a task is working until its late commit, then completed with the result", async () => {
  const http = await httpServer({ script: { create_invoice: [{ commit: { late: 1_500 }, reply: { task: "t-1" } }] } });
  const post = async (id: number, method: string, params: object) => {
    const _meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
    const answer = await fetch(http.url, {
      method: "POST",
      headers: { "mcp-protocol-version": "2026-07-28", "mcp-method": method },
      body: JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, _meta } }),
    });
    return ((await answer.json()) as { result: unknown }).result;
  };

  const created = await post(1, "tools/call", { name: "create_invoice", arguments: INVOICE });
  expect(created).toMatchObject({ resultType: "task", taskId: "t-1", status: "working" });
  expect(await post(2, "tasks/get", { taskId: "t-1" })).toMatchObject({ status: "working" });
  await http.log.waitFor(({ effects }) => effects().length === 1);
  expect(await post(3, "tasks/get", { taskId: "t-1" })).toMatchObject({
    resultType: "complete",
    status: "completed",
    result: { structuredContent: { id: "inv_1" } },
  });
});
