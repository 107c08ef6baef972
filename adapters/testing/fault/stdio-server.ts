import { closeSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";
import type { ReplyChannel } from "./channel.ts";
import { createEngine, isRequest } from "./engine.ts";
import { type JsonObject, parseMessage } from "./json.ts";
import { ownModule } from "./own-module.ts";
import { createRunDirectory, type FaultServerOptions, openRunDirectory } from "./run-directory.ts";
import { controlOf, type FaultServerControl } from "./server-control.ts";

/** A fault server that an MCP client spawns; each spawn serves the same destination and goes on with the same script. */
export interface FaultServerCommand extends FaultServerControl {
  readonly command: string;
  readonly args: string[];
  readonly env: Record<string, string>;
  /** Deletes the log and the settings. */
  remove(): void;
}

/**
 * Prepares a scripted MCP server over stdio. Nothing runs until a client spawns the command.
 *
 * @example
 * const server = faultServerCommand({ script: { create_invoice: [{ reply: "kill_process" }] } });
 * await client.connect(new StdioClientTransport({ command: server.command, args: server.args, env: server.env }));
 */
export function faultServerCommand(options: FaultServerOptions = {}): FaultServerCommand {
  const directory = createRunDirectory(options, "stdio");
  const { loader, module } = ownModule(import.meta.url);
  const code = `import { serveFaultsOverStdio } from ${JSON.stringify(module)}; serveFaultsOverStdio(process.argv[1]);`;
  return {
    command: process.execPath,
    args: [...loader, "--input-type=module", "--eval", code, directory.path],
    env: {},
    ...controlOf(directory),
    remove: directory.remove,
  };
}

/** Serves stdin and stdout of this process; `faultServerCommand` spawns it. */
export function serveFaultsOverStdio(path: string): void {
  const engine = createEngine(openRunDirectory(path, "stdio"));
  const lines = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY });
  lines.on("line", (line) => {
    const message = parseMessage(line);
    if (message === undefined) return;
    if (isRequest(message)) engine.handle({ message, raw: line }, STDIO_CHANNEL);
    else engine.receive({ message, raw: line });
  });
  lines.on("close", () => void engine.idle().then(() => process.exit(0)));
}

const STDIO_CHANNEL: ReplyChannel = {
  transport: "stdio",
  notify: writeMessage,
  answer: writeMessage,
  raw: writeLine,
  cut: (message) => {
    const text = JSON.stringify(message);
    writeAll(text.slice(0, text.length / 2));
    process.exit(0);
  },
  end: closeOutput,
  reset: () => process.exit(1),
  kill: () => process.kill(process.pid, "SIGKILL"),
};

function writeMessage(message: JsonObject): void {
  writeLine(JSON.stringify(message));
}

function writeLine(text: string): void {
  writeAll(`${text}\n`);
}

function closeOutput(): void {
  try {
    closeSync(1);
  } catch (error) {
    if (!isErrno(error, "EBADF")) throw error;
  }
}

/** Synchronous, so that what was written is out before the process may be killed. */
function writeAll(text: string): void {
  let rest = Buffer.from(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if (!isErrno(error, "EAGAIN")) return;
    }
  }
}

function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
