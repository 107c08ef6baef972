/**
 * Mail cannot be looked up: when the reply is lost, a person decides. One doubt is settled through the API, another one
 * through the command line. Run: npx tsx examples/mail/run.ts
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { sqliteStore } from "../../adapters/stores/sqlite/index.ts";
import { createGuard } from "../../src/index.ts";

const cwd = mkdtempSync(join(tmpdir(), "indoubt-mail-"));
process.once("exit", () => rmSync(cwd, { recursive: true, force: true }));
function program(file: string, ...args: string[]): string {
  const words = ["--import", import.meta.resolve("tsx"), fileURLToPath(new URL(file, import.meta.url)), ...args];
  return execFileSync(process.execPath, words, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
}
const indoubt = (...args: string[]): string => program("../../adapters/surfaces/cli/bin.ts", ...args);
const mails = (): number => readFileSync(join(cwd, "outbox.jsonl"), "utf8").trim().split("\n").length;
const tell = (who: string, what: string): void => console.log(what.replace(/^/gm, `${who}: `));

tell("a mail to acme", program("./agent.ts", "acme", "--dies"));
tell("a mail to globex", program("./agent.ts", "globex", "--dies"));
console.log(`mails: ${mails()}`);

// #region api
const guard = createGuard({ store: sqliteStore({ file: join(cwd, "indoubt.db") }) });
await guard.start(); // Hands to people what nothing else can settle; `indoubt worker` does the same.
let { items } = await guard.queue.list();
while (items.length < 2) {
  await sleep(200);
  ({ items } = await guard.queue.list());
}
for (const { id } of items) {
  const { version, arguments: mail } = await guard.queue.show(id);
  if ((mail as { to?: string }).to !== "acme") continue;
  const reason = "acme has confirmed that the mail is there";
  const { state } = await guard.queue.resolve(id, { verdict: "applied", version, actor: "you", reason });
  console.log(`through the API: ${state}`);
}
await guard.close();
// #endregion

const waiting = JSON.parse(indoubt("queue", "list", "--json")) as { items: { id: string; version: number }[] };
for (const { id, version } of waiting.items) {
  const words = ["--version", `${version}`, "--reason", "it is in the log of the mail provider", "--json"];
  const { state } = JSON.parse(indoubt("queue", "resolve", id, "applied", ...words)) as { state: string };
  console.log(`through the command line: ${state}`);
}
tell("a mail to acme", program("./agent.ts", "acme"));
console.log(`mails: ${mails()}`);
