/**
 * A LangGraph run that dies after the write and before its checkpoint. Another process goes on from the checkpoint, the
 * node makes the same call again, and it is answered from the record. Run: npx tsx examples/langgraph/resume.ts
 */
// #region imports
import { AIMessage } from "@langchain/core/messages";
import { END, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { loadGuardedTools } from "../../adapters/frameworks/langchain/index.ts";
import { sqliteStore } from "../../adapters/stores/sqlite/index.ts";
// #endregion
import { spawnFaultServer } from "../../adapters/testing/index.ts";
import { createGuard } from "../../src/index.ts";

const billing = await spawnFaultServer();
const checkpointer = new MemorySaver(); // Stands for a database: it outlives the process that dies.
const thread = { configurable: { thread_id: `order-${Date.now()}` } };
const order = { customer: "acme", order: `o-${Date.now()}`, amount: 90 };
const asked = new AIMessage({ content: "", tool_calls: [{ id: "call_1", name: "create_invoice", args: order }] });

/** What one process has: a guard, a client, and the graph. */
async function start({ dies }: { readonly dies: boolean }) {
  // #region graph
  const guard = createGuard({ store: sqliteStore() });
  const client = new Client({ name: "clerk", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(new URL(billing.url)) as never);
  const node = new ToolNode(await loadGuardedTools(guard, "billing.acme", client));
  const tools = async (state: typeof MessagesAnnotation.State) => {
    const written = await node.invoke(state);
    if (dies) throw new Error("the process dies here: the write is done, the checkpoint is not");
    return written;
  };
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("tools", tools)
    .addEdge(START, "tools")
    .addEdge("tools", END)
    .compile({ checkpointer });
  // #endregion
  return {
    graph,
    async end() {
      await client.close();
      await guard.close();
    },
  };
}
const invoices = (): number => billing.log.effects("create_invoice").length;

const first = await start({ dies: true });
const why = await first.graph.invoke({ messages: [asked] }, thread).catch((error: Error) => error.message);
console.log(`the first process: ${why}; invoices: ${invoices()}`);
await first.end();

const second = await start({ dies: false });
const { messages } = await second.graph.invoke(null, thread);
const [, said] = messages.at(-1)?.text.match(/(\[recalled\].*?;)/) ?? [];
console.log(`the second process reads: ${said}`);
console.log(`calls that reached the server: ${billing.log.arrivals("create_invoice").length}; invoices: ${invoices()}`);
await second.end();
await billing.close();
