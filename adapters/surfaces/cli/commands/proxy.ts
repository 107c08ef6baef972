import { type CommonOptions, type Define, optionsOf, withCommon } from "../cli.ts";
import { milliseconds, wholeNumber } from "../filter.ts";
import { list } from "../headers.ts";

interface Options extends CommonOptions {
  readonly server?: string;
  readonly url?: string;
  readonly header: readonly string[];
  readonly http?: string;
  readonly host?: string;
  readonly allowHost: readonly string[];
  readonly tokenEnv?: string;
  readonly onePrincipal?: boolean;
  readonly deadline?: string;
  readonly statusTool?: boolean;
}

const EXAMPLES = `
Examples:
  indoubt proxy -- npx -y @acme/billing-mcp --region eu
  indoubt proxy --server billing.acme --config /etc/indoubt.config.json
  indoubt proxy --url https://billing.acme.example/mcp --http 4100
  indoubt proxy --server files --http 4101 -- npx -y @modelcontextprotocol/server-filesystem ./data
  indoubt proxy --url https://billing.acme.example/mcp --header "Authorization: Bearer $TOKEN"

Put it where a host's configuration names the server's command: the host starts
it, and it starts the server. With --http it listens for hosts on this machine.
Tool calls are recorded before they are sent; everything else passes byte for
byte. Without --config every tool is a write without hook or contract: sent
once, never twice, in doubt on silence.`;

export const defineProxy: Define = (parent) => {
  const command = parent
    .command("proxy")
    .description("guard between any MCP host and any server, stdio and Streamable HTTP")
    .argument("[command...]", "the server's command and its arguments, after --")
    .option("--server <name>", "its name in the configuration; without a command or --url that says how to reach it")
    .option("--url <url>", "a Streamable HTTP server")
    .option("--header <header>", '"Name: value" for each request to --url; may be repeated', list, [])
    .option("--http <port>", "listen for hosts over HTTP (0 takes a free port) instead of stdin and stdout")
    .option("--host <address>", "listen here; with credentials only with --token-env (default: 127.0.0.1)")
    .option("--allow-host <name>", "a name or site under which hosts reach it; may be repeated", list, [])
    .option("--token-env <variable>", "hosts must send the value of this variable as Authorization: Bearer")
    .option("--one-principal", "all hosts act for one person, whatever their Authorization header")
    .option("--deadline <time>", "answer a call after this time, as open (default: never before the host gives up)")
    .option("--status-tool", "add the read-only tool indoubt_status, so that a model can ask instead of repeating")
    .passThroughOptions();
  withCommon(command).addHelpText("after", EXAMPLES);
  command.action(async (words: string[]) => {
    const options = optionsOf<Options>(command);
    const { http, deadline, json, debug: _debug, ...rest } = options;
    const { runProxy } = await import("../proxy/run.ts");
    await runProxy({
      ...rest,
      command: words,
      format: json ? "json" : "text",
      port: http === undefined ? undefined : wholeNumber("--http", http, 0, 65_535),
      deadline: deadline === undefined ? undefined : milliseconds("--deadline", deadline),
    });
  });
};
