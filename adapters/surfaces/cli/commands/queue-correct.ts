import type { Correction } from "../../../../src/entries/queue.ts";
import { type Define, optionsOf, screenOf, withCommon, withGuard } from "../cli.ts";
import { oneOf } from "../filter.ts";
import { type DecisionOptions, decisionOf, printSettled, withDecision } from "./queue-resolve.ts";

const SETTLED = [
  "succeeded",
  "failed",
  "rejected",
  "applied",
  "not_applied",
  "partial",
  "abandoned",
] as const satisfies readonly Correction["to"][];

const EXAMPLES = `
Outcomes: succeeded, failed, rejected, applied, not_applied, partial, abandoned.

Example:
  indoubt queue correct ID not_applied --version 4 --reason "the reference belongs to another order"

The outcome that is corrected stays in the audit.`;

export const defineCorrect: Define = (parent) => {
  const command = withDecision(parent.command("correct"))
    .description("correct a settled outcome; the old one stays in the audit")
    .argument("<id>", "of the operation")
    .argument("<outcome>", "what became of it");
  withCommon(command).addHelpText("after", EXAMPLES);
  command.action(async (id: string, outcome: string) => {
    const options = optionsOf<DecisionOptions>(command);
    const screen = screenOf(options);
    const correction = { ...decisionOf(options), to: oneOf("the outcome", outcome, SETTLED) };
    await withGuard(options, screen, async ({ guard }) => {
      printSettled(screen, await guard.queue.correct(id, correction));
    });
  });
};
