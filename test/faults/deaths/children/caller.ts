/**
 * `caller.ts PLAN`: one guarded call, its delivery and one sweep, in a process that ends without a word at the port call
 * that PLAN names. Says `sent OPERATION` before a hand-over, `heard OUTCOME` when the caller has it, `dies …` at its death.
 */
import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { callOf, type Plan, reaper, shopGuard, shopWire } from "../shop.ts";

const plan = JSON.parse(process.argv[2] ?? "") as Plan;
const say = (line: string): void => void writeSync(1, `${line}\n`);
const reap = reaper(plan.death);
const guard = shopGuard(plan, reap);
const outcome = await guard.perform(
  callOf(plan),
  shopWire(plan, reap, (operation) => say(`sent ${operation}`)),
);
say(`heard ${outcome.kind}`);
guard.delivered(outcome);
await sleep(100);
await guard.sweep();
await guard.close();
