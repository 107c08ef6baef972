/** LangChain agents keep what a host promises: as they come, and with the tool retries switched on. */
import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import { type AgentMiddleware, createAgent, toolRetryMiddleware } from "langchain";
import { describe, test } from "vitest";
import { loadGuardedTools } from "../../../adapters/frameworks/langchain/index.ts";
import { memoryStore } from "../../../adapters/stores/memory/index.ts";
import { describeHost, type HostHarness, type HostRun } from "../../../adapters/testing/index.ts";
import { commandOf, plainClientV1, transportV1 } from "../support/clients.ts";
import { ScriptedChatModel } from "./model.ts";

type Connect = (run: HostRun) => Promise<{ client: Parameters<typeof loadGuardedTools>[2]; close(): Promise<void> }>;

const own: Connect = async ({ target }) => {
  const client = plainClientV1();
  await client.connect(transportV1(target) as never);
  return { client, close: () => client.close() };
};

const ofMultiServerClient: Connect = async ({ target, server }) => {
  const connection =
    target.kind === "http"
      ? { transport: "http" as const, url: target.url }
      : { transport: "stdio" as const, ...commandOf(target) };
  const servers = new MultiServerMCPClient({ mcpServers: { [server]: connection as never } });
  const client = await servers.getClient(server);
  if (!client) throw new Error("no client");
  return { client, close: () => servers.close() };
};

const play =
  (connect: Connect, middleware: readonly AgentMiddleware[] = []): HostHarness["play"] =>
  async (run) => {
    const { client, close } = await connect(run);
    const model = new ScriptedChatModel(run.turns);
    const tools = await loadGuardedTools(run.guard, run.server, client);
    const agent = createAgent({ model, tools, middleware });
    await agent.invoke({ messages: [{ role: "user", content: "go" }] }, { configurable: { thread_id: run.runId } });
    await close();
    return model.read;
  };

const host = (transport: "http" | "stdio", playing: HostHarness["play"]): HostHarness => ({
  transport,
  store: memoryStore,
  play: playing,
  // A run goes on from its checkpoint, it is not played again: resume.test.ts.
  carriesIds: false,
});
// The cases mostly wait: for deadlines, for child processes.
const runner = { describe, test: test.concurrent };
const retries = [toolRetryMiddleware({ maxRetries: 2, initialDelayMs: 5 }) as AgentMiddleware];

describeHost("a LangChain agent", host("stdio", play(own)), runner);
describeHost("a LangChain agent with toolRetryMiddleware", host("http", play(own, retries)), runner);
describeHost(
  "a LangChain agent over MultiServerMCPClient, with toolRetryMiddleware",
  host("http", play(ofMultiServerClient, retries)),
  runner,
);
