/**
 * Writes one mail: `npx tsx agent.ts TO [--dies]`, in the folder of ./indoubt.db. With `--dies` the mail server dies after
 * the mail is out, and the mail is written once more: a model that sees no success asks again.
 */
import { fileURLToPath } from "node:url";
// #region imports
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { guardClient } from "../../adapters/mcp/index.ts";
import { sqliteStore } from "../../adapters/stores/sqlite/index.ts";
import { createGuard } from "../../src/index.ts";

// #endregion

const [to = "", dies] = process.argv.slice(2);
const program = ["--import", import.meta.resolve("tsx"), fileURLToPath(new URL("./server.ts", import.meta.url))];
const connect = () => {
  const args = [...program, ...(dies ? ["--dies-after", to] : [])];
  return new StdioClientTransport({ command: process.execPath, args });
};

// #region guard
const guard = createGuard({
  store: sqliteStore(),
  // No hook and no contract. A mail whose answer is lost is out or not after a second, and a person may look.
  servers: { mail: { tools: { send_mail: { settle: "1s" } } } },
});
const mail = guardClient(guard, "mail", new Client({ name: "clerk", version: "1.0.0" }));
// #endregion
const call = { name: "send_mail", arguments: { to, subject: "Your invoice", body: "It is 90 EUR." } };
for (const time of dies ? ["first", "again"] : ["later"]) {
  await mail.connect(connect()); // The host starts a dead server again.
  const { kind, recalled, heldBy } = await mail.perform(call);
  const how = recalled ? ", from the record" : heldBy ? ", held: nothing is sent" : "";
  // Unresolved is uncertain, and waits for a person.
  const doubt = kind === "uncertain" || kind === "unresolved";
  console.log(`${time}: ${doubt ? "in doubt" : kind}${how}`);
  await mail.close();
}
await guard.close();
