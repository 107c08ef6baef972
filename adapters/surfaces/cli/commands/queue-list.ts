import type { QueueFilter, QueueItem, QueuePage } from "../../../../src/entries/queue.ts";
import { type CommonOptions, commandName, type Define, optionsOf, screenOf, withCommon, withGuard } from "../cli.ts";
import { type FilterOptions, filterOf, oneOf, wholeNumber, withFilters } from "../filter.ts";
import type { Screen } from "../screen.ts";
import { itemJson } from "../shapes.ts";
import { type Column, printTable, SUMMARY } from "../table.ts";
import { duration } from "../text.ts";

interface Options extends CommonOptions, FilterOptions {
  readonly sort: string;
  readonly limit: string;
  readonly cursor?: string;
}

const EXAMPLES = `
Examples:
  indoubt queue list
  indoubt queue list --tool charge_card --older 1h
  indoubt queue list --open --sort newest --limit 10
  indoubt queue list --json | jq -r '.items[].id'

Without --open: what waits for a person. Automation still works on the rest, if
an \`indoubt worker\` or a guard runs.`;

export const defineList: Define = (parent) => {
  const command = withFilters(parent.command("list").description("what waits for a person, oldest first"))
    .option("--sort <order>", "oldest or newest first", "oldest")
    .option("--limit <n>", "how many, 1 to 1000", "50")
    .option("--cursor <cursor>", "go on where a page ended");
  withCommon(command).addHelpText("after", EXAMPLES);
  command.action(async () => {
    const options = optionsOf<Options>(command);
    const screen = screenOf(options);
    const limit = wholeNumber("--limit", options.limit, 1, 1_000);
    const order = oneOf("--sort", options.sort, ["oldest", "newest"] as const);
    const summaries = !screen.json;
    const filter = {
      ...filterOf(options),
      order,
      limit,
      ...(summaries && { summaries }),
      ...(options.cursor && { cursor: options.cursor }),
    };
    await withGuard(options, screen, async ({ guard }) => {
      const page = await filled(filter, (wanted) => guard.queue.list(wanted));
      if (screen.json) {
        screen.printJson({ items: page.items.map(itemJson), next_cursor: page.nextCursor ?? null });
        return;
      }
      await show(screen, page, filter);
      if (page.items.length === 0 && filter.index !== "open") {
        const { items } = await guard.queue.list({ index: "open", limit: 1 });
        if (items.length > 0)
          screen.note(
            `Some are under way, or settled and not closed yet. See them with: ${commandName()} queue list --open`,
          );
      }
    });
  });
};

/** A filter that fits little gives short pages: a person wants a full one. */
async function filled(
  filter: QueueFilter & { limit: number },
  list: (filter: QueueFilter) => Promise<QueuePage>,
): Promise<Pick<QueuePage, "items" | "nextCursor">> {
  const items: QueueItem[] = [];
  let cursor = filter.cursor;
  do {
    const page = await list({ ...filter, limit: filter.limit - items.length, ...(cursor && { cursor }) });
    items.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== undefined && items.length < filter.limit);
  return { items, ...(cursor !== undefined && { nextCursor: cursor }) };
}

const COLUMNS: readonly Column<QueueItem>[] = [
  { title: "ID", value: ({ id }) => id },
  { title: "AGE", value: ({ ageMs }) => duration(ageMs), right: true },
  { title: "STATE", value: ({ state, conflict }) => (conflict ? `${state} !` : state) },
  { title: "TOOL", value: ({ server, tool }) => `${server}.${tool}`, least: 14 },
  SUMMARY,
  { title: "REASON", value: ({ reason }) => reason, least: 10, optional: true },
  { title: "NEXT", value: ({ next }) => next.split(". ", 1)[0] ?? "", least: 40, optional: true },
];

async function show(screen: Screen, page: Pick<QueuePage, "items" | "nextCursor">, filter: QueueFilter): Promise<void> {
  const { items, nextCursor } = page;
  if (items.length === 0) screen.print(emptyWords(filter));
  else await printTable(screen, COLUMNS, items);
  if (items.some(({ conflict }) => conflict)) screen.note("! two pieces of evidence contradict each other: look first");
  if (nextCursor !== undefined) screen.note(`There is more: add --cursor ${nextCursor}`);
  else if (items[0]) screen.note(`Look at one with: ${commandName()} queue show ${items[0].id}`);
}

const emptyWords = ({ order: _order, limit: _limit, summaries: _summaries, ...filter }: QueueFilter): string =>
  Object.keys(filter).length === 0 ? "Nothing waits for a person." : "Nothing fits.";
