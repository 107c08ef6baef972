/**
 * Payments under a contract: a lost reply is followed by a second send with the same key, and the API makes one charge.
 * Run: npx tsx examples/payments/run.ts
 */
// #region imports
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { guardClient, guardFetch } from "../../adapters/mcp/index.ts";
import { sqliteStore } from "../../adapters/stores/sqlite/index.ts";
import { createGuard, toolFingerprint } from "../../src/index.ts";
// #endregion
import { startServer } from "../support/start-server.ts";
import { paymentApi } from "./api.ts";

const api = await paymentApi();
const day = `${Date.now()}`;

// #region guard
/** What `toolFingerprint` says of the definition that was reviewed. */
const PIN = "Uo4WFfb9osPD";
const guard = createGuard({
  store: sqliteStore(),
  servers: {
    payments: {
      tools: {
        create_charge: {
          contract: {
            preset: "stripe", // 24 hours, overlaps are rejected, other parameters are rejected, answers are stored.
            key: { argument: "/idempotency_key" },
            review: { source: "examples/payments/README.md", by: "you", on: "2026-11-30" },
            pin: { tool: PIN },
          },
          toolErrors: [
            { at: "/structuredContent/code", equals: "invalid_request", means: "no_effect" },
            { at: "/structuredContent/code", equals: "idempotency_error", means: "no_effect" },
            { at: "/structuredContent/code", equals: "idempotency_key_in_use", means: "retryable" },
          ],
        },
      },
    },
  },
});
await guard.start();
// #endregion

/** A server whose first reply is lost, and a guarded client. */
async function payments(lose: "after_work" | "during_work") {
  const server = await startServer(new URL("./server.ts", import.meta.url), { API_URL: api.url, LOSE: lose });
  const client = guardClient(guard, "payments", new Client({ name: "clerk", version: "1.0.0" }));
  const fetch = guardFetch(guard, { server: "payments" });
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url), { fetch }) as never);
  const { tools } = await client.listTools(); // The guard compares the live definition with the pin.
  for (const tool of tools) if (toolFingerprint(tool) !== PIN) throw new Error(`Review ${tool.name} again.`);
  return {
    charge: (customer: string, amount: number, operationId: string) =>
      client.perform({ name: "create_charge", arguments: { customer, amount, currency: "eur" } }, { operationId }),
    async close() {
      await client.close();
      server.close();
    },
  };
}
const tell = (what: string) => {
  const answers = api.asked.splice(0).map(({ status, replayed }) => `${status}${replayed ? " replayed" : ""}`);
  console.log(`${what}; the API answered: ${answers.join(", ") || "nothing"}; charges: ${api.charges.length}`);
};

const late = await payments("after_work");
const lost = await late.charge(`acme-${day}`, 9000, `order-1-${day}`);
tell(`the reply is lost after the work: ${lost.kind}, sends: ${lost.attempts}`);
const again = await late.charge(`acme-${day}`, 9000, `order-1-${day}`);
tell(`the same operation again: ${again.kind}, recalled: ${again.recalled}`);
const other = await late.charge(`acme-${day}`, 9999, `order-1-${day}`);
tell(`the same operation with another amount: ${other.kind}`);
await late.close();

api.pace.work = 800;
const early = await payments("during_work");
const overlapped = await early.charge(`globex-${day}`, 4000, `order-2-${day}`);
tell(`the reply is lost while the API still works: ${overlapped.kind}, sends: ${overlapped.attempts}`);
await early.close();

await guard.close();
api.close();
