import {
  actorOf,
  type CommonOptions,
  commandName,
  type Define,
  optionsOf,
  screenOf,
  withCommon,
  withGuard,
} from "../cli.ts";
import { UsageError } from "../exit.ts";
import { toolNamed } from "../reviewing.ts";
import { quoted, visible, wrapped } from "../text.ts";

interface Options extends CommonOptions {
  readonly server?: string;
  readonly reason?: string;
  readonly actor?: string;
}

const EXAMPLES = `
Examples:
  indoubt tools resume                                             what is suspended, and why
  indoubt tools resume create_invoice --reason "one invoice, looked in the ledger"

Puts the contract and the read declaration of a tool back in force, in every
process. After drift a review is the way: a program that starts with the old
lock would suspend the tool again.`;

export const defineToolsResume: Define = (parent) => {
  const command = parent
    .command("resume")
    .description("what is out of force; with a tool and a reason: put it back")
    .argument("[tool]", "its name, or server/tool")
    .option("--server <name>", "the server, where several have such a tool")
    .option("--reason <text>", "why; needed, and on record")
    .option("--actor <name>", "who decides (default: the system user)");
  withCommon(command).addHelpText("after", EXAMPLES);
  command.action(async (name: string | undefined) => {
    const options = optionsOf<Options>(command);
    const screen = screenOf(options);
    await withGuard(options, screen, async (setup) => {
      const { suspensions } = setup.guard;
      const list = await suspensions.list();
      if (name === undefined) {
        if (screen.json) screen.printJson({ items: list });
        else if (list.length === 0) screen.print("Nothing is suspended.");
        for (const { server, tool, reason, actor, detail } of screen.json ? [] : list) {
          screen.print(`${quoted(server)} ${quoted(tool)}: ${visible(reason)}, by ${quoted(actor)}`);
          for (const seen of inWords(detail)) {
            for (const line of wrapped(seen, screen.measure, "  ")) screen.print(line);
          }
        }
        if (list.length > 0) {
          const name = commandName();
          screen.note(
            `Back in force: after a change by ${name} tools review, else by ${name} tools resume TOOL --reason "…"`,
          );
        }
        return;
      }
      const named = toolNamed(setup, name, options.server);
      if (!list.some(({ server, tool }) => server === named.server && tool === named.tool)) {
        throw new UsageError(`${quoted(name)} is not suspended.`, "See `indoubt tools resume`.");
      }
      if (!options.reason?.trim()) throw new UsageError("A decision needs a reason.", 'Add --reason "…".');
      await suspensions.lift({ ...named, actor: actorOf(options), reason: options.reason });
      if (screen.json) screen.printJson({ ...named, resumed: true });
      else screen.print(`${quoted(named.tool)} of ${quoted(named.server)} is back in force.`);
    });
  });
};

/** What was seen: the record keeps facts, with our words for them where there are some. */
function inWords(detail: string | undefined): readonly string[] {
  if (!detail) return [];
  try {
    const { words } = JSON.parse(detail) as { words?: unknown };
    if (Array.isArray(words) && words.length > 0) return words.map(String);
  } catch {
    // It was cut, or is no JSON.
  }
  return [detail];
}
