/** Real, private redis-servers for tests: each in its own folder, on its own port, dead when this process is dead. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface RedisOptions {
  /** When the append-only file is flushed to disk. @default "everysec" */
  readonly appendfsync?: "always" | "everysec" | "no";
  /** Further arguments; they win over the ones above. @example ["--appendonly", "no"] */
  readonly args?: readonly string[];
  /** Where its files live. @default a temporary folder, removed when this process ends */
  readonly dir?: string;
}

export interface RedisServer {
  readonly url: string;
  /** Path of its Unix socket. */
  readonly socket: string;
  readonly port: number;
  /** Changes with each restart. */
  readonly pid: number;
  readonly dir: string;
  /** Ends it as a power cut of the process does: nothing is flushed. */
  kill9(): Promise<void>;
  /** Ends it in order; the files stay. */
  stop(): Promise<void>;
  /** Starts it again, on the same port and files; stops it first when it runs. */
  restart(): Promise<void>;
}

/** Below the range of ports that the system hands out by itself, so that no client connection sits on one of ours. */
const lowestPort = 20_000;
const portCount = 12_000;
const attempts = 20;

export async function startRedis(options: RedisOptions = {}): Promise<RedisServer> {
  const dir = options.dir ?? mkdtempSync(join(tmpdir(), "indoubt-redis-"));
  const socket = join(dir, "redis.sock");
  const reaper = startReaper(options.dir === undefined ? dir : undefined);
  const launch = (port: number) => launchRedis([...argumentsFor(port, dir, socket, options), ...(options.args ?? [])]);

  const first = await launchOnFreePort(launch);
  const { port } = first;
  let child = first.child;
  reaper.watch(child);

  const end = async (signal: "SIGTERM" | "SIGKILL") => {
    if (hasEnded(child)) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
    reaper.watch(undefined);
  };

  return {
    url: `redis://127.0.0.1:${port}`,
    socket,
    port,
    dir,
    get pid() {
      return pidOf(child);
    },
    kill9: () => end("SIGKILL"),
    stop: () => end("SIGTERM"),
    restart: async () => {
      await end("SIGTERM");
      const again = await launch(port);
      if (again === "port taken") throw new Error(`Port ${port} was taken while redis-server was down.`);
      child = again;
      reaper.watch(child);
    },
  };
}

function argumentsFor(port: number, dir: string, socket: string, options: RedisOptions): string[] {
  const settings = {
    port,
    bind: "127.0.0.1",
    unixsocket: socket,
    dir,
    save: "",
    appendonly: "yes",
    appendfsync: options.appendfsync ?? "everysec",
    "maxmemory-policy": "noeviction",
  };
  return Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
}

async function launchOnFreePort(launch: (port: number) => Promise<ChildProcess | "port taken">) {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const port = lowestPort + Math.floor(Math.random() * portCount);
    const child = await launch(port);
    if (child !== "port taken") return { port, child };
  }
  throw new Error(`redis-server found no free port in ${attempts} attempts.`);
}

/** Waits for the child's own word that it is ready: a ping could be answered by somebody else's server. */
function launchRedis(args: readonly string[]): Promise<ChildProcess | "port taken"> {
  return new Promise((resolve, reject) => {
    const child = spawn("redis-server", args, { stdio: ["ignore", "pipe", "pipe"] });
    let log = "";
    const read = (text: string) => {
      log = (log + text).slice(-10_000);
      if (log.includes("Ready to accept connections")) resolve(child);
    };
    child.stdout.setEncoding("utf8").on("data", read);
    child.stderr.setEncoding("utf8").on("data", read);
    child.once("error", reject);
    child.once("close", () => {
      if (log.includes("Address already in use")) resolve("port taken");
      else reject(new Error(`redis-server ended before it was ready:\n${log}`));
    });
  });
}

/**
 * A shell that outlives this process, however that ends: it reads the pid to watch, a line for each change, and at the
 * end of its input kills the last one and removes the folder.
 */
function startReaper(temporaryDir: string | undefined) {
  const script = 'while read -r line; do pid=$line; done; [ -z "$pid" ] || kill -9 "$pid"; [ -z "$1" ] || rm -rf "$1"';
  const shell = spawn("sh", ["-c", script, "sh", temporaryDir ?? ""], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  shell.unref();
  return { watch: (child: ChildProcess | undefined) => void shell.stdin.write(`${child?.pid ?? ""}\n`) };
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

function pidOf(child: ChildProcess): number {
  if (child.pid === undefined) throw new Error("redis-server did not start.");
  return child.pid;
}
