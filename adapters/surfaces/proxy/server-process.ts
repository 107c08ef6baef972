/** One life of a stdio server: started, spoken to in lines, ended. */
import { type ChildProcess, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { linesOf, type Sink, sinkOf } from "./lines.ts";

export interface ServerCommand {
  readonly command: string;
  /** @default [] */
  readonly args?: readonly string[] | undefined;
  /** Added to the environment of the proxy, of which it gets all but `INDOUBT_…`. @default {} */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** @default the folder of the proxy */
  readonly cwd?: string | undefined;
  /** Where its stderr goes. @default the stderr of the proxy */
  readonly stderr?: "inherit" | "ignore" | Writable | undefined;
}

export interface ServerProcess {
  /** Null: it is not running. */
  readonly pid: number | null;
  readonly input: Sink;
  /** Each line of its stdout, in turn. */
  readonly lines: AsyncIterable<Buffer>;
  /** How it ended, in words. Settles after its last line can be read. */
  readonly ended: Promise<string>;
  /** Asks it to end by closing its input; insists after a while. */
  end(): Promise<void>;
  /** Ends it at once. */
  kill(): void;
}

/** Time between asking, asking once more (SIGTERM) and ending it (SIGKILL), in ms. */
const PATIENCE = 2_000;
/** Time for the last lines of a process that has ended, in ms. */
const LAST_WORDS = 500;

export function startServer(server: ServerCommand): ServerProcess {
  try {
    return running(spawnServer(server));
  } catch (error) {
    // Its message may show the arguments, and those may be secret.
    const code = error instanceof Error && "code" in error ? String(error.code) : "it has no pipes";
    return neverRan(`could not be started: ${code}`);
  }
}

const neverRan = (how: string): ServerProcess => ({
  pid: null,
  input: { write: async () => false, drained: async () => {}, open: false },
  lines: (async function* () {})(),
  ended: Promise.resolve(how),
  kill: () => {},
  end: async () => {},
});

function running(child: ChildProcess): ServerProcess {
  const { stdin, stdout } = child;
  if (!stdin || !stdout) throw new Error("The server has no pipes.");
  let over = false;
  let asked = false;
  const ended = new Promise<string>((resolve) => {
    const end = (how: string): void => {
      over = true;
      const done = (): void => {
        for (const pipe of [stdin, stdout]) pipe.destroy();
        resolve(how);
      };
      // A process that it started may hold the pipe open after it. What its host has yet to read is not cut off.
      let heard = -1;
      const look = (): void => {
        const still = heard === bytesRead(stdout) && stdout.readableLength === 0;
        if (asked || still) {
          done();
          return;
        }
        heard = bytesRead(stdout);
        timer = setTimeout(look, LAST_WORDS);
      };
      let timer = setTimeout(look, stdout.closed || child.pid === undefined ? 0 : LAST_WORDS);
      stdout.once("close", () => {
        clearTimeout(timer);
        done();
      });
    };
    child.once("error", (error) => end(`could not be started: ${error.message}`));
    child.once("exit", (code, signal) => end(signal ? `was ended by ${signal}` : `ended with code ${code}`));
  });
  return {
    get pid() {
      return over ? null : (child.pid ?? null);
    },
    input: sinkOf(stdin),
    lines: linesOf(stdout),
    ended,
    kill: () => void child.kill("SIGKILL"),
    end: () => {
      asked = true;
      return endInSteps(child, ended);
    },
  };
}

const bytesRead = (stream: Readable): number => (stream as Readable & { readonly bytesRead?: number }).bytesRead ?? 0;

function spawnServer({ command, args = [], env = {}, cwd, stderr = "inherit" }: ServerCommand): ChildProcess {
  // npx and its like are scripts there, which only the shell of the system starts.
  const [file, all] = process.platform === "win32" ? ["cmd", ["/d", "/s", "/c", command, ...args]] : [command, args];
  const child = spawn(file, all, {
    stdio: ["pipe", "pipe", typeof stderr === "string" ? stderr : "pipe"],
    env: { ...ofTheServer(process.env), ...env },
    windowsHide: true,
    ...(cwd !== undefined && { cwd }),
  });
  if (typeof stderr !== "string") child.stderr?.pipe(stderr, { end: false });
  return child;
}

/** A server that knew the secret of the record could read and forge it. */
const ofTheServer = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !/^INDOUBT_/i.test(name)));

async function endInSteps(child: ChildProcess, ended: Promise<string>): Promise<void> {
  child.stdin?.end();
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    if (await endsWithin(ended, PATIENCE)) return;
    child.kill(signal);
  }
  await ended;
}

async function endsWithin(ended: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  const inTime = await Promise.race([ended.then(() => true as const), late]);
  clearTimeout(timer);
  return inTime;
}
