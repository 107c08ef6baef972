/** Agents of the frameworks, each as its users have it, and behind its adapter. */
import { randomUUID } from "node:crypto";
import { type MCPClient as AiSdkClient, createMCPClient } from "@ai-sdk/mcp";
import { loadMcpTools } from "@langchain/mcp-adapters";
import { Agent as MastraAgent } from "@mastra/core/agent";
import { MCPClient as MastraClient } from "@mastra/mcp";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Agent, MCPServerStreamableHttp, Runner, setTracingDisabled } from "@openai/agents";
import { generateText, isStepCount } from "ai";
import { type AgentMiddleware, createAgent, toolRetryMiddleware } from "langchain";
import { guardMcpClient } from "../../adapters/frameworks/ai-sdk/index.ts";
import { loadGuardedTools } from "../../adapters/frameworks/langchain/index.ts";
import { guardServer, guardTools } from "../../adapters/frameworks/mastra/index.ts";
import { agentErrorFunction } from "../../adapters/frameworks/openai-agents/index.ts";
import { guardFetch, guardTransport } from "../../adapters/mcp/index.ts";
import { asking } from "./asking.ts";
import { aiSdkModel, LangChainModel, openaiModel } from "./models.ts";
import { type McpSubject, SERVER, TIMEOUT } from "./subject.ts";

setTracingDisabled(true);
const STEPS = 5;

const aiSdkRun = (client: AiSdkClient) => async (order: string) => {
  const state = asking(order);
  const tools = await client.tools();
  await generateText({
    model: aiSdkModel(state),
    tools,
    prompt: "go",
    stopWhen: isStepCount(STEPS),
    timeout: { toolMs: TIMEOUT },
  });
  return state.heard ?? "";
};

const aiSdk: McpSubject = {
  name: "AI SDK",
  async open(url, guard) {
    const fetch = guard ? { fetch: guardFetch(guard, { server: SERVER }) } : {};
    const plain = await createMCPClient({ transport: { type: "http", url, ...fetch } });
    const client = guard ? guardMcpClient(guard, SERVER, plain) : plain;
    return { run: aiSdkRun(client), close: () => client.close() };
  },
};

/** `guardMcpClient` refuses such a client; over a guarded transport its retries find nothing to repeat. */
const aiSdkRetrying: McpSubject = {
  name: "AI SDK with maxRetries",
  async open(url, guard) {
    const transport = new HttpV1(new URL(url)) as never;
    const given = guard ? guardTransport(guard, SERVER, transport) : { type: "http" as const, url };
    const client = await createMCPClient({ transport: given, maxRetries: 1 });
    return { run: aiSdkRun(client), close: () => client.close() };
  },
};

const langchain: McpSubject = {
  name: "LangChain with toolRetryMiddleware",
  async open(url, guard) {
    const client = new ClientV1({ name: "bench", version: "1.0.0" });
    await client.connect(new HttpV1(new URL(url)) as never);
    const options = { defaultToolTimeout: TIMEOUT };
    const tools = await (guard
      ? loadGuardedTools(guard, SERVER, client, options)
      : loadMcpTools(SERVER, client as never, options));
    const middleware = [toolRetryMiddleware({ maxRetries: 2, initialDelayMs: 5 }) as AgentMiddleware];
    return {
      async run(order) {
        const state = asking(order);
        const agent = createAgent({ model: new LangChainModel(state), tools, middleware });
        await agent.invoke({ messages: [{ role: "user", content: "go" }] });
        return state.heard ?? "";
      },
      close: () => client.close(),
    };
  },
};

const mastra: McpSubject = {
  name: "Mastra",
  async open(url, guard) {
    const plain = { url: new URL(url) };
    const billing = guard ? guardServer(guard, SERVER, plain) : { ...plain, timeout: TIMEOUT };
    const client = new MastraClient({ id: randomUUID(), servers: { billing } });
    const listed = await client.listTools();
    const tools = guard ? guardTools(listed) : listed;
    return {
      async run(order) {
        const state = asking(order);
        const model = aiSdkModel(state, "billing_") as never;
        const agent = new MastraAgent({ id: "clerk", name: "clerk", instructions: "go", model, tools });
        await agent.generate("go", { maxSteps: STEPS });
        return state.heard ?? "";
      },
      close: () => client.disconnect(),
    };
  },
};

const openaiAgents: McpSubject = {
  name: "OpenAI Agents",
  async open(url, guard) {
    const more = guard
      ? { fetch: guardFetch(guard, { server: SERVER }), errorFunction: agentErrorFunction }
      : { timeout: TIMEOUT };
    const server = new MCPServerStreamableHttp({ url, name: "billing", ...more });
    await server.connect();
    return {
      async run(order) {
        const state = asking(order);
        await new Runner().run(new Agent({ name: "clerk", model: openaiModel(state), mcpServers: [server] }), "go");
        return state.heard ?? "";
      },
      close: () => server.close(),
    };
  },
};

export const frameworkClients: readonly McpSubject[] = [aiSdk, aiSdkRetrying, langchain, mastra, openaiAgents];
