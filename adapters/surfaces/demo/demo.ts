/**
 * `indoubt demo`: a real MCP server does the work, then loses its reply. Four ways to live with that.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Guard } from "../../../src/index.ts";
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
import { newScreen, type Screen, silent } from "./screen.ts";

export interface DemoOptions {
  /** Print one object instead of a story. */
  readonly output: "story" | "json";
  /** Where the server keeps its own files. @default a temporary folder, removed at the end */
  readonly folder?: string | undefined;
  readonly colour: boolean;
  /** How the reader runs the command, for the last line. @example "npx indoubt" */
  readonly command: string;
}

interface Results {
  readonly first: Result;
  readonly second: Result;
  readonly third: Result;
  readonly fourth: Result;
}

const LOST = ["create_invoice", "charge_card", "create_payment"];

/** Leaves a charge in the queue of ./indoubt.db. */
export async function runDemo(options: DemoOptions): Promise<void> {
  const screen = options.output === "json" ? silent : newScreen(options.colour);
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), "indoubt-demo-"));
  try {
    screen.say("A billing server writes, and its reply gets lost. The agent hears nothing.");
    const { results, waiting } = await play(folder, screen);
    if (options.output === "json") printJson(results);
    else printTable(screen, results, waiting, options.command);
  } finally {
    if (options.folder === undefined) rmSync(folder, { recursive: true });
  }
}

async function play(folder: string, screen: Screen): Promise<{ results: Results; waiting: number }> {
  /** Orders of this run: an earlier run's charge may still be in doubt in the same store. */
  const run = Date.now().toString(36).slice(-4);
  const [unguarded, billing] = await Promise.all([
    startBilling(join(folder, "plain"), LOST),
    startBilling(join(folder, "guarded"), LOST),
  ]);
  try {
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

    const waiting = await queued(guard, "charge_card");
    await guard.close();
    return { results: { first, second, third, fourth }, waiting };
  } finally {
    await Promise.all([unguarded.client.close(), billing.client.close()]);
  }
}

/** The charge escalates to the queue when a lost write can no longer land. */
async function queued(guard: Guard, tool: string): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    await guard.sweep();
    const { items } = await guard.queue.list({ tool, limit: 1_000 });
    if (items.some(({ ageMs }) => ageMs < 60_000)) return items.length;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("The charge did not reach the queue.");
}

function printTable(screen: Screen, results: Results, waiting: number, command: string): void {
  const { bold, dim, green, red } = screen.paint;
  const row = (name: string, { calls, sent, effects }: Result, kind: string, note: string) => {
    const verdict = effects === 1 ? green(`1 ${kind}`.padEnd(13)) : red(`${effects} ${kind}s`.padEnd(13));
    screen.say(`  ${name.padEnd(28)}${String(calls).padStart(5)}${String(sent).padStart(6)}   ${verdict}${dim(note)}`);
  };
  screen.say();
  screen.say(bold(`  ${"".padEnd(28)}calls  sent   in the server's file`));
  row("SDK client and p-retry", results.first, "invoice", "one too many");
  row("indoubt, reconcile hook", results.second, "invoice", "found, not repeated");
  row("indoubt, no hook", results.third, "charge", "held; a person decides");
  row("indoubt, contract", results.fourth, "payment", "sent again, same key");
  screen.say();
  screen.say(
    `  ${waiting === 1 ? "1 charge waits" : `${waiting} charges wait`} in the queue of ./indoubt.db: ${command} queue list`,
  );
}

function printJson({ first, second, third, fourth }: Results): void {
  const short = ({ calls, effects }: Result) => ({ calls, effects });
  const all = { plain: short(first), indoubt: short(second), no_hook: short(third), contract: short(fourth) };
  process.stdout.write(`${JSON.stringify(all)}\n`);
}
