/**
 * A whole program, against the official memory server. Stop it at any moment and start it again.
 * Run in an empty folder: npx tsx agent.ts
 */
// #region memory
import { resolve } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { guardClient } from "../../adapters/mcp/index.ts";
import { sqliteStore } from "../../adapters/stores/sqlite/index.ts";
import { applied, createGuard, unclear } from "../../src/index.ts";

interface Entity {
  name: string;
}

const guard = createGuard({
  store: sqliteStore(),
  lease: "5s", // A call whose program died is taken over after this time.
  servers: {
    memory: {
      tools: {
        open_nodes: { effect: "read" },
        create_entities: {
          async reconcile({ arguments: wanted }, { call }) {
            const names = (wanted.entities as unknown as Entity[]).map(({ name }) => name);
            const read = await call("open_nodes", { names });
            const found = (read.structuredContent as unknown as { entities: Entity[] }).entities;
            const all = names.every((name) => found.some((entity) => entity.name === name));
            return all ? applied({ ref: names.join(" "), attributed: false }) : unclear("not all of them are there");
          },
        },
      },
    },
  },
});
const server = {
  command: "npx",
  args: ["-y", "@modelcontextprotocol/server-memory"],
  env: { ...(process.env as Record<string, string>), MEMORY_FILE_PATH: resolve("memory.jsonl") },
};
const client = new Client({ name: "my-agent", version: "1.0.0" });
await client.connect(new StdioClientTransport(server));
const memory = guardClient(guard, "memory", client);
await guard.start();

const entities = [{ name: "Order 1042", entityType: "order", observations: ["paid on 2026-11-30"] }];
const call = { name: "create_entities", arguments: { entities } };
const outcome = await memory.perform(call, { operationId: "order-1042" });
console.log(outcome.kind, outcome.recalled ? "(recalled)" : "");

await guard.close();
await client.close();
// #endregion
