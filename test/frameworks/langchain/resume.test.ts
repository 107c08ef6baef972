/** LangGraph runs a node again: by its retry policy, or after a crash, from the checkpoint. The effect is there once. */
import { AIMessage } from "@langchain/core/messages";
import { END, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { createAgent, createMiddleware } from "langchain";
import { expect, onTestFinished, test } from "vitest";
import { loadGuardedTools } from "../../../adapters/frameworks/langchain/index.ts";
import { type MemoryStore, memoryStore } from "../../../adapters/stores/memory/index.ts";
import { type HostCall, type Step, spawnFaultServer } from "../../../adapters/testing/index.ts";
import { createGuard } from "../../../src/index.ts";
import { plainClientV1, transportV1 } from "../support/clients.ts";
import { ScriptedChatModel } from "./model.ts";

const SERVER = "billing.acme";
const invoice = (id: string): HostCall => ({
  id,
  tool: "create_invoice",
  arguments: { customer: "acme", order: "o-1", amount: 12 },
});

async function billing(...steps: Step[]) {
  const server = await spawnFaultServer({ script: { create_invoice: steps } });
  onTestFinished(server.close);
  /** The tools as one process loads them: a guard and a client of its own, the store is shared. */
  async function tools(store: MemoryStore) {
    const guard = createGuard({ store, secret: "0123456789abcdef", servers: { [SERVER]: { deadline: 1_000 } } });
    const client = plainClientV1();
    await client.connect(transportV1({ kind: "http", url: server.url }) as never);
    onTestFinished(async () => {
      await client.close();
      await guard.close({ within: 0 });
    });
    return loadGuardedTools(guard, SERVER, client);
  }
  return { log: server.log, tools };
}

/** Dies right after the first tool call came back, before LangGraph has written its checkpoint. */
function dyingOnce() {
  let died = false;
  return createMiddleware({
    name: "dying",
    wrapToolCall: async (request, handler) => {
      const message = await handler(request);
      if (died) return message;
      died = true;
      throw new Error("the process died");
    },
  });
}
const go = { messages: [{ role: "user", content: "go" }] };

test.each([
  ["that succeeded is answered from the record", {}, /inv_1.*\[recalled\]/s],
  ["whose reply was lost stays in doubt", { reply: "never" }, /\[outcome_uncertain\].*Do not repeat this action/s],
] as const)(
  "a run that crashed before its checkpoint goes on in another process: the write %s (T9-03)",
  async (_, step, words) => {
    const { log, tools } = await billing(step, {});
    const store = memoryStore();
    const checkpointer = new MemorySaver();
    const thread = { configurable: { thread_id: "order-7" } };
    const crashed = createAgent({
      model: new ScriptedChatModel([[invoice("call_1")]]),
      tools: await tools(store),
      middleware: [dyingOnce()],
      checkpointer,
    });
    await expect(crashed.invoke(go, thread)).rejects.toThrow("the process died");

    const model = new ScriptedChatModel([[invoice("call_1")]]);
    const resumed = createAgent({ model, tools: await tools(store.another()), checkpointer });
    await resumed.invoke(null, thread);
    expect(model.read[0]?.[0]?.text).toMatch(words);
    expect(log.arrivals("create_invoice")).toHaveLength(1);
  },
);

test("a node that its retry policy runs again makes no second write", async () => {
  const { log, tools } = await billing({});
  const node = new ToolNode(await tools(memoryStore()));
  let runs = 0;
  const graph = new StateGraph(MessagesAnnotation)
    .addNode(
      "tools",
      async (state, config) => {
        const update = await node.invoke(state, config);
        if (++runs < 3) throw new Error("fetch failed");
        return update as typeof state;
      },
      { retryPolicy: { maxAttempts: 3, initialInterval: 5, retryOn: () => true } },
    )
    .addEdge(START, "tools")
    .addEdge("tools", END)
    .compile();
  const { tool, arguments: args } = invoice("call_1");
  const asked = new AIMessage({ content: "", tool_calls: [{ id: "call_1", name: tool, args }] });
  const { messages } = await graph.invoke({ messages: [asked] });
  expect(runs).toBe(3);
  expect(messages.at(-1)?.text).toMatch(/\[recalled\]/);
  expect(log.arrivals("create_invoice")).toHaveLength(1);
});

test("another step of the same thread with the same call id is another write", async () => {
  const { log, tools } = await billing({});
  const model = new ScriptedChatModel([[invoice("call_1")], [invoice("call_1")]]);
  await createAgent({ model, tools: await tools(memoryStore()), checkpointer: new MemorySaver() }).invoke(go, {
    configurable: { thread_id: "order-7" },
  });
  expect(log.effects("create_invoice")).toHaveLength(2);
});

test("a tool that is called by hand, outside of a graph, is guarded all the same", async () => {
  const { log, tools } = await billing({ reply: "never" }, {});
  const tool = (await tools(memoryStore())).find(({ name }) => name === "create_invoice");
  const said = [await tool?.invoke(invoice("x").arguments), await tool?.invoke(invoice("y").arguments)];
  expect(said).toEqual(Array(2).fill(expect.stringMatching(/^\[outcome_uncertain\]/)));
  expect(log.arrivals("create_invoice")).toHaveLength(1);
});
