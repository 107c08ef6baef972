import { type CommonOptions, type Define, optionsOf, screenOf } from "../cli.ts";
import { EXIT } from "../exit.ts";
import { milliseconds } from "../filter.ts";
import { headersOf, httpUrl, list } from "../headers.ts";
import type { Judged, Verdict } from "../path/judge.ts";
import type { PathReport } from "../path/trials.ts";
import type { Screen } from "../screen.ts";
import { wrapped } from "../text.ts";

interface Options extends CommonOptions {
  readonly url: string;
  readonly header: readonly string[];
  readonly slow: string;
  readonly every: string;
  readonly rest: string;
  readonly settle: string;
}

const EXAMPLES = `
Examples:
  indoubt path test --url https://mcp.acme.example/billing
  indoubt path test --url https://mcp.acme.example/billing --header "Authorization: Bearer $TOKEN"
  indoubt path test --url http://gateway.acme.example:4100/mcp --slow 5m --json
  indoubt path test --url http://gateway.acme.example:4100/mcp --slow 0s     without the slow calls

Takes two to three minutes. Sends marked calls to an echo server (indoubt path serve) that stands behind the path, each of them once, and asks it how
often each arrived. Another server than that gets initialize and tools/list, and nothing else.

A path that balances needs all its addresses to lead to the one echo server, or it has nowhere to repeat. --rest must be
longer than it leaves out a server that failed: 10 s in nginx, 30 s in Envoy.

Ends with 0 when each call was delivered once, 8 when the path repeats, 3 when there is not one echo server, and 1 when a
call never arrived or the path broke down.`;

export const definePathTest: Define = (parent, exitWith) => {
  const command = parent
    .command("test")
    .description("send marked calls through the path to an echo server, and count how often each arrives")
    .requiredOption("--url <url>", "where clients reach the server, through all that lies between")
    .option("--header <header>", '"Name: value" for each request; may be repeated', list, [])
    .option("--slow <time>", "how long the slow answers take; 0s leaves them out", "65s")
    .option("--every <time>", "time between reports of progress", "5s")
    .option("--rest <time>", "pause after each fault, until the path takes the server back", "12s")
    .option("--settle <time>", "wait before all arrivals are counted", "5s")
    .option("--json", "print JSON; errors are JSON on stderr")
    .option("--debug", "print the trace of an error")
    .addHelpText("after", EXAMPLES);
  command.action(async () => {
    const options = optionsOf<Options>(command);
    const screen = screenOf(options);
    const request = {
      url: httpUrl(options.url),
      headers: headersOf(options.header),
      slow: milliseconds("--slow", options.slow),
      every: milliseconds("--every", options.every),
      rest: milliseconds("--rest", options.rest),
      settle: milliseconds("--settle", options.settle),
      begins: (trial: string) => screen.note(`trial: ${trial.replaceAll("_", " ")}`),
    };
    const { testPath } = await import("../path/trials.ts");
    const report = await testPath(request);
    print(screen, report);
    exitWith(EXITS[report.verdict]);
  });
};

const EXITS: Readonly<Record<Verdict, number>> = {
  once: EXIT.ok,
  repeats: EXIT.problems,
  inconclusive: EXIT.failed,
};

const WORDS: Readonly<Record<Verdict, string>> = {
  once: "The path delivers each call once.",
  repeats: "THE PATH REPEATS CALLS.",
  inconclusive: "The test is not conclusive.",
};

const INDENT = 19;

function print(screen: Screen, { verdict, trials, meaning }: PathReport): void {
  if (screen.json) {
    screen.printJson({ verdict, trials: trials.map(trialJson), meaning });
    return;
  }
  const { red, yellow, green, bold } = screen.paint;
  const paints = { once: green, cut: yellow, repeats: red, not_delivered: yellow };
  for (const { trial, words, verdict: each } of trials) {
    const [first = "", ...more] = wrapped(words, screen.measure - INDENT);
    screen.print(`${trial.replaceAll("_", " ").padEnd(INDENT)}${paints[each](first)}`);
    for (const line of more) screen.print(`${" ".repeat(INDENT)}${paints[each](line)}`);
  }
  screen.print();
  screen.print(bold(WORDS[verdict]));
  for (const line of meaning.flatMap((text) => wrapped(text, screen.measure, "  - ", "    "))) screen.print(line);
}

const trialJson = ({ trial, verdict, arrivals, answer, afterMs, progress, words }: Judged) => ({
  trial,
  verdict,
  arrivals: arrivals.length,
  arrived_ms: arrivals,
  answer,
  after_ms: afterMs,
  progress,
  words,
});
