import { type CommonOptions, commandName, type Define, optionsOf } from "../cli.ts";
import { isColourful } from "../screen.ts";

interface Options extends CommonOptions {
  readonly folder?: string;
}

const EXAMPLES = `
Examples:
  indoubt demo
  indoubt demo --folder ./demo-files --json

It leaves one charge in the queue of ./indoubt.db. Needs the package
@modelcontextprotocol/sdk; no Redis, no account.`;

export const defineDemo: Define = (parent) => {
  const command = parent
    .command("demo")
    .description("a real MCP server loses a reply in front of you, without and with indoubt")
    .option("--json", "print one object instead of the story")
    .option("--folder <folder>", "keep the server's own files there")
    .option("--debug", "print the trace of an error")
    .addHelpText("after", EXAMPLES);
  command.action(async () => {
    const { json, folder } = optionsOf<Options>(command);
    const { withSdk } = await import("../../setup/index.ts");
    const { runDemo } = await withSdk(() => import("../../demo/index.ts"));
    const output = json ? "json" : "story";
    await runDemo({ output, folder, colour: isColourful(process.stdout), command: commandName() });
  });
};
