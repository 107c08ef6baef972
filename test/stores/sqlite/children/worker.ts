/** `worker.ts FILE NAME MS`: 16 workers on one file, some of their operations shared with the other processes. */
import { sqliteStore } from "../../../../adapters/stores/sqlite/index.ts";
import { intent, settle } from "./requests.ts";

const [file = "", name = "", ms = "0"] = process.argv.slice(2);
const store = sqliteStore({ file });
await store.open();

let stall = 0;
let last = performance.now();
const watch = setInterval(() => {
  const now = performance.now();
  stall = Math.max(stall, now - last - 5);
  last = now;
}, 5);

const end = performance.now() + Number(ms);
const report = { calls: 0, sharedCreated: [] as number[], unexpected: 0, stall: 0 };

async function work(worker: number): Promise<void> {
  for (let round = 0; performance.now() < end; round += 1) {
    const own = `${name}-${worker}-${round}`;
    const begun = await store.begin(intent(own, { holds: [own], blockedBy: [own] }));
    const settled = await store.swap(settle(own, { removeHolds: [own] }));
    if (begun.kind !== "created" || settled.kind !== "swapped") report.unexpected += 1;
    const shared = await store.begin(intent(`shared${round}`));
    if (shared.kind === "created") report.sharedCreated.push(round);
    report.calls += 1;
  }
}

await Promise.all(Array.from({ length: 16 }, (_, worker) => work(worker)));
clearInterval(watch);
await store.close();
console.log(JSON.stringify({ ...report, stall }));
