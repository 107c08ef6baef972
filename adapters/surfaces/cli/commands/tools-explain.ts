import { type CommonOptions, type Define, optionsOf, screenOf, withCommon, withGuard } from "../cli.ts";
import { connected, readArguments, toolNamed } from "../reviewing.ts";
import { visible } from "../text.ts";

interface Options extends CommonOptions {
  readonly server?: string;
  readonly arguments?: string;
}

const EXAMPLES = `
Examples:
  indoubt tools explain create_invoice --arguments call.json
  echo '{"order":"o-7"}' | indoubt tools explain billing.acme/create_invoice --arguments - --json

Nothing is called: the server is asked for its tool list only.`;

export const defineToolsExplain: Define = (parent) => {
  const command = parent
    .command("explain")
    .description("a call in plain words: what is claimed, declared, observed, what could go wrong, what is not known")
    .argument("<tool>", "its name, or server/tool")
    .option("--server <name>", "the server, where several have such a tool")
    .option("--arguments <file>", "JSON file with the arguments (- reads stdin; default: none)");
  withCommon(command).addHelpText("after", EXAMPLES);
  command.action(async (name: string) => {
    const options = optionsOf<Options>(command);
    const screen = screenOf(options);
    await withGuard(
      options,
      screen,
      async (setup) => {
        const named = toolNamed(setup, name, options.server);
        const args = readArguments(options.arguments);
        const describe = () => setup.guard.describeCall({ ...named, arguments: args });
        const account = await connected(setup, named.server, describe);
        if (screen.json) screen.printJson(account);
        // Fenced and quoted by the engine already; a terminal is one more reader.
        else for (const line of account.text.split("\n")) screen.print(visible(line));
      },
      { mustExist: false },
    );
  });
};
