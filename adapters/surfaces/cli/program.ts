/** The program with all its commands. */
import { Command, Help, type Option } from "commander";
import { withCommon } from "./cli.ts";
import { COMMANDS } from "./commands.ts";
import { version } from "./version.ts";

const EXAMPLES = `
Examples:
  indoubt demo                          a lost reply in front of you, without and with indoubt
  indoubt queue list                    what waits for a person in ./indoubt.db
  indoubt queue show ID                 what is known of one operation, and what may be decided
  indoubt queue resolve ID applied --version 3 --reason "found in the ledger" --ref INV-1
  indoubt doctor                        what this set-up promises, and what not
  indoubt completion zsh                completion for zsh, bash, fish or powershell

Exit codes: 0 done, 1 failed, 2 usage, 3 configuration, 4 store, 5 conflict,
6 not found, 7 partly done, 8 problems.`;

/**
 * @param exitWith a command that ends with another code than 0, without an error
 * @param writeErr the help that is shown where a command is missing
 */
export function newProgram(exitWith: (code: number) => void, writeErr: (text: string) => void): Command {
  const program = withCommon(new Command("indoubt"))
    .description("Writes of AI agents that may or may not have happened: see them, understand them, settle them.")
    .version(version())
    .enablePositionalOptions()
    .exitOverride()
    .configureHelp({ sortSubcommands: false, showGlobalOptions: false, optionDescription: withoutEmptyList })
    .configureOutput({ writeErr, outputError: () => {} })
    .showHelpAfterError(false)
    .addHelpText("after", EXAMPLES);
  for (const define of COMMANDS) define(program, exitWith);
  return program;
}

/** An option that may be repeated begins with an empty list: that is no default worth telling. */
function withoutEmptyList(this: Help, option: Option): string {
  return Help.prototype.optionDescription.call(this, option).replace(/ \(default: \[\]\)$/, "");
}
