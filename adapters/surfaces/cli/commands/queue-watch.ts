import type { QueueChange } from "../../../../src/entries/queue.ts";
import { type CommonOptions, type Define, optionsOf, screenOf, withCommon, withGuard } from "../cli.ts";
import { type FilterOptions, filterOf, milliseconds, withFilters } from "../filter.ts";
import type { Screen } from "../screen.ts";
import { itemJson } from "../shapes.ts";
import { duration, visible } from "../text.ts";
import { untilStopped } from "../until-stopped.ts";

interface Options extends CommonOptions, FilterOptions {
  readonly every: string;
}

const EXAMPLES = `
Examples:
  indoubt queue watch
  indoubt queue watch --tool charge_card --json
  indoubt queue watch --open --every 5s

Begins with what is there, then tells each change. Ctrl-C ends it. It goes on
when the store was away.`;

export const defineWatch: Define = (parent) => {
  const command = withFilters(
    parent.command("watch").description("what is there, then each change as it happens"),
  ).option("--every <age>", "pause between two looks", "1s");
  withCommon(command).addHelpText("after", EXAMPLES);
  command.action(async () => {
    const options = optionsOf<Options>(command);
    const screen = screenOf(options);
    const everyMs = Math.max(100, milliseconds("--every", options.every));
    const filter = filterOf(options);
    await withGuard(options, screen, async ({ guard }) => {
      const signal = untilStopped();
      for await (const change of guard.queue.watch({ filter, everyMs, signal })) tell(screen, change);
    });
  });
};

const MARKS = { added: "+", changed: "~", removed: "-" } as const;

function tell(screen: Screen, { kind, item }: QueueChange): void {
  if (screen.json) {
    screen.printJson({ kind, item: itemJson(item) });
    return;
  }
  const time = new Date().toISOString().slice(11, 19);
  const { id, server, tool, state, reason, ageMs, version } = item;
  const colour = { added: screen.paint.yellow, changed: screen.paint.bold, removed: screen.paint.green }[kind];
  const what = `${visible(server)}.${visible(tool)}  ${state}, version ${version}, ${visible(reason)}`;
  screen.print(`${screen.paint.dim(time)} ${colour(MARKS[kind])} ${id}  ${duration(ageMs).padStart(5)}  ${what}`);
}
