/** `indoubt proxy` as hosts start it: the snippets of the guide, a kill in mid-write, several servers of one file. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { expect, onTestFinished, test } from "vitest";
import { nameOf } from "../../adapters/surfaces/cli/proxy/server.ts";
import { proxyDefaults } from "../../adapters/surfaces/proxy/index.ts";
import { type FaultServerOptions, faultServerCommand, startFaultServer } from "../../adapters/testing/index.ts";
import { absent, type JsonObject } from "../../src/index.ts";
import { folder, INVOICE, markOf, textOf } from "./support.ts";

const BIN = fileURLToPath(new URL("../../adapters/surfaces/cli/bin.ts", import.meta.url));
const NODE = ["--import", import.meta.resolve("tsx"), BIN];
const guide = readFileSync(new URL("../../docs/proxy.md", import.meta.url), "utf8");

interface HostEntry {
  readonly command: string;
  readonly args: readonly string[];
}

async function hostOf(args: readonly string[], cwd: string): Promise<{ client: Client; pid: number; call: Call }> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...NODE, ...args],
    cwd,
    stderr: "pipe",
  });
  const client = new Client({ name: "host", version: "1.0.0" });
  onTestFinished(() => client.close().catch(() => {}));
  await client.connect(transport);
  const call: Call = (name, given) => client.callTool({ name, arguments: { ...given } }) as Promise<JsonObject>;
  return { client, pid: transport.pid ?? 0, call };
}
type Call = (name: string, args: object) => Promise<JsonObject>;

function stdioServer(options: FaultServerOptions = {}) {
  const server = faultServerCommand(options);
  onTestFinished(() => server.remove());
  return { ...server, words: [server.command, ...server.args] };
}

const snippets = [...guide.matchAll(/^### (.*)\n(?:(?!^##)[\s\S])*?^```json\n([\s\S]*?)^```/gm)].map(
  ([, name = "", json = ""]) => {
    const { mcpServers, servers } = JSON.parse(json) as Record<string, { billing: HostEntry } | undefined>;
    return { name, entry: (mcpServers ?? servers)?.billing as HostEntry };
  },
);

test("the guide has a snippet for each host that it names", () => {
  expect(snippets.map(({ name }) => name)).toEqual([
    "Claude Desktop",
    "Claude Code",
    "Cursor",
    "VS Code",
    "A server behind a URL",
  ]);
});

/** What the snippet passes to `indoubt`, with a store and a server of ours. */
function wordsOf({ command, args }: HostEntry, store: string, server: readonly string[]): readonly string[] {
  expect([command, ...args.slice(0, 3)]).toEqual(["npx", "-y", "indoubt", "proxy"]);
  const own = args.slice(2, args.indexOf("--") + 1);
  return [...own.map((word) => (word.endsWith("indoubt.db") ? store : word)), ...server];
}

test.each(snippets.slice(0, 4))("the snippet for $name starts a guarded server", async ({ entry }) => {
  const server = stdioServer({ script: { create_invoice: [{ reply: "kill_process" }, {}] } });
  const cwd = folder();
  const host = await hostOf(wordsOf(entry, join(cwd, "record.db"), server.words), cwd);
  const doubt = await host.call("create_invoice", INVOICE);
  const held = await host.call("create_invoice", INVOICE);

  expect(markOf(held).heldBy).toBe(markOf(doubt).operation);
  expect(server.log.effects()).toHaveLength(1);
});

test.each([
  ["the proxy", false],
  ["the proxy and its server", true],
] as const)(
  "a host's configuration survives kill -9 of %s in mid-write: the next equal call is answered from the record, others work",
  async (_what, serverToo) => {
    const server = stdioServer({ script: { create_invoice: [{ reply: "never" }, {}] } });
    const cwd = folder();
    const [desktop] = snippets;
    const words = wordsOf(desktop?.entry as HostEntry, join(cwd, "record.db"), server.words);
    writeFileSync(join(cwd, "indoubt.config.json"), JSON.stringify({ lease: "2s" }));
    const first = await hostOf(words, cwd);
    const lost = first.call("create_invoice", INVOICE).catch((error: unknown) => error);
    await server.log.waitFor(({ effects }) => effects().length === 1, 10_000);
    if (serverToo) process.kill(server.log.arrivals()[0]?.pid ?? 0, "SIGKILL");
    process.kill(first.pid, "SIGKILL");
    await lost;
    const second = await hostOf(words, cwd);
    const held = await second.call("create_invoice", INVOICE);
    const other = await second.call("create_invoice", { ...INVOICE, order: "o-2" });

    expect(textOf(held)).toMatch(/was not sent, so that the action does not happen twice/);
    expect(other.isError).not.toBe(true);
    expect(server.log.effects()).toHaveLength(2);
  },
);

