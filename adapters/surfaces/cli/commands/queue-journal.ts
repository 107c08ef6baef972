import type { JournalKind, JournalLine } from "../../../../src/entries/queue.ts";
import { type CommonOptions, type Define, optionsOf, screenOf, withCommon, withGuard } from "../cli.ts";
import { oneOf, wholeNumber } from "../filter.ts";
import type { Screen } from "../screen.ts";
import { journalJson } from "../shapes.ts";
import { instant, quoted, visible } from "../text.ts";

const KINDS = ["doubt", "settled", "verdict", "correction", "conflict"] as const satisfies readonly JournalKind[];

interface Options extends CommonOptions {
  readonly server?: string;
  readonly tool?: string;
  readonly kind?: string;
  readonly limit: string;
  readonly cursor?: string;
}

const EXAMPLES = `
Examples:
  indoubt queue journal --kind verdict      who decided what, and why
  indoubt queue journal --tool charge_card
  indoubt queue journal --json | jq -r '.items[] | [.at, .id, .actor, .reason] | @tsv'`;

export const defineJournal: Define = (parent) => {
  const command = parent
    .command("journal")
    .description("the audit of all operations: doubts, how they ended, who decided what; newest first")
    .option("--server <name>", "of this server")
    .option("--tool <name>", "of this tool")
    .option("--kind <kind>", KINDS.join(", "))
    .option("--limit <n>", "how many, 1 to 1000", "50")
    .option("--cursor <cursor>", "go on where a page ended");
  withCommon(command).addHelpText("after", EXAMPLES);
  command.action(async () => {
    const options = optionsOf<Options>(command);
    const screen = screenOf(options);
    const filter = {
      limit: wholeNumber("--limit", options.limit, 1, 1_000),
      ...(options.server && { server: options.server }),
      ...(options.tool && { tool: options.tool }),
      ...(options.kind && { kind: oneOf("--kind", options.kind, KINDS) }),
      ...(options.cursor && { cursor: options.cursor }),
    };
    await withGuard(options, screen, async ({ guard }) => {
      const { items, nextCursor } = await guard.queue.journal(filter);
      if (screen.json) return screen.printJson({ items: items.map(journalJson), next_cursor: nextCursor ?? null });
      if (items.length === 0) screen.print("Nothing is on record.");
      for (const item of items) print(screen, item);
      if (nextCursor !== undefined) screen.note(`There is more: add --cursor ${nextCursor}`);
    });
  });
};

function print(screen: Screen, line: JournalLine): void {
  const { at, id, server, tool, kind, from, to, actor, reason, ref, override } = line;
  const move = from !== undefined || to !== undefined ? `${from ?? ""} -> ${to ?? ""}` : line.row;
  const name = `${visible(server)}.${visible(tool)}`;
  screen.print(
    `${screen.paint.dim(instant(at))}  ${kind.padEnd(10)} ${id}  ${name}  ${move}${override ? " OVERRIDE" : ""}`,
  );
  const by = [
    ...(actor === undefined ? [] : [`by ${quoted(actor)}`]),
    ...(reason === undefined ? [] : [`because ${quoted(reason)}`]),
    ...(ref === undefined ? [] : [`reference ${quoted(ref)}`]),
  ];
  if (by.length > 0) screen.print(`    ${by.join(", ")}`);
}
