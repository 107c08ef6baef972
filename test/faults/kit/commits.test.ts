import { expect, test } from "vitest";
import type { FaultTool } from "../../../adapters/testing/index.ts";
import { connect, INVOICE, outcomeOf } from "./clients.ts";
import { httpServer, stdioServer } from "./servers.ts";

const IMPORT: FaultTool = {
  effect: "write",
  name: "import_rows",
  bulk: "rows",
  inputSchema: { type: "object", properties: { rows: { type: "array" } }, required: ["rows"] },
};

test("a late commit lands after the caller gave up", async () => {
  const server = await httpServer({ script: { create_invoice: [{ commit: { late: 200 }, reply: "never" }] } });
  const client = await connect("v1", server.url);

  expect(await outcomeOf(client.call("create_invoice", INVOICE, { timeout: 50 }))).toBe("timeout");
  expect(server.log.effects()).toEqual([]);

  await server.log.waitFor(({ effects }) => effects().length === 1);
  expect(server.log.cancels()).toMatchObject([{ requestId: 2 }]);
});

test("a late commit lands although its stdio client has left", async () => {
  const server = stdioServer({ script: { create_invoice: [{ commit: { late: 300 }, reply: "never" }] } });
  const client = await connect("v1", server);

  await outcomeOf(client.call("create_invoice", INVOICE, { timeout: 50 }));
  await client.close();

  await server.log.waitFor(({ effects }) => effects().length === 1);
});

test.each(["v1", "v2 2026-07-28"] as const)(
  "a cancellation by %s stops a late commit where the script says so",
  async (name) => {
    const step = { commit: { late: 150 }, reply: "never", cancel: "stop" } as const;
    const server = await httpServer({ script: { create_invoice: [step] } });
    const client = await connect(name, server.url);

    expect(await outcomeOf(client.call("create_invoice", INVOICE, { timeout: 50 }))).toBe("timeout");
    await server.log.waitFor(({ cancels }) => cancels().length === 1);
    await new Promise((resolve) => setTimeout(resolve, 200));

    expect(server.log.effects()).toEqual([]);
  },
);

test("one call can have several effects", async () => {
  const server = await httpServer({ script: { create_invoice: [{ commit: { times: 3 } }] } });
  const client = await connect("v1", server.url);

  await client.call("create_invoice", INVOICE);

  expect(server.objects("create_invoice").map(({ id }) => id)).toEqual(["inv_1", "inv_1_2", "inv_1_3"]);
});

test("a partial commit of a plain call leaves a torn object", async () => {
  const server = await httpServer({ script: { create_invoice: [{ commit: { partial: 2 }, reply: "never" }] } });
  const client = await connect("v1", server.url);

  await outcomeOf(client.call("create_invoice", INVOICE, { timeout: 50 }));

  expect(server.log.effects()).toMatchObject([{ arguments: { customer: "acme", order: "o-1" }, complete: false }]);
});

test("a partial commit of a bulk call leaves the first items", async () => {
  const server = await httpServer({ tools: [IMPORT], script: { import_rows: [{ commit: { partial: 2 } }] } });
  const client = await connect("v1", server.url);

  await client.call("import_rows", { rows: ["a", "b", "c"] });

  expect(server.log.effects("import_rows").map((effect) => effect.arguments.rows)).toEqual([["a"], ["b"]]);
});

test("the n-th call takes the n-th step and the last one repeats", async () => {
  const server = await httpServer();
  const client = await connect("v1", server.url);
  await client.call("create_invoice", INVOICE);
  server.plan("create_invoice", { reply: { isError: "one" } }, { reply: { isError: "two" } });

  const answers = [];
  for (let n = 0; n < 3; n++) answers.push(await outcomeOf(client.call("create_invoice", INVOICE)));

  expect(answers).toEqual(["isError one", "isError two", "isError two"]);
});

test("a definition can drift while the server runs", async () => {
  const server = await httpServer();
  const client = await connect("v1", server.url);
  server.configure({ tools: [IMPORT] });

  expect(await outcomeOf(client.call("import_rows", { rows: ["a"] }))).toBe("result");
});

test("parallel calls are numbered apart", async () => {
  const server = await httpServer();
  const client = await connect("v1", server.url);

  await Promise.all(Array.from({ length: 20 }, () => client.call("create_invoice", INVOICE)));

  expect(new Set(server.log.effects().map(({ reference }) => reference)).size).toBe(20);
});
