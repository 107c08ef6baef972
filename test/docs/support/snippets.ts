/**
 * Documentation shows code that ran. In Markdown, `<!-- examples/FILE.ts#REGION,REGION -->` before a block of code names
 * its source: the lines between `// #region` and `// #endregion`, with imports as a user of the package writes them.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { entries, exportPath } from "../../../scripts/entries.ts";

export const root = resolve(import.meta.dirname, "../../..");

const imports: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(entries).map(([name, source]) => [source, `indoubt${exportPath(name).slice(1)}`]),
);

const BLOCK = /<!-- (examples\/[\w./-]+)#([\w,-]+) -->\n```ts\n[\s\S]*?```/g;

/** Pages whose code comes from examples/. */
export function pages(): string[] {
  const folders = ["docs/guide", "docs/frameworks"].filter((folder) => existsSync(join(root, folder)));
  const inside = folders.flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`));
  return [
    "README.md",
    "docs/guarantees.md",
    "docs/contracts.md",
    "docs/webhook.md",
    "docs/queue.md",
    "docs/cli.md",
    "docs/proxy.md",
    "docs/transparency.md",
    "docs/page.md",
    ...inside.filter((name) => name.endsWith(".md")),
  ];
}

export const page = (path: string): string => readFileSync(join(root, path), "utf8");

/** The page with each block as its source says now. */
export function withSnippets(markdown: string): string {
  return markdown.replace(BLOCK, (_block, file: string, names: string) => {
    const regions = names.split(",").map((name) => region(file, name));
    return `<!-- ${file}#${names} -->\n\`\`\`ts\n${regions.join("\n\n")}\n\`\`\``;
  });
}

/** Names of the blocks on a page: `examples/FILE.ts#REGIONS`. */
export const sources = (markdown: string): string[] =>
  [...markdown.matchAll(BLOCK)].map(([, file, names]) => `${file}#${names}`);

/** @throws when there is no such region */
export function region(file: string, name: string): string {
  const lines = readFileSync(join(root, file), "utf8").split("\n");
  const start = lines.findIndex((line) => line.trim() === `// #region ${name}`);
  const end = lines.findIndex((line, index) => index > start && line.trim() === "// #endregion");
  if (start < 0 || end < 0) throw new Error(`${file} has no region "${name}".`);
  return lines
    .slice(start + 1, end)
    .map((line) =>
      line.replace(/"(?:\.\.\/)+([\w./-]+)"/, (all, path: string) => (imports[path] ? `"${imports[path]}"` : all)),
    )
    .join("\n");
}

const DEMO = /(<!-- output of: npm run demo -->\n```\n)[\s\S]*?(```)/;

export const demoOutput = (markdown: string): string =>
  DEMO.exec(markdown)?.[0].split("\n").slice(2, -1).join("\n") ?? "";
export const withDemoOutput = (markdown: string, output: string): string =>
  markdown.replace(DEMO, (_all, before: string, after: string) => `${before}${output.trimEnd()}\n${after}`);
