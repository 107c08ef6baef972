/** The command as it is built for users: made anew from the sources, once for each test file. */
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "tsdown";
import { programs } from "../../../scripts/entries.ts";
import config from "../../../tsdown.config.ts";

const root = resolve(import.meta.dirname, "../../..");
/** Inside the repository, so that its packages are found. */
const temp = join(root, "temp");
const outDir = join(temp, `cli-${process.pid}`);

let built: Promise<string> | undefined;

/** @returns the file to run with node */
export function bundledCommand(): Promise<string> {
  built ??= make();
  return built;
}

async function make(): Promise<string> {
  process.once("exit", () => rmSync(outDir, { recursive: true, force: true }));
  removeLeftovers();
  await build({ ...config, cwd: root, config: false, entry: { ...programs }, outDir, dts: false, logLevel: "silent" });
  return join(outDir, "bin/indoubt.js");
}

/** A test process may be ended before it can clean up: whoever comes next does it. */
function removeLeftovers(): void {
  for (const name of existsSync(temp) ? readdirSync(temp) : []) {
    const pid = Number(/^cli-(\d+)$/.exec(name)?.[1]);
    if (pid > 0 && !isAlive(pid)) rmSync(join(temp, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
