import { type CommonOptions, type Define, optionsOf, screenOf, withCommon, withGuard } from "../cli.ts";
import { printDetail } from "../detail.ts";
import { checkUrlTemplate, linkOf } from "../link.ts";
import { detailJson } from "../shapes.ts";

interface Options extends CommonOptions {
  readonly urlTemplate?: string;
}

const EXAMPLES = `
Examples:
  indoubt queue show ID
  indoubt queue show ID --json | jq .audit
  indoubt queue show ID --url-template 'https://board.example/search?q={id}'`;

export const defineShow: Define = (parent) => {
  const command = parent
    .command("show")
    .description("one operation: what is known, what not, what may be decided, and who did what")
    .argument("<id>", "of the operation, from `queue list`")
    .option("--url-template <url>", "link to a dashboard of yours: {id}, {server}, {tool}, {key}, {ref}");
  withCommon(command).addHelpText("after", EXAMPLES);
  command.action(async (id: string) => {
    const options = optionsOf<Options>(command);
    const screen = screenOf(options);
    checkUrlTemplate(options.urlTemplate);
    await withGuard(options, screen, async ({ guard, config }) => {
      const detail = await guard.queue.show(id);
      const url = linkOf(options.urlTemplate ?? config.urlTemplate, detail);
      if (screen.json) screen.printJson(detailJson(detail, url));
      else await printDetail(screen, detail, url);
    });
  });
};
