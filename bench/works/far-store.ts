/** A store that is 1 ms away: what counts then is the number of round trips. */

import { countingProxy } from "../../test/faults/concurrency/counting-proxy.ts";
import { startRedis } from "../../test/support/redis.ts";
import { redisStore } from "../lib/built.ts";
import { type Case, interleave } from "../lib/measure.ts";
import { setTwice } from "../lib/same-work.ts";
import { argumentsOf, guardedCall, guardOn, loadPeers, tool } from "../lib/stage.ts";
import type { Work } from "../run.ts";

/** ms that each request is held. */
const AWAY = 1;

export const farStore: Work = async ({ scale }) => {
  const server = await startRedis({ appendfsync: "everysec" });
  const path = await countingProxy(server.port, AWAY);
  const url = `redis://127.0.0.1:${path.port}`;
  const guard = guardOn(redisStore({ url, namespace: "bench", commandTimeout: 20_000 }));
  const powertools = await (await loadPeers()).powertools(url);
  const cases: Case[] = [
    { name: "indoubt", run: (n) => guardedCall(guard, n), close: () => guard.close() },
    await setTwice(url),
    {
      name: "Powertools",
      run: (n) => powertools.call(`far-${n}`, argumentsOf(n), tool),
      close: () => powertools.close(),
    },
  ];
  const rows = await interleave({ work: "clean write, store 1 ms away", n: scale(200) }, cases);
  for (const each of cases) await each.close?.();
  await path.close();
  await server.stop();
  return rows;
};
