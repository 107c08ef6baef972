/** Mastra keeps what a host promises, although its MCP client sends again by itself: as it comes (tool errors are thrown), and handing tool errors to the model. */
import { randomUUID } from "node:crypto";
import { Agent } from "@mastra/core/agent";
import { MCPClient } from "@mastra/mcp";
import { describe, expect, onTestFinished, test } from "vitest";
import { guardServer, guardTools } from "../../../adapters/frameworks/mastra/index.ts";
import { memoryStore } from "../../../adapters/stores/memory/index.ts";
import { describeHost, type HostHarness, type HostRun, spawnFaultServer } from "../../../adapters/testing/index.ts";
import { createGuard } from "../../../src/index.ts";
import { scriptedModel } from "../support/ai-sdk-model.ts";

type Options = Partial<ConstructorParameters<typeof MCPClient>[0]>;

async function agentOf({ guard, server, target, turns }: HostRun, options: Options) {
  if (target.kind !== "http") throw new Error("over HTTP");
  const billing = guardServer(guard, server, { url: new URL(target.url), ...options });
  const mcp = new MCPClient({ id: randomUUID(), servers: { billing } });
  const named = turns.map((turn) => turn.map((call) => ({ ...call, tool: `billing_${call.tool}` })));
  const { model, read } = scriptedModel(named);
  const tools = guardTools(await mcp.listTools());
  const agent = new Agent({ id: "clerk", name: "clerk", instructions: "Do it.", model: model as never, tools });
  return { mcp, agent, read };
}

const play =
  (options: object = {}): HostHarness["play"] =>
  async (run) => {
    const { mcp, agent, read } = await agentOf(run, options);
    await agent.generate("go", { maxSteps: run.turns.length + 1, runId: run.runId });
    await mcp.disconnect();
    return read;
  };

const host = (playing: HostHarness["play"]): HostHarness => ({ transport: "http", store: memoryStore, play: playing });
// The cases mostly wait: for deadlines, for child processes.
const runner = { describe, test: test.concurrent };
describeHost("a Mastra agent", host(play()), runner);
describeHost("a Mastra agent that hands tool errors to the model", host(play({ onToolError: "return" })), runner);

describe("without the guard, and with it", () => {
  async function charged(guarded: boolean): Promise<number> {
    const server = await spawnFaultServer({ script: { create_invoice: [{ reply: "reset" }, {}] } });
    const guard = createGuard({ store: memoryStore(), secret: "0123456789abcdef" });
    const plain = { url: new URL(server.url) };
    const billing = guarded ? guardServer(guard, "billing", plain) : plain;
    const mcp = new MCPClient({ id: randomUUID(), servers: { billing } });
    onTestFinished(async () => {
      await mcp.disconnect();
      await guard.close({ within: 0 });
      await server.close();
    });
    const { billing_create_invoice } = await mcp.listTools();
    const invoice = { customer: "acme", order: "o-1", amount: 12 };
    // Tool errors are thrown by default, and doubt is one; it does not read like a lost connection.
    await Promise.resolve(billing_create_invoice?.execute?.(invoice, {} as never)).catch(() => {});
    return server.log.effects("create_invoice").length;
  }

  test("Mastra's automatic re-send writes twice after a reset; behind the guard it writes once (T6-02)", async () => {
    expect(await charged(false)).toBe(2);
    expect(await charged(true)).toBe(1);
  });
});

describe("guardServer", () => {
  const guard = createGuard({ store: memoryStore(), secret: "0123456789abcdef" });

  test("refuses a server that is spawned, and names the proxy", () => {
    expect(() => guardServer(guard, "files", { command: "npx" })).toThrow(/\(npx\).*"indoubt", "proxy", "--"/);
  });

  test("leaves a fetch of one's own below it, with what Mastra tells it about the request", async () => {
    const server = await spawnFaultServer();
    const told: unknown[] = [];
    const own = async (url: string | URL, init?: RequestInit, context?: unknown) => {
      told.push(context);
      return fetch(url, init);
    };
    const definition = guardServer(guard, "billing", { url: new URL(server.url), fetch: own, timeout: 5_000 });
    const mcp = new MCPClient({ id: randomUUID(), servers: { billing: definition } });
    onTestFinished(async () => {
      await mcp.disconnect();
      await server.close();
    });
    const requestContext = new Map([["cookie", "c"]]);
    const { billing_send_email } = await mcp.listTools();
    const mail = { to: "ann@acme.example", subject: "s", body: "b" };
    await billing_send_email?.execute?.(mail, { requestContext } as never);
    expect(definition.timeout).toBe(5_000);
    expect(told[0]).toBeNull();
    expect(told).toContain(requestContext);
    expect(server.log.effects("send_email")).toHaveLength(1);
  });
});
