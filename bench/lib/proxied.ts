/** An SDK client that talks to a server, with or without the proxy between them, and what the proxy's process holds. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { startChild } from "../../test/faults/kills/support.ts";
import { builtBin } from "./built.ts";

const SERVER = new URL("../mcp-server.ts", import.meta.url);

export interface Host {
  readonly call: (text: string) => Promise<unknown>;
  readonly ping: () => Promise<unknown>;
  /** The process that the host talks to: the proxy, where there is one. */
  readonly pid: number;
  close(): Promise<void>;
}

async function connect(transport: StdioClientTransport | StreamableHTTPClientTransport, pid?: number): Promise<Host> {
  const client = new Client({ name: "bench", version: "1.0.0" });
  await client.connect(transport as Transport);
  return {
    call: (text) => client.callTool({ name: "echo", arguments: { text } }),
    ping: () => client.ping(),
    pid: pid ?? ("pid" in transport ? (transport.pid ?? 0) : 0),
    close: () => client.close(),
  };
}

const overPipes = (args: readonly string[]): Promise<Host> =>
  connect(new StdioClientTransport({ command: process.execPath, args: [...args] }));

/** Writes the bytes of the heap that are in use after a collection to a file, when it gets SIGUSR2. */
const HEAP_REPORT = `data:text/javascript,${encodeURIComponent(`
  import { writeFileSync } from "node:fs";
  process.on("SIGUSR2", () => { gc(); writeFileSync("${join(tmpdir(), "indoubt-heap-")}" + process.pid, String(process.memoryUsage().heapUsed)); });
`)}`;

/** In kB: the heap of a proxy after a collection of garbage, and all that its process has. */
export async function memoryOf(host: Host): Promise<{ readonly heap: number; readonly rss: number }> {
  const file = join(tmpdir(), `indoubt-heap-${host.pid}`);
  process.kill(host.pid, "SIGUSR2");
  while (!existsSync(file) || readFileSync(file, "utf8") === "") await sleep(50);
  const heap = Math.round(Number(readFileSync(file, "utf8")) / 1024);
  rmSync(file);
  return { heap, rss: Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${host.pid}/status`, "utf8"))?.[1] ?? 0) };
}

export interface Pairing {
  readonly bare: () => Promise<Host>;
  /** Through a proxy with this store, `memory:` or the name of a file. */
  readonly proxied: (store: string) => Promise<Host>;
}

/** The same tool behind both transports, until `run` is over. */
export async function withPairings<R>(
  run: (pairings: Readonly<Record<"stdio" | "HTTP", Pairing>>) => Promise<R>,
): Promise<R> {
  const folder = mkdtempSync(join(tmpdir(), "indoubt-bench-"));
  const config = join(folder, "indoubt.config.json");
  writeFileSync(config, JSON.stringify({ servers: { bench: { tools: { echo: { effect: "write" } } } } }));
  const proxy = (store: string): string[] => {
    const named = [
      "--config",
      config,
      "--server",
      "bench",
      "--store",
      store === "memory:" ? store : join(folder, store),
    ];
    return ["--expose-gc", "--import", HEAP_REPORT, builtBin, "proxy", ...named];
  };
  const http = startChild(SERVER, "v1", "http");
  const target = `http://127.0.0.1:${await http.said((line) => /^\d+$/.test(line))}/mcp`;
  const ends: (() => void)[] = [];
  async function overHttp(args: readonly string[]): Promise<Host> {
    const child = spawn(process.execPath, [...args], { stdio: ["ignore", "pipe", "inherit"] });
    ends.push(() => void child.kill());
    const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
    return connect(new StreamableHTTPClientTransport(new URL(line.split(" ")[0] ?? "")), child.pid);
  }
  const server = ["--import", "tsx", fileURLToPath(SERVER), "v1", "stdio"];
  try {
    return await run({
      stdio: {
        bare: () => overPipes(server),
        proxied: (store) => overPipes([...proxy(store), "--", process.execPath, ...server]),
      },
      HTTP: {
        bare: () => connect(new StreamableHTTPClientTransport(new URL(target))),
        proxied: (store) => overHttp([...proxy(store), "--url", target, "--http", "0"]),
      },
    });
  } finally {
    for (const end of ends) end();
    await http.end();
    rmSync(folder, { recursive: true, force: true });
  }
}
