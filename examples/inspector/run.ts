/**
 * The MCP Inspector's command line, a client that is not ours. Its configuration names the proxy in the server's place,
 * and nothing else changes. The server dies in the middle of the first write. Run: npx tsx examples/inspector/run.ts
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ASKS, brief, dyingBilling } from "../support/lossy-billing.ts";

const cwd = mkdtempSync(join(tmpdir(), "indoubt-inspector-"));
process.once("exit", () => rmSync(cwd, { recursive: true, force: true }));
const server = dyingBilling();
const path = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url));

/** What an operator writes: how the server is started. */
const servers = { billing: { command: server.command, args: server.args } };
writeFileSync(join(cwd, "indoubt.config.json"), JSON.stringify({ store: "sqlite:./indoubt.db", servers }));
/** What stands in the host's configuration: `npx indoubt proxy --server billing`. */
const indoubt = ["--import", import.meta.resolve("tsx"), path("adapters/surfaces/cli/bin.ts")];
const words = [...indoubt, "proxy", "--server", "billing", "--status-tool"];
writeFileSync(
  join(cwd, "mcp.json"),
  JSON.stringify({ mcpServers: { billing: { command: process.execPath, args: words } } }),
);

/** The Inspector needs Node.js 22: this brings one along. With a Node.js 22 of yours, the second package is enough. */
const packages = ["node@22.23.3", "@modelcontextprotocol/inspector@2.12.0"].flatMap((name) => ["-p", name]);
function inspector(...args: string[]) {
  const all = [
    "-y",
    ...packages,
    "--",
    "mcp-inspector",
    "--cli",
    "--config",
    "mcp.json",
    "--server",
    "billing",
    ...args,
  ];
  const { status, stdout, stderr } = spawnSync("npx", all, { cwd, encoding: "utf8" });
  if (stdout === "") throw new Error(`The Inspector ended with ${status}:\n${stderr}`);
  return JSON.parse(stdout) as { tools?: { name: string }[]; content?: { text: string }[] };
}

const { tools = [] } = inspector("--method", "tools/list");
console.log(`tools: ${tools.map(({ name }) => name).join(", ")}`);
for (const { name, arguments: invoice } of ASKS) {
  const given = Object.entries(invoice).map(([argument, value]) => `${argument}=${value}`);
  const { content = [] } = inspector("--method", "tools/call", "--tool-name", name, "--tool-arg", ...given);
  console.log(`the Inspector reads: ${brief(content[0]?.text ?? "")}`);
}
const { content = [] } = inspector("--method", "tools/call", "--tool-name", "indoubt_status");
const [status] = content[0]?.text.split("\n") ?? [];
console.log(`indoubt_status: ${status?.replace(/^\w+: ("\w+"), asked for .*? ago,/, "$1")}`);
console.log(`invoices: ${server.invoices()}`);
server.close();
