import { type CommonOptions, type Define, optionsOf, screenOf, withCommon, withGuard } from "../cli.ts";
import { connected, readArguments, toolNamed } from "../reviewing.ts";
import { fencedJson, quoted, visible, wrapped } from "../text.ts";

interface Options extends CommonOptions {
  readonly server?: string;
  readonly arguments?: string;
  readonly operation?: string;
  readonly ask?: boolean;
}

const EXAMPLES = `
Examples:
  indoubt probe create_invoice --arguments call.json           the request, and what its answers would mean
  indoubt probe create_invoice --arguments call.json --ask     and what the destination says now

Only reads are called, and only with --ask. --operation is the operationId of a
call that was made, for its very key.`;

export const defineProbe: Define = (parent) => {
  const command = parent
    .command("probe")
    .description("what would be asked if the answer to a call got lost, and what the answer would mean")
    .argument("<tool>", "its name, or server/tool")
    .option("--server <name>", "the server, where several have such a tool")
    .option("--arguments <file>", "JSON file with the arguments (- reads stdin; default: none)")
    .option("--operation <id>", "the operationId that the caller gave")
    .option("--ask", "ask the destination now");
  withCommon(command).addHelpText("after", EXAMPLES);
  command.action(async (name: string) => {
    const options = optionsOf<Options>(command);
    const screen = screenOf(options);
    await withGuard(
      options,
      screen,
      async (setup) => {
        const named = toolNamed(setup, name, options.server);
        const operation = options.operation === undefined ? {} : { operationId: options.operation };
        const call = { ...named, arguments: readArguments(options.arguments), ...operation };
        const ask = options.ask === true;
        const report = await connected(setup, named.server, () => setup.guard.probe(call, { ask }));
        if (screen.json) {
          screen.printJson(report);
          return;
        }
        screen.print(`Asked: ${report.calls === undefined ? "your hook" : `the read ${quoted(report.calls)}`}`);
        if (typeof report.request === "string") screen.print(`  cannot be asked: ${visible(report.request)}`);
        else if (report.request) for (const line of fencedJson(report.request, "  ")) screen.print(line);
        for (const line of report.meaning)
          for (const part of wrapped(line, screen.measure, "- ", "  ")) screen.print(part);
        if (report.observation) {
          screen.print("The destination says now:");
          for (const line of fencedJson(report.observation, "  ")) screen.print(line);
        }
      },
      { mustExist: false },
    );
  });
};
