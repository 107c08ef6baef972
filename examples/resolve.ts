/** Decide what waits in ./indoubt.db. Run: npx tsx examples/resolve.ts ID applied|not_applied|resend|abandon "why" */
import { userInfo } from "node:os";
import { sqliteStore } from "../adapters/stores/sqlite/index.ts";
import type { Resolution } from "../src/entries/queue.ts";
import { createGuard } from "../src/index.ts";

const [id = "", verdict = "", reason = ""] = process.argv.slice(2);
const actor = userInfo().username;

// #region resolve
const guard = createGuard({ store: sqliteStore() });
const { version } = await guard.queue.show(id); // The version that the person looked at.
const decision = { verdict: verdict as Resolution["verdict"], version, actor, reason };
const settled = await guard.queue.resolve(id, decision);
// #endregion

console.log(`${settled.id} is ${settled.state}, decided by ${actor}: ${reason}`);
await guard.close();
