/** First calls and repeats on Redis with AOF everysec, beside the floor and beside other guards on the same server. */

import { startRedis } from "../../test/support/redis.ts";
import { redisStore } from "../lib/built.ts";
import { type Case, interleave, type Row } from "../lib/measure.ts";
import { emptyScripts, pings, sameWork, setTwice } from "../lib/same-work.ts";
import { argumentsOf, counted, guardedCall, guardOn, loadPeers, type Peer, silentWire, tool } from "../lib/stage.ts";
import type { Work } from "../run.ts";

const guardFor = (url: string) => guardOn(redisStore({ url, namespace: "bench", commandTimeout: 20_000 }));

async function guarded(url: string): Promise<Case> {
  const guard = guardFor(url);
  const run = Math.random().toString(36).slice(2, 10);
  return { name: "indoubt", run: (n) => guardedCall(guard, `${run}${n}`), close: () => guard.close() };
}

async function peerCase(name: string, make: (url: string) => Promise<Peer>, url: string): Promise<Case> {
  const peer = await make(url);
  const run = Math.random().toString(36).slice(2, 10);
  return {
    name,
    run: (n) => peer.call(`${run}-${n}`, argumentsOf(`${run}${n}`), tool),
    close: () => peer.close(),
  };
}

/** The guard calls an operation of the same id again, or one that another in doubt holds; peers call the same key again. */
async function recalled(url: string): Promise<Case> {
  const guard = guardFor(url);
  const ids = Array.from({ length: 100 }, (_, n) => `recalled-${Math.random()}-${n}`);
  for (const [n, id] of ids.entries()) await guardedCall(guard, n, id);
  return {
    name: "indoubt, recalled",
    run: (n) => guardedCall(guard, n % 100, ids[n % 100]),
    close: () => guard.close(),
  };
}

async function held(url: string): Promise<Case> {
  const guard = guardFor(url);
  const run = Math.random().toString(36).slice(2, 10);
  for (let n = 0; n < 100; n += 1) await guardedCall(guard, `${run}${n}`, undefined, silentWire);
  return { name: "indoubt, held", run: (n) => guardedCall(guard, `${run}${n % 100}`), close: () => guard.close() };
}

async function peerRepeat(name: string, make: (url: string) => Promise<Peer>, url: string): Promise<Case> {
  const peer = await make(url);
  const run = Math.random().toString(36).slice(2, 10);
  for (let n = 0; n < 100; n += 1) await peer.call(`${run}-${n}`, argumentsOf(n), tool);
  return { name, run: (n) => peer.call(`${run}-${n % 100}`, argumentsOf(n % 100), tool), close: () => peer.close() };
}

export const redisWrites: Work = async ({ scale }): Promise<Row[]> => {
  const server = await startRedis({ appendfsync: "everysec" });
  const peers = await loadPeers();
  const on = (make: (url: string) => Promise<Case>) => counted(server.port, make);
  const first = [
    await on(guarded),
    await on(sameWork),
    await on(emptyScripts),
    await on(pings),
    await on(setTwice),
    await on((url) => peerCase("Powertools", peers.powertools, url)),
    await on((url) => peerCase("@node-idempotency", peers.nodeIdempotency, url)),
  ];
  const repeats = [
    await on(recalled),
    await on(held),
    await on((url) => peerRepeat("Powertools, repeat", peers.powertools, url)),
    await on((url) => peerRepeat("@node-idempotency, repeat", peers.nodeIdempotency, url)),
  ];
  const rows = [
    ...(await interleave({ work: "clean write, Redis everysec", n: scale(1_500), rounds: 9 }, first)),
    ...(await interleave({ work: "clean write, Redis everysec", n: scale(4_000), concurrency: 64 }, first)),
    ...(await interleave({ work: "clean write, Redis everysec, after 2 ms of rest", n: scale(150), pause: 2 }, first)),
    ...(await interleave({ work: "repeat, Redis everysec", n: scale(1_500), rounds: 9 }, repeats)),
    ...(await interleave({ work: "repeat, Redis everysec, after 2 ms of rest", n: scale(150), pause: 2 }, repeats)),
    ...(await interleave({ work: "repeat, Redis everysec", n: scale(4_000), concurrency: 64 }, repeats)),
  ];
  for (const each of [...first, ...repeats]) await each.close?.();
  await server.stop();
  return rows;
};
