/** Completion for bash, zsh, fish and powershell. */
import type { Command } from "commander";

const EXAMPLES = `
Examples:
  source <(indoubt completion bash)                                    # in ~/.bashrc
  source <(indoubt completion zsh)                                     # in ~/.zshrc
  indoubt completion fish > ~/.config/fish/completions/indoubt.fish`;

/** `completion SHELL` prints the script; the script calls `complete -- WORDS` at each press of the key. */
const NAMES = ["completion", "complete"];

/** The library is loaded only for its own two commands; for all others the help has to name it. */
export async function addCompletion(program: Command, argv: readonly string[]): Promise<void> {
  if (argv[0] !== undefined && NAMES.includes(argv[0]) && !argv.includes("--help")) {
    const { default: tab } = await import("@bomb.sh/tab/commander");
    tab(program, { completionCommandName: "completion" });
    return;
  }
  program
    .command("completion")
    .description("print the completion script of a shell")
    .argument("<shell>", "bash, zsh, fish or powershell")
    .addHelpText("after", EXAMPLES);
}
