/** Tasks that wait for input: the person gets the question, the time that it takes is not the deadline's, nothing is sent twice. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { expect, onTestFinished, test } from "vitest";
import { guardFetch } from "../../../adapters/mcp/index.ts";
import { memoryStore } from "../../../adapters/stores/memory/index.ts";
import type { Step } from "../../../adapters/testing/index.ts";
import { startFaultServer } from "../../../adapters/testing/index.ts";
import { createGuard } from "../../../src/index.ts";
import { INVOICE, overHttp, overStdio, type Scene, SERVER } from "../../cases/harness.ts";

const ASKS: Step = { commit: { late: 30 }, reply: { task: { id: "task-1", poll: 50, asks: true } } };
const SCRIPT = { create_invoice: [ASKS] };
const WAYS = (["v1", "v2"] as const).flatMap((client) =>
  (["http", "stdio", "fetch"] as const).map((way) => [client, way] as const),
);

/** A person who takes twice as long as the call may. */
const SLOW = { answersAfter: 1_500 };
const SHORT = { deadline: 750 };

const once = (given: Scene): void =>
  expect([given.arrivals("create_invoice"), given.effects("create_invoice").length]).toEqual([1, 1]);

test.each(WAYS)("W1-07 %s over %s: the time that the person takes does not count", async (client, way) => {
  const given =
    way === "stdio"
      ? await overStdio({ client, script: SCRIPT, connect: SLOW })
      : await overHttp({ client, script: SCRIPT, connect: { ...SLOW, fetch: way === "fetch" } });
  const { kind, text } = await given.call("create_invoice", INVOICE, SHORT);
  expect([kind, text]).toEqual(["succeeded", expect.stringContaining("inv_1")]);
  once(given);
});

test.each(["json", "sse"] as const)(
  "guardFetch alone (%s): the question comes in the answer that the call waits for",
  async (answers) => {
    const server = await startFaultServer({ script: SCRIPT, answers });
    const guard = createGuard({ store: memoryStore(), sweepEvery: "1h", servers: { [SERVER]: {} } });
    onTestFinished(async () => {
      await guard.close({ within: 0 });
      await server.close();
    });
    const client = new Client({ name: "input", version: "1.0.0" }, { capabilities: { elicitation: { form: {} } } });
    client.setRequestHandler(ElicitRequestSchema, async () => {
      await new Promise((resolve) => setTimeout(resolve, SLOW.answersAfter));
      return { action: "accept" as const, content: { ok: true } };
    });
    const fetch = guardFetch(guard, { server: SERVER, ...SHORT }) as never;
    await client.connect(new StreamableHTTPClientTransport(new URL(server.url), { fetch }) as never);
    onTestFinished(() => client.close());
    const result = await client.callTool({ name: "create_invoice", arguments: INVOICE });
    expect(result).toMatchObject({ structuredContent: { id: "inv_1" } });
    expect(result.isError).toBeFalsy();
    expect(server.log.arrivals("create_invoice")).toHaveLength(1);
  },
);

test("2026 era: a caller that knows no tasks cannot give the input, which is doubt; who can may do it later", async () => {
  const given = await overHttp({ client: "v2 2026", script: SCRIPT });
  const { kind, outcome } = await given.call("create_invoice", INVOICE, SHORT);
  expect([kind, outcome]).toMatchObject(["uncertain", { reason: "task_input_required" }]);
  expect((await given.call("create_invoice", INVOICE, SHORT)).kind).toBe("uncertain");
  expect(given.arrivals("create_invoice")).toBe(1);

  await giveInput(given);
  expect((await given.until(outcome.operation, "succeeded")).attempts).toBe(1);
  once(given);
});

test("a task that nobody gives its input goes to a person, with what it waits for, and settles when it has it", async () => {
  const given = await overHttp({
    client: "v2 2026",
    script: SCRIPT,
    policy: { create_invoice: { taskFor: 300 } },
  });
  const { outcome } = await given.call("create_invoice", INVOICE, { deadline: 100 });
  const item = await given.until(outcome.operation, "unresolved");
  expect([item.reason, item.next]).toEqual(["task_input_required", expect.stringContaining('task "task-1"')]);
  expect(await given.queue()).toEqual([outcome.operation]);
  expect([given.arrivals("create_invoice"), given.effects("create_invoice").length]).toEqual([1, 0]);
});

/** Another client of the server, which knows of the task. */
async function giveInput({ server }: { readonly server: { readonly url: string } }): Promise<void> {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": { name: "other", version: "1.0.0" },
  };
  const params = { taskId: "task-1", inputResponses: { confirm: { action: "accept", content: { ok: true } } }, _meta };
  const response = await fetch(server.url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tasks/update",
      "mcp-name": "task-1",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tasks/update", params }),
  });
  expect(await response.json()).toMatchObject({ result: {} });
}
