/**
 * Hear of it when a write waits for a person: the guard posts, a receiver of yours checks the post.
 * Run: INDOUBT_WEBHOOK_SECRET=$(openssl rand -hex 32) npx tsx examples/webhook.ts
 */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
// #region imports
import { sqliteStore } from "../adapters/stores/sqlite/index.ts";
import { webhook } from "../adapters/webhook/index.ts";
import { createGuard } from "../src/index.ts";
// #endregion
import { lostRefund } from "./support/lost-refund.ts";
import { receiver } from "./webhook-receiver.ts";

receiver.listen(0, "127.0.0.1");
await once(receiver, "listening");
const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks/indoubt`;
const secret = process.env.INDOUBT_WEBHOOK_SECRET ?? ""; // 32 random bytes, the same on both sides.
const servers = { psp: { tools: { refund: { settle: "1s" } } } } as const;

// #region sender
const guard = createGuard({ store: sqliteStore(), servers, sweepEvery: "1s" });
const hook = webhook(guard, { url, secret, pageUrl: "https://queue.acme.example" });
// #endregion

await guard.start();
await lostRefund(guard);
await once(receiver, "request");

// #region close
await hook.close(); // What waits goes out first, for 5 s at most.
await guard.close();
// #endregion
receiver.close();
