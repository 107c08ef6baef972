import { readFileSync } from "node:fs";
import type { Command } from "commander";
import type { BulkPreview, BulkReport, QueueDetail, Verdict } from "../../../../src/entries/queue.ts";
import type { JsonObject } from "../../../../src/index.ts";
import { actorOf, type CommonOptions, type Define, optionsOf, screenOf, withCommon, withGuard } from "../cli.ts";
import { EXIT, UsageError } from "../exit.ts";
import { type FilterOptions, filterOf, oneOf, wholeNumber, withFilter } from "../filter.ts";
import type { Screen } from "../screen.ts";
import { detailJson, itemJson, reportJson } from "../shapes.ts";
import { printTable, SUMMARY } from "../table.ts";
import { duration, visible, wrapped } from "../text.ts";

const VERDICTS = ["applied", "not_applied", "resend", "abandon"] as const satisfies readonly Verdict[];

export interface DecisionOptions extends CommonOptions {
  readonly version?: string;
  readonly actor?: string;
  readonly reason?: string;
  readonly ref?: string;
  readonly decision?: string;
}

interface Options extends DecisionOptions, FilterOptions {
  readonly result?: string;
  readonly override?: boolean;
  readonly dryRun?: boolean;
  readonly confirm?: string;
  readonly seen?: string;
  readonly cap?: string;
}

const EXAMPLES = `
Verdicts:
  applied       you found the effect; --ref is its reference there
  not_applied   you looked and it is not there; an equal call is a new write
  resend        it is not there and must be: one permit to send, spent once
  abandon       nobody will ever know; closed without an outcome

Examples:
  indoubt queue resolve ID applied --version 3 --reason "found in the ledger" --ref INV-1
  indoubt queue resolve ID not_applied --version 3 --reason "no such invoice, asked accounting"
  indoubt queue resolve --filter tool=charge_card --filter older=1d abandon --reason "refunded all" --dry-run
  indoubt queue resolve --filter tool=charge_card --filter older=1d abandon --reason "refunded all" --confirm 12`;

/** The options of every decision. */
export const withDecision = (command: Command): Command =>
  command
    .option("--version <n>", "the version that you looked at, from `queue show`")
    .option("--reason <text>", "why; needed, and on record")
    .option("--actor <name>", "who decides (default: the system user)")
    .option("--ref <reference>", "the destination's reference of the effect")
    .option("--decision <id>", "names the decision: handing it in twice is one decision");

export const defineResolve: Define = (parent, exitWith) => {
  const command = withDecision(withFilter(parent.command("resolve")))
    .description("decide what became of one operation, or of all that fit --filter")
    .usage(
      "<id> <verdict> --version N --reason TEXT [options]\n       indoubt queue resolve --filter KEY=VALUE … <verdict> --reason TEXT --dry-run | --confirm COUNT",
    )
    .argument("[words...]", "ID and verdict; with --filter the verdict alone")
    .option("--result <file>", "JSON that you found, kept as your evidence and marked so (- reads stdin)")
    .option("--override", "decide before quiescence or beyond maxAttempts; recorded")
    .option("--dry-run", "with --filter: count and show, change nothing")
    .option("--confirm <count>", "with --filter: the count that the dry run showed")
    .option("--seen <token>", "with --confirm: exactly the items of that dry run, in those versions")
    .option("--cap <n>", "with --confirm: more items than this are refused, 1 to 1000", "100");
  withCommon(command).addHelpText("after", EXAMPLES);
  command.action(async (words: string[]) => {
    const options = optionsOf<Options>(command);
    const screen = screenOf(options);
    if ((options.filter ?? []).length > 0) return resolveMany(words, options, screen, exitWith);
    return resolveOne(words, options, screen);
  });
};

async function resolveOne(words: readonly string[], options: Options, screen: Screen): Promise<void> {
  const [id, verdict, ...more] = words;
  if (id === undefined || verdict === undefined || more.length > 0) {
    throw new UsageError("resolve takes an id and a verdict", `Write: indoubt queue resolve ID ${VERDICTS.join("|")}.`);
  }
  for (const name of ["dryRun", "confirm", "seen"] as const) {
    if (options[name] !== undefined)
      throw new UsageError(`--${name === "dryRun" ? "dry-run" : name} is for many`, "Add --filter, or leave it out.");
  }
  const decision = decisionOf(options);
  const resolution = {
    ...decision,
    verdict: oneOf("the verdict", verdict, VERDICTS),
    ...(options.override && { override: true }),
    ...(options.result !== undefined && { result: readResult(options.result) }),
  };
  await withGuard(options, screen, async ({ guard }) => {
    printSettled(screen, await guard.queue.resolve(id, resolution));
  });
}

