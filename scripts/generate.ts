/**
 * Writes the files that are made from other files, and that are committed: `npm run generate`.
 * `--check` writes nothing and fails when one of them is out of date.
 * To add a generated file, add its function to `generators`.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { generateAssets } from "./generate-assets.ts";
import { generateConfig } from "./generate-config.ts";
import { generateDocs } from "./generate-docs.ts";
import { generateLua } from "./generate-lua.ts";
import { generateSql } from "./generate-sql.ts";

/** Path from the root of the repository -> full text. */
type Files = Record<string, string>;

const generators: (() => Files)[] = [generateAssets, generateConfig, generateDocs, generateLua, generateSql];

const root = resolve(import.meta.dirname, "..");
const files = Object.entries(Object.assign({}, ...generators.map((generate) => generate())) as Files);
const outdated = files.filter(([path, text]) => {
  const file = resolve(root, path);
  return !existsSync(file) || readFileSync(file, "utf8") !== text;
});

if (process.argv.includes("--check")) {
  for (const [path] of outdated) console.error(`${path} is out of date: npm run generate, and commit it.`);
  if (outdated.length > 0) process.exit(1);
} else {
  for (const [path, text] of outdated) {
    mkdirSync(dirname(resolve(root, path)), { recursive: true });
    writeFileSync(resolve(root, path), text);
    console.log(`wrote ${path}`);
  }
}
