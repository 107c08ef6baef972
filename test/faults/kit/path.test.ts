import { describe, expect, test } from "vitest";
import type { PathStep } from "../../../adapters/testing/index.ts";
import { CLIENTS, connect, INVOICE, outcomeOf } from "./clients.ts";
import { httpServer, pathTo } from "./servers.ts";

interface Row {
  readonly step: PathStep;
  readonly effects: number;
  readonly says: string;
}

const ROWS: readonly Row[] = [
  { step: "forward", effects: 1, says: "result" },
  { step: "hang", effects: 1, says: "timeout" },
  { step: "swallow", effects: 0, says: "timeout" },
  { step: "cut_reply", effects: 1, says: "terminated UND_ERR_SOCKET" },
  { step: { repeats: 2 }, effects: 3, says: "result" },
  { step: { delay: 50 }, effects: 1, says: "result" },
  { step: { edge_timeout: 5_000 }, effects: 1, says: "result" },
  { step: { reset: "before" }, effects: 0, says: "fetch failed ECONNRESET" },
  { step: { reset: "after" }, effects: 1, says: "fetch failed ECONNRESET" },
  { step: { status: 502, when: "after" }, effects: 1, says: "error 502" },
  { step: { status: 504, when: "after" }, effects: 1, says: "error 504" },
  { step: { status: 524, when: "after" }, effects: 1, says: "error 524" },
  { step: { status: 429, when: "after" }, effects: 1, says: "error 429" },
  { step: { status: 429, when: "before" }, effects: 0, says: "error 429" },
  { step: { status: 401, when: "after" }, effects: 1, says: "error 401" },
];

describe.each(CLIENTS)("on the path of %s", (name) => {
  test.each(ROWS)("$step looks like $says and leaves $effects effects", async ({ step, effects, says }) => {
    const server = await httpServer();
    const path = await pathTo(server, step);
    const client = await connect(name, path.url);

    const timeout = says === "timeout" ? 300 : 10_000;
    expect(await outcomeOf(client.call("create_invoice", INVOICE, { timeout }))).toBe(says);

    expect(path.arrivals()).toMatchObject([{ tool: "create_invoice", forwarded: effects }]);
    expect(server.log.effects()).toHaveLength(effects);
  });

  test("a redirect after the server did it makes the transport send it again", async () => {
    const server = await httpServer();
    const path = await pathTo(server, { status: 307, when: "after" }, "forward");
    const client = await connect(name, path.url);
    expect(await outcomeOf(client.call("create_invoice", INVOICE))).toBe("result");
    expect(server.log.effects()).toHaveLength(2);
  });

  test("a redirect before the server saw it costs nothing", async () => {
    const server = await httpServer();
    const path = await pathTo(server, { status: 307, when: "before" }, "forward");
    const client = await connect(name, path.url);
    expect(await outcomeOf(client.call("create_invoice", INVOICE))).toBe("result");
    expect(server.log.effects()).toHaveLength(1);
  });
});

test("an edge gives up before the server does", async () => {
  const server = await httpServer({ script: { create_invoice: [{ reply: { late: 200 } }] } });
  const path = await pathTo(server, { edge_timeout: 50 });
  const client = await connect("v1", path.url);
  expect(await outcomeOf(client.call("create_invoice", INVOICE))).toBe("error 504");
  expect(server.log.effects()).toHaveLength(1);
});

test("a kept-alive connection is reset after the server did it", async () => {
  const server = await httpServer();
  const path = await pathTo(server, "keepalive_reset");
  const client = await connect("v1", path.url);
  expect(await outcomeOf(client.call("create_invoice", INVOICE))).toBe("fetch failed ECONNRESET");
  expect(server.log.effects()).toHaveLength(1);
});

test("refused connections send nothing", async () => {
  const server = await httpServer();
  const path = await pathTo(server);
  const client = await connect("v1", path.url);
  await path.refuseConnections();
  expect(await outcomeOf(client.call("create_invoice", INVOICE))).toBe("fetch failed ECONNREFUSED");
  await path.acceptConnections();
  expect(await outcomeOf(client.call("create_invoice", INVOICE))).toBe("result");
  expect(server.log.arrivals()).toHaveLength(1);
});

test("event streams pass while they are open", async () => {
  const server = await httpServer({ script: { create_invoice: [{ reply: { progress: { every: 20, for: 60 } } }] } });
  const path = await pathTo(server);
  const client = await connect("v1", path.url);
  let seen = 0;
  await client.call("create_invoice", INVOICE, { onprogress: () => (seen += 1) });
  expect(seen).toBe(2);
});

test("a caller who leaves is seen by the server behind the path", async () => {
  const server = await httpServer({ script: { create_invoice: [{ reply: "never" }] } });
  const path = await pathTo(server);
  const client = await connect("v2 2026-07-28", path.url);
  await outcomeOf(client.call("create_invoice", INVOICE, { timeout: 50 }));
  await server.log.waitFor(({ cancels }) => cancels().some(({ reason }) => reason === "disconnected"));
});
