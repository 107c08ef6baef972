/** An empty project with the packed tarball and the official servers in it, and the programs of the documentation. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import ts from "typescript";
import { region, root } from "../../docs/support/snippets.ts";
import { packInto } from "../../support/pack.ts";

const sqliteDriver = JSON.parse(readFileSync(join(root, "node_modules/better-sqlite3/package.json"), "utf8")) as {
  version: string;
};

/** The versions that this was written against. */
const SERVERS = [
  "@modelcontextprotocol/server-filesystem@2026.8.31",
  "@modelcontextprotocol/server-memory@2026.8.31",
  "@modelcontextprotocol/sdk@1.32.2",
];

export function installProject(dir: string): void {
  const tarball = packInto(join(dir, "packed"));
  writeFileSync(join(dir, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const packages = [tarball, ...SERVERS, `better-sqlite3@${sqliteDriver.version}`];
  const options = ["--no-fund", "--no-audit", "--ignore-scripts"];
  execFileSync("npm", ["install", ...options, ...packages], { cwd: dir, stdio: "pipe" });
  // The binary that was fetched or built here: to build it once more takes minutes.
  const [from, to] = [root, dir].map((base) => join(base, "node_modules/better-sqlite3/build")) as [string, string];
  if (existsSync(from)) cpSync(from, to, { recursive: true });
}

/** The snippet as it stands in the documentation; its types are stripped, as any TypeScript tool does. */
export function writeProgram(dir: string, example: string, name: string): string {
  const { outputText } = ts.transpileModule(region(example, name), {
    compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true },
  });
  const file = join(dir, `${name}.mjs`);
  writeFileSync(file, outputText);
  return file;
}

/** A folder for PATH whose `npx` holds the first reply of `tool` back; `marker` appears when it did. */
export function holdReplies(dir: string, tool: string, marker: string): string {
  const bin = join(dir, `bin-${tool}`);
  mkdirSync(bin);
  const relay = [import.meta.resolve("tsx"), join(import.meta.dirname, "children/hold-reply.ts"), tool, marker];
  const quoted = [process.execPath, "--import", ...relay, "npx"].map((word) => `'${word}'`).join(" ");
  writeFileSync(join(bin, "npx"), `#!/bin/sh\nPATH='${process.env.PATH}' exec ${quoted} "$@"\n`);
  chmodSync(join(bin, "npx"), 0o755);
  return bin;
}

export interface Running {
  readonly child: ChildProcess;
  readonly output: () => string;
}

export function start(program: string, cwd: string, path = process.env.PATH ?? ""): Running {
  let output = "";
  const child = spawn(process.execPath, [program], {
    cwd,
    env: { ...process.env, PATH: path },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const read = (text: string) => {
    output += text;
  };
  child.stdout?.setEncoding("utf8").on("data", read);
  child.stderr?.setEncoding("utf8").on("data", read);
  return { child, output: () => output };
}

/** @returns what the program printed last */
export async function runToEnd(program: string, cwd: string, path?: string): Promise<string> {
  const { child, output } = start(program, cwd, path);
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`${program} ended with ${code}:\n${output()}`);
  return output();
}

/** Kills the client alone, with SIGKILL, once its write is done and the reply is held. */
export async function killBetweenSendAndSettle(running: Running, marker: string): Promise<void> {
  for (let waited = 0; !existsSync(marker); waited += 20) {
    if (waited > 60_000 || running.child.exitCode !== null) throw new Error(`No reply was held:\n${running.output()}`);
    await sleep(20);
  }
  running.child.kill("SIGKILL");
  await once(running.child, "close");
}
