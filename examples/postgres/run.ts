/**
 * Inserts into PostgreSQL, with an SQL probe: the server dies after the commit, and then before it.
 * Run: DATABASE_URL=postgres://localhost/test npx tsx examples/postgres/run.ts; it makes a table `orders`.
 */
import { fileURLToPath } from "node:url";
// #region imports
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import pg from "pg";
import { guardClient } from "../../adapters/mcp/index.ts";
import { sqlProbe } from "../../adapters/reconcilers/index.ts";
import { sqliteStore } from "../../adapters/stores/sqlite/index.ts";
import { createGuard } from "../../src/index.ts";

// #endregion

const { DATABASE_URL } = process.env;
if (!DATABASE_URL) throw new Error("Set DATABASE_URL to a database in which a table orders may be made.");
const pool = new pg.Pool({ connectionString: DATABASE_URL });
await pool.query(
  "create table if not exists orders (id bigserial primary key, item text, count int, reference text unique)",
);

// #region guard
const guard = createGuard({
  store: sqliteStore(),
  servers: {
    orders: {
      tools: {
        insert_order: {
          marker: { argument: "/reference" }, // Our key, in a column that can be asked for.
          reconcile: sqlProbe({
            query: (sql, values, signal) => ask(sql, [...values], signal),
            sql: "select id, item from orders where reference = $1",
            values: ["{{key}}"],
            found: { filtered: true, ref: "/id" },
            settle: "2s", // How long a lost insert can still be committed.
            staleness: 0, // The primary is asked, no replica.
          }),
        },
      },
    },
  },
});
await guard.start();
const orders = guardClient(guard, "orders", new Client({ name: "clerk", version: "1.0.0" }));

/** Reads only, whatever the statement says. */
async function ask(sql: string, values: unknown[], signal: AbortSignal): Promise<object[]> {
  const client = await pool.connect();
  signal.addEventListener("abort", () => client.release(true), { once: true });
  try {
    await client.query("begin read only");
    const { rows } = await client.query(sql, values);
    await client.query("commit");
    return rows;
  } finally {
    if (!signal.aborted) client.release();
  }
}
// #endregion

/** The host starts a dead server again. */
async function connect(...dies: string[]): Promise<void> {
  const file = fileURLToPath(new URL("./server.ts", import.meta.url));
  const args = ["--import", import.meta.resolve("tsx"), file, ...dies];
  const env = { PATH: process.env.PATH ?? "", DATABASE_URL: DATABASE_URL ?? "" };
  await orders.connect(new StdioClientTransport({ command: process.execPath, args, env }));
}
const day = `${Date.now()}`;
const order = (item: string) => ({ name: "insert_order", arguments: { item: `${item} ${day}`, count: 2 } });
const rows = async (item: string): Promise<number> =>
  (await pool.query("select 1 from orders where item = $1", [`${item} ${day}`])).rows.length;

await connect("--dies", "after-commit");
const committed = await orders.perform(order("chairs"));
console.log(`the server dies after the commit: ${committed.kind}; rows: ${await rows("chairs")}`);
await orders.close();

await connect("--dies", "before-commit");
const open = await orders.perform(order("tables"));
console.log(`the server dies before the commit: ${open.kind}; rows: ${await rows("tables")}`);
await orders.close();

await connect();
const held = await orders.perform(order("tables"));
console.log(
  `the same order at once: ${held.kind}, held: ${held.heldBy === open.operation}; rows: ${await rows("tables")}`,
);
await settled(open.operation);
const again = await orders.perform(order("tables"));
console.log(`once two looks have found nothing: ${again.kind}; rows: ${await rows("tables")}`);
await orders.close();

/** Resolves when the operation is no longer in doubt. */
function settled(operation: string | undefined): Promise<void> {
  return new Promise((resolve) => {
    guard.on("transition", (event) => {
      if (event.operation === operation && event.to === "not_applied") resolve();
    });
  });
}
await guard.close();
await pool.end();
