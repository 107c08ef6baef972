/** The real command, as built for users, in a process of its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { bundledCommand } from "./bundle.ts";

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ran>;
  readonly stdout: () => string;
  /** Waits until stdout has it; fails with everything that was heard when the command ends first. */
  heard(what: RegExp): Promise<void>;
}

export async function start(args: readonly string[], { cwd, env = {}, input }: RunOptions): Promise<Running> {
  const child = spawn(process.execPath, [await bundledCommand(), ...args], {
    cwd,
    env: { ...process.env, INDOUBT_SECRET: "", INDOUBT_NAMESPACE: "", ...env },
    stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
  });
  child.stdin?.end(input);
  const heard = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      heard[name] += text;
    });
  }
  const ended = new Promise<Ran>((done, failed) => {
    child.once("error", failed);
    child.once("close", (code) => done({ code, ...heard }));
  });
  return { child, ended, stdout: () => heard.stdout, heard: (what) => untilHeard(child, heard, what) };
}

function untilHeard(child: ChildProcess, heard: { stdout: string; stderr: string }, what: RegExp): Promise<void> {
  return new Promise((done, failed) => {
    const look = () => {
      if (what.test(heard.stdout)) done();
    };
    look();
    child.stdout?.on("data", look);
    child.once("close", () => failed(new Error(`${what} was never heard:\n${heard.stdout}\n${heard.stderr}`)));
  });
}

export const run = async (args: readonly string[], options: RunOptions): Promise<Ran> =>
  (await start(args, options)).ended;

/** A command that lives on; it ends with the test at the latest. */
export async function startForTest(args: readonly string[], options: RunOptions): Promise<Running> {
  const running = await start(args, options);
  onTestFinished(async () => {
    if (running.child.exitCode === null && running.child.signalCode === null) running.child.kill("SIGKILL");
    await running.ended;
  });
  return running;
}

export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "indoubt-cli-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export const jsonOf = <T = Record<string, unknown>>({ stdout }: Ran): T => JSON.parse(stdout) as T;
/** What --json says of a failure. */
export const errorOf = ({ stderr }: Ran) =>
  (JSON.parse(stderr) as { error: { code: string; message: string; cure: string; exit: number; details?: object } })
    .error;
