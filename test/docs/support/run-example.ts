/** Runs a file of examples/ as a reader would, in a folder of its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { join, resolve } from "node:path";

const examples = resolve(import.meta.dirname, "../../../examples");

export interface ExampleRun {
  /** Where `./indoubt.db` goes. */
  readonly cwd: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** @throws with the program's own words when it does not end by itself with exit code 0 */
export async function runExample(file: string, { cwd, args = [], env = {} }: ExampleRun): Promise<{ stdout: string }> {
  const program = [join(examples, file), ...args];
  const child = spawn(process.execPath, ["--import", import.meta.resolve("tsx"), ...program], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const { code, stdout, stderr } = await ended(child);
  if (code !== 0) throw new Error(`examples/${file} ended with ${code}:\n${stdout}\n${stderr}`);
  return { stdout };
}

function ended(child: ChildProcess): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const heard = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      heard[name] += text;
    });
  }
  return new Promise((resolved, rejected) => {
    child.once("error", rejected);
    child.once("close", (code) => resolved({ code, ...heard }));
  });
}
