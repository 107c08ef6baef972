/**
 * A whole program, against the official filesystem server. Stop it at any moment and start it again: the file is
 * written once. Run in an empty folder: npx tsx agent.ts
 */
// #region files
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { guardClient } from "../../adapters/mcp/index.ts";
import { sqliteStore } from "../../adapters/stores/sqlite/index.ts";
import { applied, createGuard, unclear } from "../../src/index.ts";

const guard = createGuard({
  store: sqliteStore(),
  lease: "5s", // A call whose program died is taken over after this time.
  servers: {
    files: {
      tools: {
        read_text_file: { effect: "read" },
        write_file: {
          async reconcile({ arguments: wanted }, { call }) {
            const read = await call("read_text_file", { path: wanted.path ?? "" });
            const found = (read.structuredContent as { content?: string }).content;
            return found === wanted.content
              ? applied({ ref: `${wanted.path}`, attributed: false })
              : unclear("other text");
          },
        },
      },
    },
  },
});
const server = { command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem", "."] };
const client = new Client({ name: "my-agent", version: "1.0.0" });
await client.connect(new StdioClientTransport(server));
const files = guardClient(guard, "files", client);
await guard.start();

const report = { path: "report.md", content: "# Report\n" };
const outcome = await files.perform({ name: "write_file", arguments: report }, { operationId: "report-2026-11" });
console.log(outcome.kind, outcome.recalled ? "(recalled)" : "");

await guard.close();
await client.close();
// #endregion
