/** A TCP path to a store that counts round trips, and can make the store further away. */

import type { AddressInfo } from "node:net";
import { connect, createServer, type Socket } from "node:net";

export interface CountingProxy {
  readonly port: number;
  /** Round trips since the last `reset`: bytes went up, an answer came down. */
  trips(): number;
  reset(): void;
  close(): Promise<void>;
}

/** @param delay ms that each request is held on the way */
export async function countingProxy(target: number, delay = 0): Promise<CountingProxy> {
  let trips = 0;
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (client) => {
    const store = connect({ port: target, host: "127.0.0.1", noDelay: true });
    let isWaiting = false;
    client.on("data", (bytes) => {
      if (!isWaiting) trips += 1;
      isWaiting = true;
      if (delay === 0) store.write(bytes);
      else setTimeout(() => store.write(bytes), delay);
    });
    store.on("data", (bytes) => {
      isWaiting = false;
      client.write(bytes);
    });
    for (const [one, other] of [
      [client, store],
      [store, client],
    ] as const) {
      sockets.add(one);
      one.on("error", () => {});
      one.on("close", () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    trips: () => trips,
    reset() {
      trips = 0;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
