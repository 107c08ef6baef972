/**
 * `destination.ts LOG`: the service behind the tool, a process of its own. `POST /payments` makes one effect, a line in
 * LOG that is synced before the answer; `GET /payments?order=…` looks. Says its port on stdout.
 */
import { fsyncSync, openSync, writeSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";

const log = openSync(process.argv[2] ?? "", "a");
const payments = new Map<string, number>();

/** Work before and after the effect, so that a client can die on either side of it. */
const work = () => sleep(Math.random() * 4);

async function pay(order: string): Promise<void> {
  await work();
  writeSync(log, `${order}\n`);
  fsyncSync(log);
  payments.set(order, (payments.get(order) ?? 0) + 1);
  await work();
}

const server = createServer(async (request, response) => {
  const { searchParams } = new URL(request.url ?? "/", "http://localhost");
  if (request.method === "POST") {
    const { order } = JSON.parse(await text(request)) as { order: string };
    await pay(order);
    response.end(JSON.stringify({ ref: `payment-of-${order}` }));
  } else {
    const order = searchParams.get("order") ?? "";
    response.end(JSON.stringify({ count: payments.get(order) ?? 0, ref: `payment-of-${order}` }));
  }
});
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port));
