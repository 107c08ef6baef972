/**
 * What a user gets from npm: `exports` and built files agree with the list of entries, and loading an entry
 * loads no outside package but its own. Run after the build.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type EntryName, entries, exportPath } from "./entries.ts";

const root = resolve(import.meta.dirname, "..");
const names = Object.keys(entries) as EntryName[];

/** Packages that only their own entry may load; `indoubt/mcp` takes the client it is given and loads no SDK. */
const outsidePackages = [
  "ioredis/",
  "better-sqlite3/",
  "@modelcontextprotocol/",
  "@langchain/",
  "@openai/",
  "@mastra/",
  "@ai-sdk/",
  "ai/",
];
const mayLoad: Partial<Record<EntryName, readonly string[]>> = {
  redis: ["ioredis/"],
  sqlite: ["better-sqlite3/"],
  // `@langchain/mcp-adapters` is made on the SDK.
  langchain: ["@langchain/", "@modelcontextprotocol/"],
};

function disagreements(): string[] {
  const { exports } = JSON.parse(readFileSync(`${root}/package.json`, "utf8")) as { exports: Record<string, string> };
  const expected = Object.fromEntries(names.map((name) => [exportPath(name), `./dist/${name}.js`]));
  const { "./package.json": _, ...actual } = exports;
  const built = readdirSync(`${root}/dist`).filter((file) => file.endsWith(".js"));
  return [
    ...Object.keys({ ...expected, ...actual })
      .filter((path) => expected[path] !== actual[path])
      .map((path) => `exports["${path}"] is ${actual[path]}, scripts/entries.ts says ${expected[path]}`),
    ...names
      .flatMap((name) => [`dist/${name}.js`, `dist/${name}.d.ts`])
      .filter((file) => !existsSync(`${root}/${file}`))
      .map((file) => `${file} was not built`),
    ...built.filter((file) => !(file.slice(0, -3) in entries)).map((file) => `dist/${file} belongs to no entry`),
  ];
}

/** The debugger sees each script that is parsed, ESM and CommonJS alike. */
const listLoadedScripts = `
  import { Session } from "node:inspector";
  const urls = [];
  const session = new Session();
  session.connect();
  session.on("Debugger.scriptParsed", ({ params }) => urls.push(params.url));
  session.post("Debugger.enable");
  await import(process.argv[1]);
  console.log(JSON.stringify(urls));
  process.exit();
`;

function loadedPackages(name: EntryName): string[] {
  const specifier = `indoubt${exportPath(name).slice(1)}`;
  const output = execFileSync(process.execPath, ["--input-type=module", "-e", listLoadedScripts, specifier], {
    cwd: root,
    encoding: "utf8",
  });
  const urls = JSON.parse(output) as string[];
  return [
    ...new Set(urls.flatMap((url) => url.match(/node_modules\/((?:@[^/]+\/)?[^/]+)(?!.*node_modules)/)?.[1] ?? [])),
  ];
}

function strayPackages(name: EntryName): string[] {
  const forbidden = outsidePackages.filter((outside) => !mayLoad[name]?.includes(outside));
  return loadedPackages(name)
    .filter((loaded) => forbidden.some((outside) => `${loaded}/`.startsWith(outside)))
    .map((loaded) => `indoubt${exportPath(name).slice(1)} loads ${loaded}`);
}

const problems = disagreements();
if (problems.length === 0) problems.push(...names.flatMap(strayPackages));
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log(
  `package: ${names.length} entries agree; the root loads ${loadedPackages("index").join(", ") || "no package"}`,
);
