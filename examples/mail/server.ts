/**
 * A mail server as somebody else might have written it: MCP over stdio. It sends, and has no tool to look up what was
 * sent. Its outbox is a file, a line for each mail. `--dies-after TO`: it dies after that mail is out, without an answer.
 */
import { appendFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

const { values: options } = parseArgs({
  options: { outbox: { type: "string", default: "outbox.jsonl" }, "dies-after": { type: "string" } },
});

const server = new McpServer({ name: "mail", version: "1.0.0" });
const inputSchema = { to: z.string(), subject: z.string(), body: z.string() };
server.registerTool("send_mail", { description: "Sends a mail.", inputSchema }, (mail) => {
  appendFileSync(options.outbox, `${JSON.stringify(mail)}\n`);
  if (mail.to === options["dies-after"]) process.kill(process.pid, "SIGKILL");
  return { content: [{ type: "text", text: `sent to ${mail.to}` }] };
});
await server.connect(new StdioServerTransport());
