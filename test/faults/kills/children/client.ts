/**
 * `client.ts WORLD NAME LANES`: makes guarded calls until it is killed, and says on stdout, unbuffered, what it is about
 * to do: `call ORDER`, `send ORDER OPERATION`, `done ORDER OUTCOME`.
 */
import { writeSync } from "node:fs";
import { paymentGuard, paymentOf, paymentWire, type World } from "../payments.ts";

const [world = "", name = "", lanes = "1"] = process.argv.slice(2);
const { store, destination } = JSON.parse(world) as World;
const guard = paymentGuard({ store, destination });
const say = (line: string): void => void writeSync(1, `${line}\n`);
let next = 0;

async function lane(): Promise<void> {
  for (;;) {
    const order = `${name}-${next++}`;
    say(`call ${order}`);
    const wire = paymentWire(destination, (operation) => say(`send ${order} ${operation}`));
    const outcome = await guard.perform(paymentOf(order), wire);
    say(`done ${order} ${outcome.kind}`);
    guard.delivered(outcome);
  }
}

await guard.queue.list();
await Promise.all(Array.from({ length: Number(lanes) }, lane));
