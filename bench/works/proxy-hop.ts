/** What the proxy adds between a host and a server: as a hop alone, and with the record of a guarded call. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { startChild } from "../../test/faults/kills/support.ts";
import { builtBin } from "../lib/built.ts";
import { type Case, interleave, type Row } from "../lib/measure.ts";
import type { Work } from "../run.ts";

const SERVER = fileURLToPath(new URL("../mcp-server.ts", import.meta.url));
const server = (transport: "stdio" | "http") => ["--import", "tsx", SERVER, "v1", transport];

interface Host {
  readonly call: (text: string) => Promise<unknown>;
  readonly ping: () => Promise<unknown>;
  /** Of the proxy, in kB. */
  readonly memory: () => number;
  close(): Promise<void>;
}

/** The words after `node`; with a URL, where to connect. */
async function connect(words: readonly string[], url?: URL, pid?: number): Promise<Host> {
  const transport = url
    ? new StreamableHTTPClientTransport(url)
    : new StdioClientTransport({ command: process.execPath, args: [...words] });
  const client = new Client({ name: "bench", version: "1.0.0" });
  await client.connect(transport as Transport);
  const own = pid ?? ("pid" in transport ? (transport.pid ?? 0) : 0);
  return {
    call: (text) => client.callTool({ name: "echo", arguments: { text } }),
    ping: () => client.ping(),
    memory: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${own}/status`, "utf8"))?.[1] ?? 0),
    close: () => client.close(),
  };
}

async function httpProxy(words: readonly string[]): Promise<{ url: URL; pid: number; end(): void }> {
  const child = spawn(process.execPath, [...words], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  return { url: new URL(line.split(" ")[0] ?? ""), pid: child.pid ?? 0, end: () => void child.kill() };
}

export const proxyHop: Work = async ({ scale }) => {
  const folder = mkdtempSync(join(tmpdir(), "indoubt-bench-"));
  const config = join(folder, "indoubt.config.json");
  writeFileSync(config, JSON.stringify({ servers: { bench: { tools: { echo: { effect: "write" } } } } }));
  const proxy = (store: string): string[] => [
    builtBin,
    "proxy",
    "--config",
    config,
    "--server",
    "bench",
    "--store",
    store,
  ];
  const http = startChild(new URL("../mcp-server.ts", import.meta.url), "v1", "http");
  const target = `http://127.0.0.1:${await http.said((line) => /^\d+$/.test(line))}/mcp`;
  const listening = await httpProxy([...proxy("memory:"), "--url", target, "--http", "0"]);
  const durable = await httpProxy([...proxy(join(folder, "http.db")), "--url", target, "--http", "0"]);
  const rows = [
    ...(await measure("stdio", scale(300), {
      bare: await connect(server("stdio")),
      memory: await connect([...proxy("memory:"), "--", process.execPath, ...server("stdio")]),
      sqlite: await connect([...proxy(join(folder, "stdio.db")), "--", process.execPath, ...server("stdio")]),
    })),
    ...(await measure("HTTP", scale(150), {
      bare: await connect([], new URL(target)),
      memory: await connect([], listening.url, listening.pid),
      sqlite: await connect([], durable.url, durable.pid),
    })),
  ];
  for (const each of [listening, durable]) each.end();
  await http.end();
  rmSync(folder, { recursive: true, force: true });
  return rows;
};

async function measure(
  name: string,
  n: number,
  hosts: Readonly<Record<"bare" | "memory" | "sqlite", Host>>,
): Promise<Row[]> {
  const { bare, memory, sqlite } = hosts;
  const hop: Case[] = [
    { name: "bare", run: bare.ping },
    { name: "through the proxy", run: memory.ping },
  ];
  const calls: Case[] = [
    { name: "bare", run: (each) => bare.call(`${each}`) },
    { name: "proxy, record in memory", run: (each) => memory.call(`${each}`) },
    { name: "proxy, SQLite FULL", run: (each) => sqlite.call(`${each}`) },
  ];
  const rows = [
    ...(await interleave({ work: `ping, ${name}`, n }, hop)),
    ...(await interleave({ work: `tools/call through the proxy, ${name}`, n }, calls)),
  ];
  const before = sqlite.memory();
  rows.push(
    ...(await interleave(
      { work: `tools/call through the proxy, ${name}`, n: 3 * n, concurrency: 64, rounds: 5 },
      calls,
    )),
  );
  const grown = { rss_kb_before: before, rss_kb_after: sqlite.memory() };
  for (const host of Object.values(hosts)) await host.close();
  return rows.map((row) =>
    row.case === "proxy, SQLite FULL" && row.concurrency === 64 ? { ...row, facts: grown } : row,
  );
}
