import { getEventListeners } from "node:events";
import { expect, it } from "vitest";
import { guardFetch } from "../../adapters/mcp/index.ts";
import { memoryStore } from "../../adapters/stores/memory/index.ts";
import type { Wire } from "../../src/entries/wire.ts";
import { createGuard, guardFunction, withCallContext } from "../../src/index.ts";
import { payContract, SECRET, uuidv7, world } from "./support.ts";

it("a server name that the configuration does not know is told: its hooks, contracts and identity are not in force", async () => {
  const { guard, hand } = world({ servers: { billing: { tools: { pay: { identityArgs: ["/order"] } } } } });
  const warnings: string[] = [];
  guard.on("warning", ({ message }) => warnings.push(message));
  await guard.start();
  warnings.length = 0;
  const pay = guardFunction(guard, { server: "biling", tool: "pay" }, async () => ({ ok: true }));
  void pay({ order: 1 });
  await hand.move(100);
  expect(warnings.join("\n")).toContain("biling");
});

it("a contract that cannot be in force (no pin) is a warning of the configuration, not a surprise during an outage", () => {
  const { guard } = world({
    servers: {
      bank: {
        tools: {
          pay: {
            identityArgs: ["/order"],
            contract: payContract({ review: { source: "docs", by: "ops", on: "2024-01-01" }, pin: undefined }),
          },
        },
      },
    },
  });
  expect(guard.warnings.join("\n")).toMatch(/pin/);
});

it("guardFetch leaves no listener behind on the signal that a transport uses for its whole life", async () => {
  const guard = createGuard({ store: memoryStore(), secret: SECRET });
  const fetch = async () =>
    new Response(JSON.stringify({ jsonrpc: "2.0", id: 1, result: { content: [] } }), {
      headers: { "content-type": "application/json" },
    });
  const guarded = guardFetch(guard, { server: "billing", fetch });
  const transport = new AbortController();
  for (let order = 0; order < 20; order++) {
    const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "pay", arguments: { order } } };
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify(message);
    await guarded("http://127.0.0.1/mcp", { method: "POST", headers, body, signal: transport.signal });
  }
  expect(getEventListeners(transport.signal, "abort").length).toBeLessThan(3);
});

it("an id that is a UUIDv7 because the order's primary key is one is not refused with the advice to mint another", async () => {
  const { guard, hand } = world();
  let effects = 0;
  const pay = guardFunction(guard, { server: "bank", tool: "pay" }, async () => {
    effects += 1;
    return { ok: true };
  });
  // README and docs of perform: { operationId: order.id }. The order was placed two hours ago and is paid now.
  const calling = withCallContext({ operationId: uuidv7(hand.now() - 7_200_000) }, () => pay({ order: 1 }));
  await hand.move(100);
  const outcome = await calling;
  expect(outcome.kind === "refused" ? outcome.detail : "").not.toContain("mint a new operationId");
  expect(effects).toBeLessThan(2);
});

it("a caller who leaves while Retry-After runs is told of the rejection, not that the action may have taken effect", async () => {
  const { guard, hand } = world({ servers: { bank: { rejectsBeforeWork: [429] } } });
  const busy: Wire = {
    headers: false,
    async send(attempt) {
      return attempt.mayStart()
        ? { kind: "http_status", status: 429, retryAfter: 5_000 }
        : { kind: "not_sent", cause: "permit_lost" };
    },
  };
  const caller = new AbortController();
  const calling = guard.perform({ server: "bank", tool: "pay", arguments: {}, signal: caller.signal }, busy);
  await hand.move(1_000);
  caller.abort();
  await hand.move(100);
  expect((await calling).kind).not.toBe("uncertain");
});
