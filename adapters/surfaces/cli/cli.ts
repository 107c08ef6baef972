/** What each command gets: the options that all of them take, a screen, and the guard. */
import { userInfo } from "node:os";
import type { Command } from "commander";
import type { OpenOptions, Setup } from "../setup/index.ts";
import { newScreen, type Screen } from "./screen.ts";

export interface CommonOptions {
  readonly json?: boolean;
  readonly config?: string;
  readonly store?: string;
  readonly namespace?: string;
  readonly debug?: boolean;
}

/** Options of every command, before or after its name. */
export function withCommon(command: Command): Command {
  return command
    .option("--json", "print JSON; errors are JSON on stderr")
    .option("-c, --config <file>", "configuration file (default: indoubt.config.json or .mjs in this folder)")
    .option("-s, --store <address>", "sqlite:FILE, a file name, or redis://… (default: ./indoubt.db)")
    .option("--namespace <name>", "namespace of the store; needed on Redis (default: INDOUBT_NAMESPACE)")
    .option("--debug", "print the trace of an error");
}

/** A command of the table: it defines itself, with its options and its action. Its imports are loaded when it runs. */
export type Define = (parent: Command, exitWith: (code: number) => void) => void;

export const screenOf = (options: CommonOptions): Screen => newScreen(options.json === true);

/** Options given before the command's name count too. */
export const optionsOf = <T extends CommonOptions>(command: Command): T => command.optsWithGlobals<T>();

/** Opens the guard for the time of `work`. What is open in the store is moved by nobody but the person. */
export async function withGuard<T>(
  options: CommonOptions,
  screen: Screen,
  work: (setup: Setup) => Promise<T>,
  further: Pick<OpenOptions, "recovery" | "mustExist"> = { mustExist: true },
): Promise<T> {
  const { openGuard } = await import("../setup/index.ts");
  const setup = await openGuard({ ...chosen(options), ...further });
  for (const warning of setup.warnings) screen.note(`warning: ${warning}`);
  try {
    return await work(setup);
  } finally {
    await setup.guard.close({ within: 1_000 }).catch(() => {});
  }
}

const chosen = ({ config, store, namespace }: CommonOptions): OpenOptions => ({ config, store, namespace });

/** How the reader runs this command, for lines that are meant to be copied. */
export function commandName(): string {
  // In a clone of the repository the command is not installed.
  if (import.meta.url.endsWith(".ts")) return "npm run indoubt --";
  return process.env.npm_command === undefined ? "indoubt" : "npx indoubt";
}

/** Who decides: the name that is given, else the system user. */
export function actorOf({ actor }: { readonly actor?: string }): string {
  if (actor !== undefined) return actor;
  try {
    return userInfo().username;
  } catch {
    // A container whose user has no name.
    return process.env.USER || `uid-${process.getuid?.() ?? "unknown"}`;
  }
}
