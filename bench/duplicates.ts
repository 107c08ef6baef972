/**
 * `npm run duplicates`: what becomes of a write whose reply is lost, by client. Each caller does what callers do: it tries
 * three times with the same key, and comes back once more a little later. `-- --json` prints one JSON object.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startRedis } from "../test/support/redis.ts";
import { destination, FAULTS, type Fault } from "./lib/lossy-destination.ts";
import { loadPeers } from "./lib/stage.ts";
import { guardedSubject, hookedSubject, peerSubject, plainSubject, type Subject } from "./lib/subjects.ts";

interface DuplicatesRow {
  readonly fault: string;
  readonly client: string;
  readonly guarded: boolean;
  /** Effects that the callers want: one for each operation. */
  readonly wanted: number;
  readonly effects: number;
  /** Operations without an effect, of which neither the caller nor a queue knows. */
  readonly lost: number;
  /** Operations whose caller has no definite answer at the end, and that no queue shows to a person. */
  readonly stuck: number;
  /** Operations with an effect that no record of the client shows. */
  readonly invisible: number;
  /** Operations whose caller was told something that is not so, or that happened more than once. */
  readonly wrong: number;
}

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

const { values } = parseArgs({ options: { json: { type: "boolean", default: false } } });
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
if (values.json) console.log(JSON.stringify({ rows }, null, 1));
else console.table(rows);
await server.stop();
process.exit(0);
