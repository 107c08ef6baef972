/** Other guards against repeats, each set up as its own documentation says, with one face for all. */
import { createHash } from "node:crypto";
import { IdempotencyConfig, makeIdempotent } from "@aws-lambda-powertools/idempotency";
import { CachePersistenceLayer } from "@aws-lambda-powertools/idempotency/cache";
import { Idempotency } from "@node-idempotency/core";
import { RedisStorageAdapter } from "@node-idempotency/storage-adapter-redis";
import { createClient } from "@redis/client";
import type { Arguments, Peer, tool } from "../lib/stage.ts";

const DAY = 86_400;

export async function powertools(url: string): Promise<Peer> {
  const client = await createClient({ url }).connect();
  const config = new IdempotencyConfig({ eventKeyJmesPath: "key", expiresAfterSeconds: DAY });
  // Without a context it warns at each call that it cannot tell a time-out.
  config.registerLambdaContext({ getRemainingTimeInMillis: () => 30_000 } as never);
  const persistenceStore = new CachePersistenceLayer({ client });
  const guarded = makeIdempotent(
    async (payload: { key: string; args: Arguments }, run: typeof tool) => run(payload.args),
    { persistenceStore, config, keyPrefix: "bench" },
  );
  const digest = (key: string) => createHash("md5").update(JSON.stringify(key)).digest("base64");
  return {
    call: (key, args, run) => guarded({ key, args }, run),
    keyPattern: (key) => `bench#${digest(key)}`,
    close: () => client.destroy(),
  };
}

export async function nodeIdempotency(url: string): Promise<Peer> {
  const storage = new RedisStorageAdapter({ url });
  await storage.connect();
  const idempotency = new Idempotency(storage, { cacheTTLMS: DAY * 1_000 });
  return {
    async call(key, args, run) {
      const request = { headers: { "idempotency-key": key }, path: "/tools/call", method: "POST", body: args };
      const known = await idempotency.onRequest(request as never);
      if (known) return known.body;
      const body = await run(args);
      await idempotency.onResponse(request as never, { body, additional: { statusCode: 200 } });
      return body;
    },
    keyPattern: (key) => `*${key}*`,
    close: () => storage.disconnect(),
  };
}
