/** What the transparency run starts: servers, proxies before them, the conformance suite and the Inspector. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { delimiter, dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { builtBin } from "../built.ts";

const root = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const installed = (path: string): string => root(`bench/transparency/node_modules/${path}`);

/** The suite and the Inspector need Node.js 22; servers and proxy run on the one at hand. */
const node22 = installed("node/bin/node");
const suite = installed("@modelcontextprotocol/conformance/dist/index.js");
const inspector = installed("@modelcontextprotocol/inspector/clients/launcher/build/index.js");

export const versions = (): Record<string, string> => ({
  node: process.versions.node,
  ...Object.fromEntries(
    ["@modelcontextprotocol/conformance", "@modelcontextprotocol/inspector", "node"].map((name) => {
      const { version } = JSON.parse(readFileSync(installed(`${name}/package.json`), "utf8")) as { version: string };
      return [name === "node" ? "node of the suite" : name, version];
    }),
  ),
});

/** How a server is started, over stdio and over HTTP. */
export interface Subject {
  readonly name: string;
  readonly stdio: readonly string[];
  readonly http: (port: number) => { readonly words: readonly string[]; readonly env?: Record<string, string> };
}

const everything = root("node_modules/@modelcontextprotocol/server-everything/dist/index.js");
const suiteServer = ["--import", import.meta.resolve("tsx"), root("test/proxy/children/suite-server.ts")];

export const SUBJECTS: readonly Subject[] = [
  {
    name: "server-everything",
    stdio: [process.execPath, everything, "stdio"],
    http: (port) => ({ words: [process.execPath, everything, "streamableHttp"], env: { PORT: String(port) } }),
  },
  {
    name: "suite-server",
    stdio: [process.execPath, ...suiteServer],
    http: (port) => ({ words: [process.execPath, ...suiteServer, String(port)] }),
  },
];

export const PROXY = [process.execPath, builtBin, "proxy", "--store", "memory:"] as const;

const running: ChildProcess[] = [];
export const stopAll = (): void => {
  for (const child of running.splice(0)) child.kill();
};

/** Starts what listens on `port`. @returns its URL once it answers */
export async function listening(
  words: readonly string[],
  port: number,
  env: Record<string, string> = {},
): Promise<string> {
  const [command = "", ...args] = words;
  const child = spawn(command, args, { stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, ...env } });
  running.push(child);
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    said = (said + text).slice(-2_000);
  });
  const url = `http://127.0.0.1:${port}/mcp`;
  for (let waited = 0; waited < 30_000 && child.exitCode === null; waited += 200) {
    const answered = await fetch(url, { method: "HEAD" }).catch(() => undefined);
    if (answered) return url;
    await sleep(200);
  }
  throw new Error(`${words.join(" ")} does not listen on port ${port}:\n${said}`);
}

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

async function run(words: readonly string[], cwd: string): Promise<Ended> {
  const PATH = [dirname(node22), process.env.PATH].join(delimiter);
  const child = spawn(node22, [...words], { cwd, env: { ...process.env, PATH }, stdio: ["ignore", "pipe", "pipe"] });
  const heard = { out: "", err: "" };
  child.stdout.setEncoding("utf8").on("data", (text) => {
    heard.out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    heard.err += text;
  });
  const [code] = (await once(child, "close")) as [number | null];
  return { code, ...heard };
}

/** All scenarios for servers; their checks land in `folder`. */
export const runSuite = (url: string, folder: string): Promise<Ended> =>
  run([suite, "server", "--url", url, "--suite", "all", "--output-dir", folder], folder);

/** @param config the host's configuration file, with one server "subject" */
export const runInspector = (config: string, args: readonly string[], cwd: string): Promise<Ended> =>
  run([inspector, "--cli", "--config", config, "--server", "subject", ...args], cwd);

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address ? address.port : 0;
}
