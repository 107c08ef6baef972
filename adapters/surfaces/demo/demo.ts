/**
 * `npm run demo`: a real MCP server does the work, then loses its reply. Four ways to live with that.
 * `--json` prints one object instead; `--folder DIR` keeps the server's own files there.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startBilling } from "./billing.ts";
import {
  billingGuard,
  guardBilling,
  narrate,
  plain,
  type Result,
  withContract,
  withHook,
  withoutHook,
} from "./scenes.ts";
import { bold, dim, green, red, type Screen, silent, terminal } from "./screen.ts";

const { values: options } = parseArgs({
  options: { json: { type: "boolean", default: false }, folder: { type: "string" } },
});
const screen: Screen = options.json ? silent : terminal;
const folder = options.folder ?? mkdtempSync(join(tmpdir(), "indoubt-demo-"));
/** Orders of this run: an earlier run's charge may still be in doubt in the same store. */
const run = Date.now().toString(36).slice(-4);

screen.say("A billing server writes, and its reply gets lost. The agent hears nothing.");

const lost = ["create_invoice", "charge_card", "create_payment"];
const [unguarded, billing] = await Promise.all([
  startBilling(join(folder, "plain"), lost),
  startBilling(join(folder, "guarded"), lost),
]);
const { tools } = await unguarded.client.listTools();
const reviewed = tools.find(({ name }) => name === "create_payment");
if (!reviewed) throw new Error("The billing server has no create_payment.");

screen.title("1  Without indoubt: SDK client and p-retry");
const first = await plain({ billing: unguarded, screen, order: `${run}-1` });

const guard = billingGuard("./indoubt.db", reviewed);
narrate(guard, screen);
const client = await guardBilling(guard, billing);

screen.title("2  indoubt with a reconcile hook");
const second = await withHook({ billing, screen, order: `${run}-2` }, client);

screen.title("3  indoubt without a hook");
const third = await withoutHook({ billing, screen, order: `${run}-3` }, client);

screen.title("4  indoubt with a contract");
const fourth = await withContract({ billing, screen, order: `${run}-4` }, client);

const waiting = await queued(`charge_card`);
await guard.close();
await Promise.all([unguarded.client.close(), billing.client.close()]);
if (options.folder === undefined) rmSync(folder, { recursive: true });

if (options.json) printJson();
else printTable();

/** The charge escalates to the queue when a lost write can no longer land. */
async function queued(tool: string): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    await guard.sweep();
    const { items } = await guard.queue.list({ tool, limit: 1_000 });
    if (items.some(({ ageMs }) => ageMs < 60_000)) return items.length;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("The charge did not reach the queue.");
}

function printTable(): void {
  const row = (name: string, { calls, sent, effects }: Result, kind: string, note: string) => {
    const verdict = effects === 1 ? green(`1 ${kind}`.padEnd(13)) : red(`${effects} ${kind}s`.padEnd(13));
    screen.say(`  ${name.padEnd(28)}${String(calls).padStart(5)}${String(sent).padStart(6)}   ${verdict}${dim(note)}`);
  };
  screen.say();
  screen.say(bold(`  ${"".padEnd(28)}calls  sent   in the server's file`));
  row("SDK client and p-retry", first, "invoice", "one too many");
  row("indoubt, reconcile hook", second, "invoice", "found, not repeated");
  row("indoubt, no hook", third, "charge", "held; a person decides");
  row("indoubt, contract", fourth, "payment", "sent again, same key");
  screen.say();
  screen.say(
    `  ${waiting === 1 ? "1 charge waits" : `${waiting} charges wait`} in the queue of ./indoubt.db: npx tsx examples/queue.ts`,
  );
}

function printJson(): void {
  const short = ({ calls, effects }: Result) => ({ calls, effects });
  const all = { plain: short(first), indoubt: short(second), no_hook: short(third), contract: short(fourth) };
  process.stdout.write(`${JSON.stringify(all)}\n`);
}
