import { type CommonOptions, type Define, optionsOf, screenOf, withCommon, withGuard } from "../cli.ts";
import type { Report } from "../doctor/report.ts";
import { EXIT } from "../exit.ts";
import type { Screen } from "../screen.ts";
import { visible, wrapped } from "../text.ts";

interface Options extends CommonOptions {
  readonly strict?: boolean;
  readonly connect?: boolean;
}

const EXAMPLES = `
Examples:
  indoubt doctor
  indoubt doctor --connect          also connects to the configured servers and compares their tools with the pins
  indoubt doctor --strict --json    for CI: warnings count as problems

Ends with 8 when something breaks a promise, with 0 otherwise.`;

export const defineDoctor: Define = (parent, exitWith) => {
  const command = parent
    .command("doctor")
    .description("what this set-up promises and what not: store, clock, secret, configuration, contracts, hooks")
    .option("--connect", "connect to the configured servers, too")
    .option("--strict", "warnings count as problems");
  withCommon(command).addHelpText("after", EXAMPLES);
  command.action(async () => {
    const options = optionsOf<Options>(command);
    const screen = screenOf(options);
    const { examine } = await import("../doctor/examine.ts");
    await withGuard(
      options,
      screen,
      async (setup) => {
        const report = await examine(setup, options.connect === true);
        print(screen, report);
        const failing = options.strict ? ["problem", "warning"] : ["problem"];
        if (report.findings.some(({ status }) => failing.includes(status))) exitWith(EXIT.problems);
      },
      { mustExist: false },
    );
  });
};

const INDENT = 20;

function print(screen: Screen, { store, config, findings, promised, notPromised }: Report): void {
  if (screen.json) {
    const ok = findings.every(({ status }) => status !== "problem");
    screen.printJson({ ok, store, config, findings, promised, not_promised: notPromised });
    return;
  }
  const { paint } = screen;
  const marks = { ok: paint.green("ok"), warning: paint.yellow("warning"), problem: paint.red("problem") };
  screen.print(`store  ${visible(store)}`);
  screen.print(`config ${visible(config ?? "none: every tool is a write without contract or hook")}`);
  screen.print();
  for (const { status, check, words, cure } of findings) {
    const pad = " ".repeat(9 - status.length);
    const [first = "", ...more] = wrapped(words, screen.measure - INDENT);
    screen.print(`${marks[status]}${pad}${check.padEnd(11)}${first}`);
    const cures = cure === undefined ? [] : wrapped(cure, screen.measure - INDENT).map(paint.dim);
    for (const line of [...more, ...cures]) screen.print(`${" ".repeat(INDENT)}${line}`);
  }
  const list = (title: string, lines: readonly string[]) => {
    screen.print();
    screen.print(paint.bold(title));
    for (const line of lines.flatMap((text) => wrapped(text, screen.measure, "  - ", "    "))) screen.print(line);
  };
  list("This set-up promises", promised);
  list("It does not promise", notPromised);
}