test("several servers come from one file, each under its own name, and its tools are as declared there", async () => {
  const files = stdioServer({ script: { create_invoice: [{ reply: "kill_process" }, {}] } });
  const billing = await startFaultServer();
  onTestFinished(() => billing.close());
  const cwd = folder();
  const config = {
    store: "sqlite:./record.db",
    servers: {
      files: { command: files.command, args: files.args, tools: { find_invoice: { effect: "read" } } },
      "billing.acme": { url: billing.url, tools: { create_invoice: { identityArgs: ["/customer", "/order"] } } },
    },
  };
  writeFileSync(join(cwd, "indoubt.config.json"), JSON.stringify(config));
  const [one, two] = await Promise.all([
    hostOf(["proxy", "--server", "files"], cwd),
    hostOf(["proxy", "--server", "billing.acme"], cwd),
  ]);
  const doubt = await one.call("create_invoice", INVOICE);
  const fine = await two.call("create_invoice", INVOICE);
  const reworded = await two.call("create_invoice", { ...INVOICE, memo: "in other words" });
  const repeated = await two.call("create_invoice", INVOICE);

  expect(markOf(doubt).kind).toBe("uncertain");
  expect(fine).toMatchObject({ structuredContent: { id: "inv_1" } });
  // Through the proxy a tool that says what its effect is answers repeats from the record.
  expect(markOf(repeated)).toMatchObject({ recalled: true });
  expect(reworded.isError).toBe(true);
  expect(billing.log.effects()).toHaveLength(1);
});

test.each([
  [["proxy"], 2, /There is no server to guard/],
  [["proxy", "--url", "ftp://x", "--http", "0"], 2, /--url is "ftp:\/\/x"/],
  [["proxy", "--url", "http://x/mcp", "--", "node"], 2, /There are --url and a command/],
  [["proxy", "--header", "A: b", "--", "node"], 2, /--header belongs to --url/],
  [["proxy", "--server", "nobody"], 3, /There is no server "nobody"/],
  [["proxy", "--http", "0", "--host", "0.0.0.0", "--", "node"], 3, /Set a token/],
  [["proxy", "--url", "http://x/mcp", "--http", "0", "--token-env", "NO_SUCH_VARIABLE"], 2, /which is not set/],
])("%j ends with code %i and its cure, and leaves stdout to the host", async (args, code, words) => {
  const child = spawn(process.execPath, [...NODE, ...args], { cwd: folder(), stdio: ["ignore", "pipe", "pipe"] });
  let out = "";
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    said += text;
  });
  const [ended] = (await once(child, "close")) as [number];

  expect(said).toMatch(words);
  expect(ended).toBe(code);
  expect(out).toBe("");
});

test("a server without a name has one that stays the same, and another one for other arguments", () => {
  const npx = (...args: string[]) => nameOf({ command: "npx", args });

  expect(npx("-y", "@acme/billing-mcp")).toMatch(/^billing-mcp-[0-9a-f]{8}$/);
  expect(npx("-y", "@acme/billing-mcp")).toBe(npx("-y", "@acme/billing-mcp"));
  expect(npx("-y", "@acme/billing-mcp", "--region", "eu")).not.toBe(npx("-y", "@acme/billing-mcp"));
  expect(nameOf({ url: "https://user:secret@billing.example/mcp" })).toBe("billing.example/mcp");
});

test("what a tool says of repeats stands; where it says nothing, tools that name their effect are recalled", () => {
  const { servers } = proxyDefaults({
    servers: {
      s: {
        tools: {
          named: { identityArgs: ["/a"] },
          again: { identityArgs: ["/a"], repeat: "new" },
          hooked: { reconcile: () => absent(), repeatWindow: "1h" },
          plain: {},
          read: { effect: "read" },
        },
      },
    },
  });

  expect(servers?.s?.tools).toMatchObject({
    named: { repeat: "recall", repeatWindow: "10m" },
    again: { repeat: "new" },
    hooked: { repeat: "recall", repeatWindow: "1h" },
  });
  expect(servers?.s?.tools?.plain).toEqual({});
  expect(servers?.s?.tools?.read).toEqual({ effect: "read" });
});
