/** The queue of ./indoubt.db as a web page. Run: npx tsx examples/page.ts, and open the printed link. */
import { once } from "node:events";
import { sqliteStore } from "../adapters/stores/sqlite/index.ts";
import { startPage } from "../adapters/surfaces/page/index.ts";
import { createGuard } from "../src/index.ts";

// #region page
const guard = createGuard({ store: sqliteStore() });
const page = await startPage({ guard, port: Number(process.env.PORT ?? 4747) });
console.log(page.url); // Signs one browser in, once.
// #endregion

await once(process, "SIGTERM");
await page.close();
await guard.close();
