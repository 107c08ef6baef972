/**
 * `npm run bench`: what a guard costs, as ratios. `-- --json` prints one JSON object, `-- --only NAME` runs one work,
 * `-- --quick` takes a tenth of the calls, `-- --million` adds a store with a million records to the growth work.
 */
import { parseArgs } from "node:util";
import { machine, versions } from "./lib/machine.ts";
import type { Row } from "./lib/measure.ts";
import { printTable } from "./lib/table.ts";
import { largeArguments } from "./works/arguments.ts";
import { farStore } from "./works/far-store.ts";
import { growth } from "./works/growth.ts";
import { mcpCalls } from "./works/mcp-calls.ts";
import { page } from "./works/page.ts";
import { proxyHop } from "./works/proxy-hop.ts";
import { proxyMemory } from "./works/proxy-memory.ts";
import { queue } from "./works/queue.ts";
import { redisWrites } from "./works/redis-writes.ts";
import { sqliteWrites } from "./works/sqlite-writes.ts";

export interface Stage {
  /** The number of calls in a round, made smaller by `--quick`. */
  readonly scale: (n: number) => number;
  readonly million: boolean;
}

export type Work = (stage: Stage) => Promise<Row[]>;

const WORKS: Readonly<Record<string, Work>> = {
  redis: redisWrites,
  far: farStore,
  sqlite: sqliteWrites,
  mcp: mcpCalls,
  proxy: proxyHop,
  "proxy-memory": proxyMemory,
  growth,
  queue,
  page,
  arguments: largeArguments,
};

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    only: { type: "string", multiple: true },
    quick: { type: "boolean", default: false },
    million: { type: "boolean", default: false },
  },
});
const stage: Stage = {
  scale: (n) => (values.quick ? Math.max(20, Math.round(n / 10)) : n),
  million: values.million,
};
const chosen = values.only ?? Object.keys(WORKS);
const rows: Row[] = [];
for (const name of chosen) {
  const work = WORKS[name];
  if (!work) throw new Error(`There is no work "${name}". There are: ${Object.keys(WORKS).join(", ")}.`);
  const found = await work(stage);
  rows.push(...found);
  if (!values.json) printTable(found);
}
if (values.json) console.log(JSON.stringify({ machine: machine(), versions: versions(), rows }, null, 1));
process.exit(0);
