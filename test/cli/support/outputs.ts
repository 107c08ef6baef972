/**
 * What the pages show of the command is what it prints. In Markdown, `<!-- output of: indoubt … -->` before a block names
 * the command; ID stands for the charge that the demo leaves.
 */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { jsonOf, run } from "./command.ts";

export const root = resolve(import.meta.dirname, "../../..");
export const PAGES = ["docs/queue.md", "docs/cli.md", "README.md"];

const BLOCK = /(<!-- output of: (indoubt [^>]*?) -->\n```\n)([\s\S]*?)(```)/g;

export const page = (path: string): string => readFileSync(join(root, path), "utf8");

/** Command -> what the page shows. */
export const shown = (markdown: string): [string, string][] =>
  [...markdown.matchAll(BLOCK)].map(([, , command = "", output = ""]) => [command, output]);

export const withOutputs = (markdown: string, outputs: Readonly<Record<string, string>>): string =>
  markdown.replace(BLOCK, (_all, before: string, command: string, _old, after: string) => {
    const output = outputs[command];
    if (output === undefined) throw new Error(`Nobody runs "${command}".`);
    return `${before}${output.trimEnd()}\n${after}`;
  });

/** The story of docs/queue.md, played in `cwd`: the demo, then a person who settles its charge. */
export async function playOutputs(cwd: string): Promise<Record<string, string>> {
  const said = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(args, { cwd });
    if (code !== 0) throw new Error(`indoubt ${args.join(" ")} ended with ${code}: ${stderr}`);
    return stdout;
  };
  await said("demo", "--json");
  const id = jsonOf<{ items: { id: string }[] }>(await run(["queue", "list", "--json"], { cwd })).items[0]?.id ?? "";
  const words = ["--version", "3", "--actor", "on-call", "--ref", "CHA-53211876"];
  return {
    "indoubt queue list": await said("queue", "list"),
    "indoubt queue show ID": await said("queue", "show", id),
    "indoubt queue resolve ID applied": `$ indoubt queue resolve ${id} applied --version 3 \\
    --actor on-call --ref CHA-53211876 --reason "the bank shows the charge, 30 November"
${await said("queue", "resolve", id, "applied", ...words, "--reason", "the bank shows the charge, 30 November")}`,
    "indoubt queue journal --kind verdict": await said("queue", "journal", "--kind", "verdict"),
    "indoubt queue stats": await said("queue", "stats"),
    "indoubt doctor": (await said("doctor")).replaceAll(cwd, "/srv/agents"),
  };
}

/** What differs from run to run: ids, keys, times, ages; and how wide a column is because of them. */
export const masked = (output: string): string[] =>
  output
    .replace(/\b[a-z0-9]{10}_[a-z0-9]{26}\b/g, "ID")
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "KEY")
    .replace(/\d{4}-\d\d-\d\d( \d\d:\d\d(:\d\d\.\d{3}Z)?)?|\d\d:\d\d:\d\d\.\d{3}/g, "TIME")
    .replace(/\d+(\.\d+)? [smhd]\b/g, "AGE")
    .replace(/"\w{4}-(\d)"/g, '"order-$1"')
    .replace(/ +/g, " ")
    .trimEnd()
    .split("\n");
