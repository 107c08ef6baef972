import { spawn } from "node:child_process";
import { once } from "node:events";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { type HttpFaultServerOptions, startFaultServer } from "./http-server.ts";
import { ownModule } from "./own-module.ts";
import { openRunDirectory } from "./run-directory.ts";
import { controlOf, type FaultServerControl } from "./server-control.ts";

/** A fault server over HTTP in a process of its own. */
export interface FaultServerProcess extends FaultServerControl {
  readonly url: string;
  /** `kill -9`. The log stays readable until `close`. */
  kill(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts {@link startFaultServer} in a child process, so that nothing of the client's process is shared with it.
 *
 * @example
 * const server = await spawnFaultServer({ script: { create_invoice: [{ reply: "reset" }] } });
 * // connect any MCP client to server.url
 * await server.close();
 */
export async function spawnFaultServer(options: HttpFaultServerOptions = {}): Promise<FaultServerProcess> {
  const { loader, module } = ownModule(import.meta.url);
  const code = `import { serveFaultsOverHttp } from ${JSON.stringify(module)}; await serveFaultsOverHttp(process.argv[1]);`;
  const program = [...loader, "--input-type=module", "--eval", code, JSON.stringify(options)];
  const child = spawn(process.execPath, program, { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "close");
  const first = once(createInterface({ input: child.stdout }), "line") as Promise<[string]>;
  const gone = ended.then(() => Promise.reject(new Error("The fault server ended before it listened.")));
  const [line] = await Promise.race([first, gone]);
  gone.catch(() => {});
  const { url, file } = JSON.parse(line) as { url: string; file: string };
  const directory = openRunDirectory(dirname(file), "http");
  return {
    url,
    ...controlOf(directory),
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
    async close() {
      child.stdin.end();
      await ended;
      directory.remove();
    },
  };
}

/** The child: says where it listens, serves until its stdin ends. */
export async function serveFaultsOverHttp(options: string): Promise<void> {
  const server = await startFaultServer(JSON.parse(options) as HttpFaultServerOptions);
  process.stdout.write(`${JSON.stringify({ url: server.url, file: server.log.file })}\n`);
  process.stdin.resume().once("end", () => void server.close().then(() => process.exit(0)));
}
