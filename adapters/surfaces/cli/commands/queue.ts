/** `indoubt queue …`: what waits for a person. */
import { type Define, withCommon } from "../cli.ts";
import { defineCorrect } from "./queue-correct.ts";
import { defineExport } from "./queue-export.ts";
import { defineJournal } from "./queue-journal.ts";
import { defineList } from "./queue-list.ts";
import { defineResolve } from "./queue-resolve.ts";
import { defineShow } from "./queue-show.ts";
import { defineStats } from "./queue-stats.ts";
import { defineWatch } from "./queue-watch.ts";

const COMMANDS: readonly Define[] = [
  defineList,
  defineShow,
  defineResolve,
  defineCorrect,
  defineWatch,
  defineStats,
  defineJournal,
  defineExport,
];

export const defineQueue: Define = (parent, exitWith) => {
  const queue = withCommon(parent.command("queue")).description(
    "what waits for a person: list, show, resolve, correct, watch, stats, journal, export",
  );
  for (const define of COMMANDS) define(queue, exitWith);
};
