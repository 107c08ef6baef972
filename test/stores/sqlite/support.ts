import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach } from "vitest";

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A folder that is removed after the test. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "indoubt-"));
  folders.push(folder);
  return folder;
}

export const newFile = (): string => join(newFolder(), "indoubt.db");

/** Runs a file of `children/` as a process of its own. */
export function startChild(name: string, ...args: string[]): ChildProcess & { readonly output: () => string } {
  const path = fileURLToPath(new URL(`children/${name}.ts`, import.meta.url));
  const child = spawn(process.execPath, ["--import", "tsx", path, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout?.setEncoding("utf8").on("data", (chunk) => {
    text += chunk;
  });
  return Object.assign(child, { output: () => text });
}

export const ended = (child: ChildProcess): Promise<void> => new Promise((done) => child.once("close", () => done()));