/** What every decision about one operation needs. @throws UsageError for what is missing */
export function decisionOf(options: DecisionOptions) {
  const reason = reasonOf(options);
  if (options.version === undefined) {
    throw new UsageError("--version is missing", "It is the version that you looked at: indoubt queue show ID.");
  }
  return {
    version: wholeNumber("--version", options.version, 1),
    actor: actorOf(options),
    reason,
    ...(options.ref !== undefined && { ref: options.ref }),
    ...(options.decision !== undefined && { decision: options.decision }),
  };
}

function reasonOf({ reason = "" }: DecisionOptions): string {
  if (reason.trim() !== "") return reason;
  throw new UsageError(
    "--reason is missing",
    "Who decides, and why, is on the record. Write a sentence that a colleague understands.",
  );
}

function readResult(file: string): JsonObject {
  try {
    const value: unknown = JSON.parse(readFileSync(file === "-" ? 0 : file, "utf8"));
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as JsonObject;
  } catch (error) {
    throw new UsageError(
      `--result ${file}: ${error instanceof Error ? error.message : String(error)}`,
      "Name a file with a JSON object.",
    );
  }
  throw new UsageError(`--result ${file} is no JSON object`, "Name a file with a JSON object.");
}

export function printSettled(screen: Screen, detail: QueueDetail): void {
  if (screen.json) {
    screen.printJson(detailJson(detail));
    return;
  }
  screen.print(`${detail.id} is ${screen.paint.bold(detail.state)}, version ${detail.version}.`);
  for (const line of wrapped(detail.next, screen.measure)) screen.print(line);
}

async function resolveMany(
  words: readonly string[],
  options: Options,
  screen: Screen,
  exitWith: (code: number) => void,
): Promise<void> {
  const [verdict, ...more] = words;
  if (verdict === undefined || more.length > 0) {
    throw new UsageError("with --filter, resolve takes a verdict and no id", "Leave the id or the filter out.");
  }
  for (const name of ["version", "ref", "result"] as const) {
    if (options[name] !== undefined)
      throw new UsageError(`--${name} is for one operation`, "Leave it out with --filter.");
  }
  if ((options.dryRun === true) === (options.confirm !== undefined)) {
    throw new UsageError(
      "with --filter, say --dry-run or --confirm COUNT",
      "Begin with --dry-run: it changes nothing.",
    );
  }
  const request = {
    filter: filterOf({ filter: options.filter ?? [] }),
    verdict: oneOf("the verdict", verdict, VERDICTS),
    actor: actorOf(options),
    reason: reasonOf(options),
    ...(options.override && { override: true }),
    ...(options.decision !== undefined && { decision: options.decision }),
  };
  const confirm = options.confirm === undefined ? undefined : wholeNumber("--confirm", options.confirm, 0);
  const cap = wholeNumber("--cap", options.cap ?? "100", 1, 1_000);
  await withGuard(options, screen, async ({ guard }) => {
    if (confirm === undefined) {
      return preview(screen, await guard.queue.resolveAll({ ...request, dryRun: true }));
    }
    const seen = options.seen === undefined ? {} : { seen: options.seen };
    const report = await guard.queue.resolveAll({ ...request, confirm, cap, ...seen });
    printReport(screen, report);
    if (report.failed.length > 0) exitWith(EXIT.partial);
  });
}

async function preview(screen: Screen, { count, items, seen }: BulkPreview): Promise<void> {
  if (screen.json) {
    screen.printJson({ count, items: items.map(itemJson), seen });
    return;
  }
  if (items.length > 0) {
    await printTable(
      screen,
      [
        { title: "ID", value: ({ id }) => id },
        { title: "AGE", value: ({ ageMs }) => duration(ageMs), right: true },
        { title: "STATE", value: ({ state }) => state },
        { title: "TOOL", value: ({ server, tool }) => `${server}.${tool}`, least: 14 },
        SUMMARY,
      ],
      items,
    );
  }
  screen.print(`${count} ${count === 1 ? "operation fits" : "operations fit"}. Nothing was changed.`);
  if (count > 0) screen.note(`To decide them, give --confirm ${count} --seen ${seen} instead of --dry-run.`);
}

function printReport(screen: Screen, report: BulkReport): void {
  if (screen.json) {
    screen.printJson(reportJson(report));
    return;
  }
  for (const { id, version } of report.resolved) screen.print(`${id} decided, version ${version}`);
  for (const { id, why } of report.failed) screen.print(`${id} ${screen.paint.red("not decided")}: ${visible(why)}`);
  screen.print(`${report.resolved.length} decided, ${report.failed.length} not.`);
}
