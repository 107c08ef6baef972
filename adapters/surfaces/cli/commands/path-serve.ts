import { once } from "node:events";
import { type CommonOptions, type Define, optionsOf, screenOf } from "../cli.ts";
import { wholeNumber } from "../filter.ts";
import { untilStopped } from "../until-stopped.ts";

interface Options extends CommonOptions {
  readonly port: string;
  readonly host: string;
}

const EXAMPLES = `
Examples:
  indoubt path serve --port 8080
  indoubt path serve --port 8080 --host 0.0.0.0     where the path comes from other machines

Put it where the real server stands, behind the same gateways, then run indoubt path test. It counts the marked calls
that arrive, in memory, and breaks connections as they ask; it has no other effect, no files, and asks for no sign-in.`;

export const definePathServe: Define = (parent) => {
  const command = parent
    .command("serve")
    .description("the echo server for indoubt path test: MCP over HTTP, fails on purpose, changes nothing")
    .requiredOption("--port <port>", "listen here (0 takes a free port)")
    .option("--host <address>", "listen on this address", "127.0.0.1")
    .option("--json", "print where it listens as JSON")
    .option("--debug", "print the trace of an error")
    .addHelpText("after", EXAMPLES);
  command.action(async () => {
    const options = optionsOf<Options>(command);
    const screen = screenOf(options);
    const port = wholeNumber("--port", options.port, 0, 65_535);
    const { startEchoServer } = await import("../path/server.ts");
    const stopped = untilStopped();
    const server = await startEchoServer(options.host, port);
    if (screen.json) screen.printJson({ url: server.url });
    else screen.print(`The echo server listens at ${server.url}. Ctrl-C ends it.`);
    if (!stopped.aborted) await once(stopped, "abort");
    await server.close();
  });
};
