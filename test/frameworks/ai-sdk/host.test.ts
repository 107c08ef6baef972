/** The Vercel AI SDK keeps what a host promises: as it comes, streaming, and with the retries of its MCP client. */
import { createMCPClient, type MCPClientConfig } from "@ai-sdk/mcp";
import { generateText, isStepCount, streamText } from "ai";
import { describe, expect, onTestFinished, test } from "vitest";
import { guardMcpClient } from "../../../adapters/frameworks/ai-sdk/index.ts";
import { guardFetch, guardTransport } from "../../../adapters/mcp/index.ts";
import { memoryStore } from "../../../adapters/stores/memory/index.ts";
import { describeHost, type HostHarness, type HostRun, startFaultServer } from "../../../adapters/testing/index.ts";
import { createGuard, withCallContext } from "../../../src/index.ts";
import { scriptedModel } from "../support/ai-sdk-model.ts";
import { transportV2 } from "../support/clients.ts";

type Connect = (run: HostRun) => Promise<Awaited<ReturnType<typeof createMCPClient>>>;

const play =
  (connect: Connect, generate: typeof generateOnce = generateOnce): HostHarness["play"] =>
  async (run) => {
    const client = await connect(run);
    const { model, read } = scriptedModel(run.turns);
    const tools = await client.tools();
    await withCallContext({ runId: run.runId }, () =>
      generate({ model, tools, prompt: "go", stopWhen: isStepCount(run.turns.length + 1) }),
    );
    await client.close();
    return read;
  };
const generateOnce = async (options: Parameters<typeof generateText>[0]): Promise<void> => {
  await generateText(options);
};
const generateStreaming = async (options: Parameters<typeof generateText>[0]): Promise<void> => {
  await streamText(options as Parameters<typeof streamText>[0]).consumeStream();
};

/** As docs/frameworks/ai-sdk.md says. */
const guarded: Connect = async ({ guard, server, target }) => {
  const transport: MCPClientConfig["transport"] =
    target.kind === "http"
      ? { type: "http", url: target.url, fetch: guardFetch(guard, { server }) }
      : (transportV2(target) as never);
  return guardMcpClient(guard, server, await createMCPClient({ transport }));
};

/** Only the transport is guarded, and the client retries what it takes for passing. */
const retrying: Connect = ({ guard, server, target }) =>
  createMCPClient({ transport: guardTransport(guard, server, transportV2(target) as never), maxRetries: 3 });

// The cases mostly wait: for deadlines, for child processes.
const runner = { describe, test: test.concurrent };
const host = (transport: "http" | "stdio", playing: HostHarness["play"], carriesIds = true): HostHarness => ({
  transport,
  store: memoryStore,
  play: playing,
  carriesIds,
});
describeHost("the AI SDK with a guarded client", host("http", play(guarded)), runner);
describeHost("the AI SDK with a guarded client, streaming", host("stdio", play(guarded, generateStreaming)), runner);
describeHost("the AI SDK with maxRetries over a guarded transport", host("http", play(retrying), false), runner);

describe("guardMcpClient", () => {
  async function connected(options: Partial<MCPClientConfig> = {}) {
    const server = await startFaultServer();
    const guard = createGuard({ store: memoryStore(), secret: "0123456789abcdef" });
    const client = await createMCPClient({ transport: { type: "http", url: server.url }, ...options });
    onTestFinished(async () => {
      await client.close();
      await guard.close({ within: 0 });
      await server.close();
    });
    return { guard, client, server };
  }

  test("refuses a client that sends again by itself, and says what to do", async () => {
    const { guard, client } = await connected({ maxRetries: 3 });
    expect(() => guardMcpClient(guard, "billing", client)).toThrow(/up to 3 times again.*Make it without maxRetries/);
  });

  test("refuses a client whose transport it cannot reach", async () => {
    const { guard, client } = await connected();
    const closed = { tools: () => client.tools(), close: () => client.close() };
    expect(() => guardMcpClient(guard, "billing", closed)).toThrow(/guardTransport/);
  });

  test("is the same client to its users, and a tool without a call id works too", async () => {
    const { guard, client, server } = await connected();
    const same = guardMcpClient(guard, "billing", client);
    expect(same).toBeInstanceOf(client.constructor);
    expect(same.listTools).toBe(same.listTools);
    type Execute = (args: object, options?: object) => Promise<unknown>;
    const { execute } = (await same.tools()).send_email as unknown as { execute: Execute };
    const mail = { to: "a@b.example", subject: "s", body: "b" };
    await execute(mail, { toolCallId: "call_1", messages: [] });
    await execute(mail);
    expect(server.log.effects("send_email")).toHaveLength(2);
  });
});
