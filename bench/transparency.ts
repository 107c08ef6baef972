/**
 * `npm run transparency -- --json`: the official conformance suite and the Inspector's command line, with and without
 * the proxy, in front of `server-everything` and of a server that has all that the suite asks for, over stdio and HTTP.
 * Ends with 1 where something differs that docs/transparency.md does not name.
 */
import { parseArgs } from "node:util";
import { brief as briefChecks, conformance } from "./lib/transparency/conformance.ts";
import { brief as briefPrint, inspect } from "./lib/transparency/inspector.ts";
import { freePort, listening, PROXY, SUBJECTS, type Subject, stopAll, versions } from "./lib/transparency/programs.ts";
import { type Row, rowOf, type Seen } from "./lib/transparency/rows.ts";

const { values: options } = parseArgs({
  options: { json: { type: "boolean", default: false }, only: { type: "string" } },
});
const progress = (what: string): void => void process.stderr.write(`${what} …\n`);

/** Where hosts find a server: itself, and through the proxy. */
interface Ways {
  readonly name: string;
  readonly http: { readonly direct: string; readonly "http to http": string; readonly "http to stdio": string };
  readonly stdio: Readonly<Record<"direct" | "stdio to stdio" | "stdio to http", readonly string[]>>;
}

async function waysTo({ name, stdio, http }: Subject): Promise<Ways> {
  const [port, toHttp, toStdio] = [await freePort(), await freePort(), await freePort()];
  const { words, env } = http(port);
  const direct = await listening(words, port, env);
  return {
    name,
    http: {
      direct,
      "http to http": await listening([...PROXY, "--url", direct, "--http", String(toHttp)], toHttp),
      "http to stdio": await listening([...PROXY, "--http", String(toStdio), "--", ...stdio], toStdio),
    },
    stdio: {
      direct: stdio,
      "stdio to stdio": [...PROXY, "--", ...stdio],
      "stdio to http": [...PROXY, "--url", direct],
    },
  };
}

type Look = ReadonlyMap<string, Seen>;

function compare(by: Row["by"], server: string, path: string, [direct, proxied]: readonly [Look, Look]): Row[] {
  const brief = by === "conformance" ? briefChecks : briefPrint;
  const scenarios = [...new Set([...direct.keys(), ...proxied.keys()])];
  return scenarios.map((scenario) =>
    rowOf({ by, server, scenario, path }, direct.get(scenario) ?? {}, proxied.get(scenario) ?? {}, brief),
  );
}

async function rowsOf(ways: Ways): Promise<Row[]> {
  const rows: Row[] = [];
  const { direct: url, ...urls } = ways.http;
  progress(`${ways.name}: conformance suite`);
  const checks = await conformance(url);
  for (const [path, proxied] of Object.entries(urls))
    rows.push(...compare("conformance", ways.name, path, [checks, await conformance(proxied)]));
  progress(`${ways.name}: Inspector`);
  const overHttp = await inspect({ url }, ways.name);
  for (const [path, proxied] of Object.entries(urls))
    rows.push(...compare("inspector", ways.name, path, [overHttp, await inspect({ url: proxied }, ways.name)]));
  const { direct, ...commands } = ways.stdio;
  const started = ([command = "", ...args]: readonly string[]) => inspect({ command, args }, ways.name);
  const overStdio = await started(direct);
  for (const [path, proxied] of Object.entries(commands))
    rows.push(...compare("inspector", ways.name, path, [overStdio, await started(proxied)]));
  return rows;
}

function print(rows: readonly Row[]): void {
  console.log("by | server | scenario | path | direct | through the proxy | result\n---|---|---|---|---|---|---");
  for (const { by, server, scenario, path, direct, proxied, result, differences = [] } of rows) {
    console.log([by, server, scenario, path, direct, proxied, result].join(" | "));
    if (result !== "same") for (const difference of differences) console.log(`  ${difference}`);
  }
  const count = (result: Row["result"]): number => rows.filter((row) => row.result === result).length;
  console.log(`${count("same")} the same, ${count("declared")} declared, ${count("DIFFERENT")} different`);
}

const rows: Row[] = [];
try {
  for (const subject of SUBJECTS) {
    if (options.only === undefined || options.only === subject.name)
      rows.push(...(await rowsOf(await waysTo(subject))));
  }
} finally {
  stopAll();
}
if (options.json) console.log(JSON.stringify({ versions: versions(), rows }, null, 2));
else print(rows);
process.exit(rows.some(({ result }) => result === "DIFFERENT") ? 1 : 0);
