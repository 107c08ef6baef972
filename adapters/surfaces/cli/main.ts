/** Runs one command line and says how it ended. */
import { type Command, CommanderError } from "commander";
import { commandName } from "./cli.ts";
import { addCompletion } from "./completion.ts";
import { EXIT, type Told, tell, UsageError } from "./exit.ts";
import { newProgram } from "./program.ts";
import { isColourful, painter } from "./screen.ts";
import { instant, quoted, safeJson, visible } from "./text.ts";

/** @returns the exit code */
export async function main(argv: readonly string[]): Promise<number> {
  endWithReader(argv);
  let exit: number = EXIT.ok;
  const exitWith = (code: number) => {
    exit = code;
  };
  const program = newProgram(exitWith, (text) => void (wantsJson(argv) || process.stderr.write(text)));
  try {
    await addCompletion(program, argv);
    await program.parseAsync([...argv], { from: "user" });
    return exit;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.ok;
    return fail(error instanceof CommanderError ? asUsage(error, program, argv) : error, argv);
  }
}

/** What runs until it is told to stop: whoever started it must see that it ended otherwise. */
const LASTING = ["worker", "proxy", "page"];

/** `indoubt queue export | head -1`: the reader has what it wanted. */
function endWithReader(argv: readonly string[]): void {
  const lasts = LASTING.includes(argv[0] ?? "");
  process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => {
    process.exit(code === "EPIPE" && !lasts ? EXIT.ok : EXIT.failed);
  });
}

function asUsage(error: CommanderError, program: Command, argv: readonly string[]): UsageError {
  const help = ["indoubt", ...commandOf(program, ownWords(argv)), "--help"].join(" ");
  // Commander shows the help where a command is missing; that is no message.
  const message = error.code === "commander.help" ? "a command is missing" : error.message.replace(/^error: /, "");
  return new UsageError(message, `See \`${help}\`.`);
}

/** As far as the words name one: a misspelt command has no help. */
function commandOf(program: Command, words: readonly string[]): string[] {
  const path: string[] = [];
  let commands = program.commands;
  for (const word of words) {
    const found = commands.find((command) => command.name() === word);
    if (!found) continue;
    path.push(word);
    commands = found.commands;
  }
  return path;
}

/** What follows `--` is another program's. */
const ownWords = (argv: readonly string[]): readonly string[] =>
  argv.slice(0, argv.includes("--") ? argv.indexOf("--") : undefined);
/** Also where the command line cannot be understood. */
const wantsJson = (argv: readonly string[]): boolean => ownWords(argv).includes("--json");

function fail(error: unknown, argv: readonly string[]): number {
  const found = tell(error);
  // In a clone, or by npx, the command has another name: a cure is there to be copied.
  const told = { ...found, cure: found.cure.replaceAll("`indoubt ", `\`${commandName()} `) };
  if (wantsJson(argv)) process.stderr.write(`${safeJson(asJson(told))}\n`);
  else process.stderr.write(asText(told));
  if (ownWords(argv).includes("--debug"))
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  return EXIT[told.exit];
}

const asJson = ({ exit, code, message, cure, details }: Told) => ({
  error: { code, message, cure, exit: EXIT[exit], ...(details && { details }) },
});

/** Our own line breaks stay; what a stranger put into the message does not move the cursor. */
function asText({ code, message, cure, details }: Told): string {
  const { red, dim } = painter(isColourful(process.stderr));
  const lines = message.split("\n").map(visible).join("\n");
  const since = meanwhile(details?.since).map((line) => `  ${line}\n`);
  return `${red(`${code}:`)} ${lines}\n${since.join("")}${cure === "" ? "" : `${dim(visible(cure))}\n`}`;
}

/** What happened after the version that the person looked at: who decided what, and why. */
function meanwhile(since: unknown): string[] {
  if (!Array.isArray(since)) return [];
  return (since as Readonly<Record<string, unknown>>[]).map(({ at, from, to, row, actor, reason }) => {
    const move = to === undefined ? String(row) : `${String(from ?? "")} -> ${String(to)}`;
    const by = actor === undefined ? "" : ` by ${quoted(String(actor))}`;
    const why = reason === undefined ? "" : `, because ${quoted(String(reason))}`;
    return visible(`${typeof at === "number" ? instant(at) : ""}  ${move}${by}${why}`);
  });
}
