/**
 * `npm run transparency`: the official conformance suite and the Inspector's command line see the same with and without
 * the proxy, in front of `server-everything`, over stdio and HTTP. They need Node 22, which is installed beside them in
 * a temporary folder. Ends with 1 where anything differs.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { builtBin } from "./lib/built.ts";

const PACKAGES = [
  "node@22",
  "@modelcontextprotocol/conformance",
  "@modelcontextprotocol/server-everything",
  "@modelcontextprotocol/inspector",
];
/** The proxy has a protection of its own, and answers short calls in plain JSON where others open a stream. */
const OWN = ["dns-rebinding-protection", "server-sse-multiple-streams"];

const folder = mkdtempSync(join(tmpdir(), "indoubt-transparency-"));
const children: ChildProcess[] = [];
let differences = 0;
try {
  console.error("installing …");
  execFileSync("npm", ["install", "--prefix", folder, "--no-audit", "--no-fund", ...PACKAGES], { stdio: "ignore" });
  await compare();
} finally {
  for (const child of children) child.kill();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(differences > 0 ? 1 : 0);

async function compare(): Promise<void> {
  const node = join(folder, "node_modules/node/bin/node");
  const everything = join(folder, "node_modules/@modelcontextprotocol/server-everything/dist/index.js");
  const proxy = [builtBin, "proxy", "--store", "memory:"];
  const [direct, raw, sessions] = [await freePort(), await freePort(), await freePort()];
  start(node, [everything, "streamableHttp"], { PORT: String(direct) });
  start(node, [...proxy, "--url", `http://127.0.0.1:${direct}/mcp`, "--http", String(raw)]);
  start(node, [...proxy, "--http", String(sessions), "--", node, everything, "stdio"]);
  await sleep(5_000);
  const expected = conformance(node, direct);
  console.log(expected.map((line) => `  ${line}`).join("\n"));
  report("conformance, HTTP to HTTP", expected, conformance(node, raw));
  report("conformance, HTTP to stdio", expected, conformance(node, sessions));
  for (const method of ["tools/list", "resources/list", "prompts/list"]) {
    const bare = inspector(node, [node, everything, "stdio"], method);
    report(
      `inspector, ${method}, stdio to stdio`,
      bare,
      inspector(node, [node, ...proxy, "--", node, everything, "stdio"], method),
    );
    const overHttp = inspector(node, [node, ...proxy, "--url", `http://127.0.0.1:${direct}/mcp`], method);
    report(`inspector, ${method}, stdio to HTTP`, bare, overHttp);
  }
}

function report(name: string, expected: readonly string[], found: readonly string[]): void {
  const same = expected.length > 0 && expected.join("\n") === found.join("\n");
  if (!same) differences += 1;
  console.log(`${same ? "same" : "DIFFERENT"}  ${name}`);
  if (!same)
    console.log(
      found
        .filter((line, at) => line !== expected[at])
        .map((line) => `  ${line}`)
        .join("\n"),
    );
}

function start(command: string, words: readonly string[], env: Readonly<Record<string, string>> = {}): void {
  children.push(spawn(command, [...words], { stdio: "ignore", env: { ...process.env, ...env } }));
}

function bin(name: string): string {
  return join(folder, "node_modules/.bin", name);
}

/** The tools start `node` by its name. */
function environment(node: string): NodeJS.ProcessEnv {
  return { ...process.env, PATH: `${join(node, "..")}:${process.env.PATH}` };
}

function conformance(node: string, port: number): string[] {
  const words = [bin("conformance"), "server", "--url", `http://127.0.0.1:${port}/mcp`];
  const { stdout } = spawnSync(node, words, { encoding: "utf8", env: environment(node), cwd: folder });
  return stdout.split("\n").filter((line) => /^[✓✗] /.test(line) && !OWN.some((name) => line.includes(name)));
}

function inspector(node: string, server: readonly string[], method: string): string[] {
  const words = [bin("mcp-inspector"), "--cli", ...server, "--method", method];
  const { stdout } = spawnSync(node, words, { encoding: "utf8", env: environment(node), cwd: folder });
  return stdout === "" ? [] : [stdout];
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  return typeof address === "object" && address ? address.port : 0;
}
