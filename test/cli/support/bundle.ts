/** The command as it is built for users: made anew from the sources, once for each test file. */
import { rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "tsdown";
import { programs } from "../../../scripts/entries.ts";
import config from "../../../tsdown.config.ts";

const root = resolve(import.meta.dirname, "../../..");
/** Inside the repository, so that its packages are found. */
const outDir = join(root, "temp", `cli-${process.pid}`);

let built: Promise<string> | undefined;

/** @returns the file to run with node */
export function bundledCommand(): Promise<string> {
  built ??= make();
  return built;
}

async function make(): Promise<string> {
  process.once("exit", () => rmSync(outDir, { recursive: true, force: true }));
  await build({ ...config, cwd: root, config: false, entry: { ...programs }, outDir, dts: false, logLevel: "silent" });
  return join(outDir, "bin/indoubt.js");
}
