import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Card } from "../../../../src/entries/review.ts";
import type { Setup } from "../../setup/index.ts";
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
import { EXIT } from "../exit.ts";
import { wholeNumber } from "../filter.ts";
import { connected, readArguments, toolNamed } from "../reviewing.ts";
import type { Screen } from "../screen.ts";
import { quoted, visible, wrapped } from "../text.ts";

interface Options extends CommonOptions {
  readonly server?: string;
  readonly arguments?: string;
  readonly actor?: string;
  readonly concurrent?: string;
  readonly wait?: string;
  readonly settle?: string;
  readonly denied?: string;
  readonly out?: string;
}

const EXAMPLES = `
Examples:
  indoubt card create_invoice --arguments call.json
  indoubt card create_invoice --arguments call.json --denied billing-readonly --wait 300 --out ./cards

WRITES to the server, again and again: only servers with "environment": "test"
are taken. The tool needs identityArgs, which get fresh values for each trial,
and reconcile, which counts the effects. Writes TOOL.json and TOOL.md into
--out.

--denied names a configured server that is the same one with a sign-in that may
not write. Ends with 8 when the card did not pass. A contract cites it with
review.card.`;

export const defineCard: Define = (parent, exitWith) => {
  const command = parent
    .command("card")
    .description("test what a tool makes of repeats, in a test environment, and write an evidence card")
    .argument("<tool>", "its name, or server/tool")
    .option("--server <name>", "the server, where several have such a tool")
    .option("--arguments <file>", "JSON file with one sound call (- reads stdin)")
    .option("--actor <name>", "who tests (default: the system user)")
    .option("--concurrent <n>", "overlapping repeats (default: 5)")
    .option("--wait <seconds>", "wait for the end of the contract's window, twice, if it comes this soon")
    .option(
      "--settle <seconds>",
      "wait once before all effects are counted again (default: the tool's settle, else 60)",
    )
    .option("--denied <server>", "a configured server: the same, without the right to write")
    .option("--out <folder>", "where the card goes", "./cards");
  withCommon(command).addHelpText("after", EXAMPLES);
  command.action(async (name: string) => {
    const options = optionsOf<Options>(command);
    const screen = screenOf(options);
    await withGuard(
      options,
      screen,
      async (setup) => {
        const { server, tool } = toolNamed(setup, name, options.server);
        const { rawPorts } = await import("../card/ports.ts");
        const ports = rawPorts(setup, server, tool, options.denied);
        const progress = (line: string) => screen.note(`trial: ${line.replaceAll("_", " ")}`);
        const request = {
          server,
          tool,
          arguments: readArguments(options.arguments),
          actor: actorOf(options),
          ...limits(options),
        };
        try {
          const card = await connected(setup, server, () => setup.guard.card(request, { ...ports, progress }));
          await write(screen, options.out ?? "./cards", card);
          if (card.verdict === "passed") return;
          await tellSuspended(setup, screen, server);
          exitWith(EXIT.problems);
        } finally {
          await ports.close();
        }
      },
      { mustExist: false },
    );
  });
};

/** A look through a read that is out of force says nothing, and a card then says little. */
async function tellSuspended({ guard }: Setup, screen: Screen, server: string): Promise<void> {
  const suspended = (await guard.suspensions.list()).filter((each) => each.server === server);
  for (const { tool, reason } of suspended) {
    screen.note(`${quoted(tool)} is out of force (${visible(reason)}); see ${commandName()} tools resume`);
  }
}

const limits = ({ concurrent, wait, settle }: Options) => ({
  ...(concurrent !== undefined && { concurrent: wholeNumber("--concurrent", concurrent, 2, 100) }),
  ...(wait !== undefined && { waitForWindow: wholeNumber("--wait", wait, 1, 86_400) * 1_000 }),
  ...(settle !== undefined && { settle: wholeNumber("--settle", settle, 0, 86_400) * 1_000 }),
});

async function write(screen: Screen, out: string, card: Card): Promise<void> {
  const { cardPage } = await import("../../../../src/entries/review.ts");
  const folder = resolve(out);
  mkdirSync(folder, { recursive: true });
  const stem = card.tool.replaceAll(/[^\w.-]/g, "_");
  const [json, page] = [join(folder, `${stem}.json`), join(folder, `${stem}.md`)];
  writeFileSync(json, `${JSON.stringify(card, null, 2)}\n`);
  writeFileSync(page, cardPage(card));
  if (screen.json) {
    screen.printJson({
      card: json,
      page,
      verdict: card.verdict,
      trials: card.trials,
      contradictions: card.contradictions,
    });
    return;
  }
  const colour = card.verdict === "passed" ? screen.paint.green : screen.paint.red;
  for (const { name, verdict, why } of card.trials) {
    const line = `${name.padEnd(18)} ${verdict.padEnd(13)} ${why}`;
    for (const part of wrapped(line, screen.measure, "", " ".repeat(33))) screen.print(part);
  }
  for (const line of card.contradictions)
    for (const part of wrapped(line, screen.measure, "! ", "  ")) screen.print(part);
  screen.print(colour(`${quoted(card.tool)}: ${card.verdict}`));
  screen.print(`Written: ${visible(json)} and ${visible(page)}`);
}
