/**
 * Share the record between machines. Needs REDIS_URL; INDOUBT_SECRET is the same on every machine.
 * Run: REDIS_URL=redis://localhost:6379 INDOUBT_SECRET=$(openssl rand -hex 32) npx tsx examples/redis.ts
 */
// #region imports
import { guardClient } from "../adapters/mcp/index.ts";
import { redisStore } from "../adapters/stores/redis/index.ts";
import { createGuard } from "../src/index.ts";
// #endregion
import { connectBilling } from "./support/billing.ts";

const { REDIS_URL, INDOUBT_SECRET } = process.env;
if (!REDIS_URL || !INDOUBT_SECRET) throw new Error("Set REDIS_URL and INDOUBT_SECRET (32 random bytes in hex).");
const client = await connectBilling();

// #region redis
const guard = createGuard({
  store: redisStore({ url: REDIS_URL, namespace: "acme-agents" }),
  secret: INDOUBT_SECRET,
});
guard.on("warning", ({ message }) => console.warn(message));
await guard.start(); // Checks the server's settings and starts the sweeper.
const billing = guardClient(guard, "billing", client);
// #endregion

const outcome = await billing.perform({ name: "create_invoice", arguments: { order: "1042", cents: 9000 } });
console.log(`${outcome.kind}: ${outcome.operation}`);
await guard.close();
await client.close();
