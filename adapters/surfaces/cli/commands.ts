/**
 * All commands. To add one: a file in commands/ that exports a `Define`, and its name here. A definition is light; what
 * the command needs is imported when it runs.
 */
import type { Define } from "./cli.ts";
import { defineCard } from "./commands/card.ts";
import { defineDemo } from "./commands/demo.ts";
import { defineDoctor } from "./commands/doctor.ts";
import { definePage } from "./commands/page.ts";
import { definePath } from "./commands/path.ts";
import { defineProbe } from "./commands/probe.ts";
import { defineProxy } from "./commands/proxy.ts";
import { defineQueue } from "./commands/queue.ts";
import { defineTools } from "./commands/tools.ts";
import { defineWorker } from "./commands/worker.ts";

export const COMMANDS: readonly Define[] = [
  defineDemo,
  defineProxy,
  defineQueue,
  definePage,
  defineTools,
  defineProbe,
  defineCard,
  definePath,
  defineWorker,
  defineDoctor,
];
