import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import type { Lock, ServerAccount } from "../../../../src/entries/review.ts";
import type { Setup } from "../../setup/index.ts";
import { actorOf, type CommonOptions, type Define, optionsOf, screenOf, withCommon, withGuard } from "../cli.ts";
import { UsageError } from "../exit.ts";
import { accountJson, connected, printServer, reachable } from "../reviewing.ts";
import type { Screen } from "../screen.ts";
import { quoted, visible } from "../text.ts";

interface Options extends CommonOptions {
  readonly yes?: boolean;
  readonly actor?: string;
  readonly reason?: string;
  readonly tool?: readonly string[];
  readonly reads?: boolean;
  readonly fresh?: boolean;
}

const EXAMPLES = `
Examples:
  indoubt tools review                                 look at everything, then say yes
  indoubt tools review billing.acme --tool create_invoice
  indoubt tools review --yes --actor on-call --reads       without questions; declares reads what claims to be one

Writes indoubt.lock.json: where each server is reached, its release, each
definition with its fingerprint, who reviewed it and when. Commit it. Contracts
without a pin take theirs from it; what departs from it goes out of force until
it is reviewed again. What drift had suspended is put back by the review.

A server's claim to be read-only makes nothing a read: --reads, or your yes,
does. --fresh forgets earlier reviews.`;

export const defineToolsReview: Define = (parent) => {
  const command = parent
    .command("review")
    .description("look at the tools of your servers and record them as reviewed")
    .argument("[servers...]", "default: all of the configuration")
    .option("-y, --yes", "accept what is shown, without a question")
    .option("--actor <name>", "who reviews (default: the system user)")
    .option("--reason <text>", "why, for the record of what is put back in force")
    .option("--tool <name>", "accept only this tool; may be repeated", collect)
    .option("--reads", "declare as reads the undeclared tools that claim to be read-only")
    .option("--fresh", "start a new lock; earlier reviews and tombstones are forgotten");
  withCommon(command).addHelpText("after", EXAMPLES);
  command.action(async (servers: string[]) => {
    const options = optionsOf<Options>(command);
    const screen = screenOf(options);
    const further = { mustExist: false, lock: options.fresh ? ("ignore" as const) : ("use" as const) };
    await withGuard(options, screen, (setup) => reviewAll(setup, screen, options, servers), further);
  });
};

const collect = (value: string, all: readonly string[] = []): readonly string[] => [...all, value];

async function reviewAll(setup: Setup, screen: Screen, options: Options, named: readonly string[]): Promise<void> {
  const { lockFile, writeLock } = await import("../../setup/index.ts");
  const file = lockFile(setup);
  let known = contentOf(file);
  const told: string[] = [];
  const done: ServerAccount[] = [];
  const reads: (readonly [server: string, tool: string])[] = [];
  let lock: Lock | undefined;
  for (const server of reachable(setup, named)) {
    const reviewed = await connected(setup, server, async () => {
      const account = await setup.guard.catalogue.show(server);
      if (!screen.json) printServer(screen, account);
      if (!(await accepts(screen, options, account))) return undefined;
      // The question may have stood for hours.
      if (contentOf(file) !== known) {
        const what = `${visible(file)} was written by somebody else during this review.`;
        throw new UsageError(what, `${quoted(server)} was not recorded: review it again.`);
      }
      const accepted = options.tool;
      const decision = {
        actor: actorOf(options),
        shown: account,
        ...(options.reason !== undefined && { reason: options.reason }),
        ...(accepted && { accepted }),
      };
      return { account, lock: await setup.guard.catalogue.review(server, decision) };
    });
    if (!reviewed) continue;
    lock = reviewed.lock;
    writeLock(file, lock);
    known = contentOf(file);
    done.push(reviewed.account);
    const declared = await newReads(screen, options, reviewed.account);
    reads.push(...declared);
    told.push(...declareReads(setup, declared));
  }
  if (screen.json) {
    screen.printJson({
      lock: lock ? file : null,
      reads: reads.map(([server, tool]) => ({ server, tool })),
      servers: done.map(accountJson),
    });
    return;
  }
  if (lock) screen.print(`\nWritten: ${visible(file)}`);
  for (const line of told) screen.print(line);
}

const contentOf = (file: string): string | undefined => (existsSync(file) ? readFileSync(file, "utf8") : undefined);

async function accepts(screen: Screen, options: Options, { server, tools }: ServerAccount): Promise<boolean> {
  if (options.yes) return true;
  if (screen.json || !process.stdin.isTTY) {
    throw new UsageError("A review needs a yes.", "Run it on a terminal, or with --yes --actor NAME.");
  }
  const what = options.tool ? options.tool.map((name) => quoted(name)).join(", ") : `${tools.length} tools`;
  return ask(`\nRecord ${what} of ${quoted(server)} as reviewed? [y/N] `);
}

async function newReads(
  screen: Screen,
  options: Options,
  { server, tools }: ServerAccount,
): Promise<(readonly [string, string])[]> {
  const covered = (tool: string) => options.tool === undefined || options.tool.includes(tool);
  const claiming = tools.filter(
    ({ tool, claimsReadOnly, declared }) => claimsReadOnly && declared === undefined && covered(tool),
  );
  if (claiming.length === 0) return [];
  const names = claiming.map(({ tool }) => quoted(tool)).join(", ");
  const yes =
    options.reads ??
    (!options.yes &&
      !screen.json &&
      (await ask(
        `These claim to be read-only: ${names}.\nDo you know that they only read? Then they are repeated on trouble. [y/N] `,
      )));
  return yes ? claiming.map(({ tool }) => [server, tool] as const) : [];
}

/** @throws UsageError when the terminal goes away, or the person leaves: no answer is no yes */
async function ask(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const left = new AbortController();
  terminal.once("close", () => left.abort());
  try {
    return /^y(es)?$/i.test((await terminal.question(question, { signal: left.signal })).trim());
  } catch (error) {
    if (!left.signal.aborted) throw error;
    throw new UsageError("The review was left without an answer.", "What was not said yes to is not recorded.");
  } finally {
    terminal.close();
  }
}

/** @returns what to tell; a configuration that is code is never written by a program */
function declareReads({ file }: Setup, reads: readonly (readonly [string, string])[]): readonly string[] {
  if (reads.length === 0) return [];
  const list = reads.map(
    ([server, tool]) => `  servers.${visible(server)}.tools.${visible(tool)}: { "effect": "read" }`,
  );
  if (file === undefined || !file.endsWith(".json") || !existsSync(file))
    return ["Add to your configuration:", ...list];
  const config = JSON.parse(readFileSync(file, "utf8")) as {
    servers: Record<string, { tools?: Record<string, object> }>;
  };
  for (const [server, tool] of reads) {
    const entry = config.servers[server];
    // Somebody may have declared it otherwise meanwhile.
    if (entry && !Object.hasOwn(entry.tools ?? {}, tool)) entry.tools = { ...entry.tools, [tool]: { effect: "read" } };
  }
  writeFileSync(`${file}.${process.pid}`, `${JSON.stringify(config, null, 2)}\n`);
  renameSync(`${file}.${process.pid}`, file);
  return [`Declared as reads in ${visible(file)}:`, ...list];
}
