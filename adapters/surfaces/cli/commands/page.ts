import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { Role, SignInToken } from "../../page/index.ts";
import { actorOf, type CommonOptions, type Define, optionsOf, screenOf, withCommon, withGuard } from "../cli.ts";
import { UsageError } from "../exit.ts";
import { oneOf, wholeNumber } from "../filter.ts";
import type { Screen } from "../screen.ts";
import { untilStopped } from "../until-stopped.ts";

interface Options extends CommonOptions {
  readonly host?: string;
  readonly port?: string;
  readonly tokens?: string;
  readonly publicUrl?: string;
  readonly readOnly?: boolean;
  readonly urlTemplate?: string;
  readonly label?: string;
  readonly actor?: string;
  readonly newToken?: string;
  readonly role?: string;
}

const EXAMPLES = `
Examples:
  indoubt page
  indoubt page --store redis://localhost:6379 --namespace shop --label production --port 8080
  indoubt page --new-token on-call --role operator
  indoubt page --host 0.0.0.0 --public-url https://queue.example.com --tokens ./page-tokens.json

It listens on this machine only and prints a link that signs one browser in,
once. Enter (or SIGUSR2) prints a link for another browser.

To let others in, give each a token: --tokens FILE, a JSON list of
{ name, role: viewer|operator, token }, or the variable INDOUBT_PAGE_TOKENS with
name:role:token entries. A token may stand there as sha256:DIGEST; --new-token
makes one of each.`;

export const definePage: Define = (parent) => {
  const command = parent
    .command("page")
    .description("the queue as a web page: see, decide, audit")
    .option("--host <address>", "listen here; other than loopback needs sign-in tokens (default: 127.0.0.1)")
    .option("--port <port>", "0 takes a free one (default: 4747)")
    .option("--tokens <file>", "who may sign in, and as what (default: INDOUBT_PAGE_TOKENS, else a one-time link)")
    .option("--public-url <url>", "where people reach the page, behind a reverse proxy")
    .option("--read-only", "nobody can decide anything")
    .option("--url-template <url>", "link each item to a page of yours: {id}, {server}, {tool}, {key}, {ref}")
    .option("--label <word>", "a word beside the name, so that nobody takes one queue for another")
    .option("--actor <name>", "on the record for whoever uses the one-time link (default: the system user)")
    .option("--new-token <name>", "print a new sign-in token for NAME and its entry for the list, and end")
    .option("--role <role>", "of the new token: viewer or operator (default: viewer)");
  withCommon(command).addHelpText("after", EXAMPLES);
  command.action(async () => {
    const options = optionsOf<Options>(command);
    const screen = screenOf(options);
    return options.newToken === undefined ? serve(options, screen) : printToken(options.newToken, options, screen);
  });
};

async function serve(options: Options, screen: Screen): Promise<void> {
  const { startPage } = await import("../../page/index.ts");
  const tokens = await tokensOf(options);
  const port = options.port === undefined ? undefined : wholeNumber("--port", options.port, 0, 65_535);
  await withGuard(options, screen, async ({ guard, config, address }) => {
    const stopped = untilStopped();
    const urlTemplate = options.urlTemplate ?? config.urlTemplate;
    const page = await startPage({
      guard,
      operator: actorOf(options),
      readOnly: options.readOnly === true,
      ...(options.host !== undefined && { host: options.host }),
      ...(port !== undefined && { port }),
      ...(tokens && { tokens }),
      ...(options.publicUrl !== undefined && { publicUrl: options.publicUrl }),
      ...(urlTemplate !== undefined && { urlTemplate }),
      ...(options.label !== undefined && { label: options.label }),
    });
    for (const warning of page.warnings) screen.note(`warning: ${warning}`);
    const told = { origin: page.origin, port: page.port, store: address };
    const tell = (url: string) => {
      if (options.json) screen.printJson({ url, ...told });
      else screen.print(`  ${screen.paint.bold(url)}`);
    };
    // Before anybody can read of it: a signal that nobody hears ends the process.
    const how = tokens === undefined ? onAsked(stopped, () => tell(page.invite())) : undefined;
    if (!options.json) screen.print(`The queue of ${address}:`);
    tell(page.url);
    if (how) screen.note(`The link signs one browser in, once, within 15 minutes. ${how} for another browser.`);
    screen.note("Ctrl-C ends the page.");
    if (!stopped.aborted) await once(stopped, "abort");
    await page.close();
  });
}

/** A second browser needs a link of its own: Enter asks for one, or SIGUSR2 where nobody is at the terminal. @returns how */
function onAsked(stopped: AbortSignal, answer: () => void): string {
  process.on("SIGUSR2", answer);
  const { stdin } = process;
  if (!isInFront() || stopped.aborted) return `Send SIGUSR2 to ${process.pid}`;
  stdin.on("data", answer);
  stopped.addEventListener("abort", () => stdin.off("data", answer).pause(), { once: true });
  return "Press Enter";
}

/** A process in the background of a terminal that reads from it is stopped by the system. */
function isInFront(): boolean {
  if (!process.stdin.isTTY) return false;
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(process.pid)], { encoding: "utf8" });
  return typeof stdout === "string" && stdout.includes("+");
}

async function tokensOf({ tokens: file }: Options): Promise<SignInToken[] | undefined> {
  const { tokensFromJson, tokensFromText } = await import("../../page/index.ts");
  const { INDOUBT_PAGE_TOKENS: text } = process.env;
  if (file !== undefined) return tokensFromJson(contentOf(file), process.env);
  return text ? tokensFromText(text) : undefined;
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(
      `--tokens ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`,
      "Name a JSON file.",
    );
  }
}

async function printToken(name: string, options: Options, screen: Screen): Promise<void> {
  const { newSignInToken } = await import("../../page/index.ts");
  const role: Role = oneOf("--role", options.role ?? "viewer", ["viewer", "operator"]);
  const made = newSignInToken(name, role);
  if (options.json) return screen.printJson(made);
  screen.print(`For ${name}, shown once:    ${made.token}`);
  screen.print(`For the file of --tokens: ${JSON.stringify(made.entry)}`);
}
