import type { QueueDetail, QueueItem } from "../../../../src/entries/queue.ts";
import type { Guard } from "../../../../src/index.ts";
import { type CommonOptions, type Define, optionsOf, screenOf, withCommon, withGuard } from "../cli.ts";
import { EXIT } from "../exit.ts";
import { type FilterOptions, filterOf, withFilters } from "../filter.ts";
import { checkUrlTemplate, linkOf } from "../link.ts";
import { detailJson } from "../shapes.ts";
import { safeJson } from "../text.ts";

interface Options extends CommonOptions, FilterOptions {
  readonly urlTemplate?: string;
}

const EXAMPLES = `
Examples:
  indoubt queue export > queue.jsonl
  indoubt queue export --open --server billing | jq -c '{id, tool, arguments}'

One line of JSON for each operation, as \`queue show --json\` prints it, with
arguments and audit.`;

export const defineExport: Define = (parent, exitWith) => {
  const command = withFilters(parent.command("export").description("what waits for a person, as JSON Lines")).option(
    "--url-template <url>",
    "link to a dashboard of yours: {id}, {server}, {tool}, {key}, {ref}",
  );
  withCommon(command).addHelpText("after", EXAMPLES);
  command.action(async () => {
    const options = optionsOf<Options>(command);
    const screen = screenOf(options);
    checkUrlTemplate(options.urlTemplate);
    const filter = filterOf(options);
    await withGuard(options, screen, async ({ guard, config }) => {
      let left = 0;
      for await (const item of all(guard, filter)) {
        const detail = await show(guard, item);
        if (!detail) left += 1;
        else await write(detailJson(detail, linkOf(options.urlTemplate ?? config.urlTemplate, detail)));
      }
      if (left === 0) return;
      screen.note(`${left} were closed and expired meanwhile.`);
      exitWith(EXIT.partial);
    });
  });
};

async function* all(guard: Guard, filter: ReturnType<typeof filterOf>): AsyncGenerator<QueueItem> {
  let cursor: string | undefined;
  do {
    const page = await guard.queue.list({ ...filter, limit: 500, ...(cursor !== undefined && { cursor }) });
    yield* page.items;
    cursor = page.nextCursor;
  } while (cursor !== undefined);
}

/** Undefined: it is gone by now. */
async function show(guard: Guard, { id }: QueueItem): Promise<QueueDetail | undefined> {
  try {
    return await guard.queue.show(id);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "RESOLUTION_CONFLICT") return undefined;
    throw error;
  }
}

/** At the pace of the reader. */
async function write(value: unknown): Promise<void> {
  if (process.stdout.write(`${safeJson(value)}\n`)) return;
  await new Promise((resolve) => process.stdout.once("drain", resolve));
}
