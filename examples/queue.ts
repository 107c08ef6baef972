/** What waits for a person in ./indoubt.db, in code; `indoubt queue list` does the same. Run: npx tsx examples/queue.ts */
import { sqliteStore } from "../adapters/stores/sqlite/index.ts";
import { createGuard } from "../src/index.ts";

// #region queue
const guard = createGuard({ store: sqliteStore() });
const { items } = await guard.queue.list();
for (const { id } of items) {
  const { server, tool, state, ageMs, arguments: args, next } = await guard.queue.show(id);
  console.log(`${id}  ${server}.${tool} ${JSON.stringify(args)}`);
  console.log(`  ${state} for ${Math.round(ageMs / 1000)} s. ${next}`);
}
await guard.close();
// #endregion
