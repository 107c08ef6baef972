import type { QueueStats, ToolStats } from "../../../../src/entries/queue.ts";
import { type CommonOptions, type Define, optionsOf, screenOf, withCommon, withGuard } from "../cli.ts";
import type { Screen } from "../screen.ts";
import { statsJson } from "../shapes.ts";
import { type Column, printTable } from "../table.ts";
import { duration, visible } from "../text.ts";

const EXAMPLES = `
Examples:
  indoubt queue stats
  indoubt queue stats --json | jq .oldest_unresolved_ms

LANDED of DOUBTS: what silence turned out to be. Where most of it landed, the
deadline is too short or the server too slow.`;

export const defineStats: Define = (parent) => {
  const command = parent.command("stats").description("counts by state and tool, and what silence turned out to be");
  withCommon(command).addHelpText("after", EXAMPLES);
  command.action(async () => {
    const options = optionsOf<CommonOptions>(command);
    const screen = screenOf(options);
    await withGuard(options, screen, async ({ guard }) => {
      const stats = await guard.queue.stats();
      if (screen.json) screen.printJson(statsJson(stats));
      else await print(screen, stats);
    });
  });
};

const COLUMNS: readonly Column<ToolStats>[] = [
  { title: "TOOL", value: ({ server, tool }) => `${server}.${tool}`, least: 16 },
  { title: "WAITING", value: ({ attention }) => `${attention}`, right: true },
  { title: "DOUBTS", value: ({ doubts }) => `${doubts}`, right: true },
  { title: "LANDED", value: ({ landed }) => `${landed}`, right: true },
  { title: "NOT", value: ({ notLanded }) => `${notLanded}`, right: true },
  { title: "RESENT", value: ({ resent }) => `${resent}`, right: true },
  { title: "NOT KNOWN", value: ({ undecided }) => `${undecided}`, right: true },
  {
    title: "LANDED AFTER",
    value: ({ medianLandingMs }) => (medianLandingMs === undefined ? "-" : seconds(medianLandingMs)),
    right: true,
  },
];

async function print(screen: Screen, stats: QueueStats): Promise<void> {
  const least = stats.truncated ? "at least " : "";
  const oldest =
    stats.oldestUnresolvedMs === undefined ? "" : `; the oldest is ${duration(stats.oldestUnresolvedMs)} old`;
  const waiting = `${stats.attention} ${stats.attention === 1 ? "waits" : "wait"} for a person${oldest}`;
  const rest = `${least}${stats.open} more ${stats.open === 1 ? "is" : "are"} under way, or settled and not closed yet`;
  screen.print(`${least}${waiting}. ${rest}.`);
  const states = Object.entries(stats.byState).map(([state, count]) => `${state} ${count}`);
  if (states.length > 0) screen.print(states.join("  "));
  if (stats.tools.length === 0) return;
  screen.print();
  await printTable(screen, COLUMNS, stats.tools);
  for (const line of stats.tools.flatMap(sentence)) screen.print(line);
}

/** The figure that says which deadline or server to mend. */
function sentence({ server, tool, doubts, landed, notLanded, resent, medianLandingMs }: ToolStats): string[] {
  if (landed + notLanded + resent === 0) return [];
  const after = medianLandingMs === undefined ? "" : `, after ${seconds(medianLandingMs)} at the median`;
  const again = resent === 0 ? "" : `; ${resent} ${resent === 1 ? "was" : "were"} settled by sending again`;
  return [
    `Of ${doubts} ${doubts === 1 ? "silence" : "silences"} of ${visible(server)}.${visible(tool)}, ${landed} had landed${after}${again}.`,
  ];
}

const seconds = (ms: number): string => (ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : duration(ms));
