/**
 * `npm run duplicates`: what becomes of a write whose reply is lost, by client. Each caller does what callers do: it tries
 * three times with the same key, and comes back once more a little later. Then over MCP: SDKs and agent frameworks as
 * people have them, each without indoubt and behind it, with a model that asks again while it sees no success.
 * `-- --json` prints one JSON object, `-- --markdown` the table over MCP, `-- --chart FILE` draws it as SVG.
 */
import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Redis } from "ioredis";
import { startRedis } from "../test/support/redis.ts";
import { MCP_FAULTS, measureOverMcp } from "./clients/duplicates-over-mcp.ts";
import { frameworkClients } from "./clients/framework-clients.ts";
import { sdkClients } from "./clients/sdk-clients.ts";
import { chartOf, markdownOf } from "./lib/duplicates-chart.ts";
import type { DuplicatesRow } from "./lib/duplicates-row.ts";
import { destination, FAULTS, type Fault } from "./lib/lossy-destination.ts";
import { loadPeers } from "./lib/stage.ts";
import { guardedSubject, hookedSubject, peerSubject, plainSubject, type Subject } from "./lib/subjects.ts";

const OPERATIONS = 20;
const TRIES = 3;

async function runOne(subject: Subject, fault: Fault, n: number) {
  const service = destination(fault);
  const key = `${fault.name}-${subject.name}-${n}`;
  const call = () => subject.call(key, service);
  let told = fault.atOnce ? ((await Promise.all([call(), call()])).at(-1) ?? "unknown") : await call();
  for (let attempt = 1; attempt < TRIES && told === "unknown"; attempt += 1) told = await call();
  if (told === "unknown") {
    await sleep(200);
    await subject.recover?.();
    told = await call();
  }
  const effects = service.effects();
  return { told, effects, isKnown: await subject.isOnRecord(key), isInQueue: await subject.isInQueue(key) };
}

async function measure(subject: Subject, fault: Fault): Promise<DuplicatesRow> {
  const all = await Promise.all(Array.from({ length: OPERATIONS }, (_, n) => runOne(subject, fault, n)));
  const count = (matches: (one: (typeof all)[number]) => boolean) => all.filter(matches).length;
  return {
    fault: fault.name,
    client: subject.name,
    guarded: subject.guarded,
    wanted: OPERATIONS,
    effects: all.reduce((sum, { effects }) => sum + effects, 0),
    lost: count(({ effects, told, isInQueue }) => effects === 0 && told !== "not_done" && !isInQueue),
    stuck: count(({ told, isInQueue }) => told === "unknown" && !isInQueue),
    invisible: count(({ effects, isKnown }) => effects > 0 && !isKnown),
    wrong: count(({ effects, told }) => effects > 1 || ((told === "done") !== effects > 0 && told !== "unknown")),
  };
}

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    markdown: { type: "boolean", default: false },
    chart: { type: "string" },
  },
});
const server = await startRedis();
const peers = await loadPeers();
const rows: DuplicatesRow[] = [];
for (const fault of FAULTS) {
  const subjects = [
    plainSubject(),
    await peerSubject("Powertools", peers.powertools, server.url),
    await peerSubject("@node-idempotency", peers.nodeIdempotency, server.url),
    guardedSubject(server.url),
    hookedSubject(server.url),
  ];
  for (const subject of subjects) {
    rows.push(await measure(subject, fault));
    await subject.close?.();
  }
}
const overMcp: DuplicatesRow[] = [];
const redis = new Redis(server.url);
for (const fault of MCP_FAULTS) {
  const powertools = await peers.powertools(server.url);
  const isOnRecord = async (key: string) => (await redis.keys(powertools.keyPattern(key))).length > 0;
  for (const client of [...sdkClients(powertools, isOnRecord), ...frameworkClients]) {
    for (const guarded of [false, true]) overMcp.push(await measureOverMcp(client, fault, guarded));
  }
  await powertools.close();
}
redis.disconnect();
rows.push(...overMcp);
if (values.chart !== undefined) writeFileSync(values.chart, chartOf(overMcp));
if (values.json) console.log(JSON.stringify({ rows }, null, 1));
else if (values.markdown) console.log(markdownOf(overMcp));
else console.table(rows);
await server.stop();
process.exit(0);
