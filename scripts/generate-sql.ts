/**
 * Makes `adapters/stores/sqlite/schema.gen.ts` from `schema.sql`, `schema-2.sql` and `statements.sql` beside it:
 * `tsx scripts/generate-sql.ts`, or `--check` to fail when the committed module is out of date.
 * In `statements.sql` a line `-- name: readMeta` names the one statement that follows; the names of its parameters
 * become a type. Other comments stand on lines of their own.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const root = resolve(import.meta.dirname, "..");
const folder = "adapters/stores/sqlite";
const read = (name: string): string => readFileSync(join(root, folder, name), "utf8");

/** One per layout. */
const SCHEMAS = ["schema.sql", "schema-2.sql"];

function withoutComments(sql: string): string {
  return sql
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("--"))
    .join(" ");
}

interface Named {
  readonly name: string;
  readonly sql: string;
  readonly parameters: readonly string[];
}

function namedStatements(text: string): Named[] {
  const [, ...parts] = text.split(/^-- name: /m);
  const statements = parts.map((part) => {
    const [name = "", ...lines] = part.split("\n");
    const sql = withoutComments(lines.join("\n")).replace(/;$/, "");
    if (!/^[a-z][A-Za-z]*$/.test(name)) throw new Error(`"${name}" is no name for a statement`);
    if (sql === "" || sql.includes(";")) throw new Error(`${name} must be exactly one statement`);
    const parameters = [...new Set([...sql.matchAll(/:([A-Za-z]+)/g)].map((match) => match[1] ?? ""))];
    return { name, sql, parameters };
  });
  const twice = statements.find(({ name }, n) => statements.findIndex((other) => other.name === name) !== n);
  if (twice) throw new Error(`${twice.name} is there twice`);
  return statements;
}

/** Path from the root of the repository -> full text. */
export function generateSql(): Record<string, string> {
  const statements = namedStatements(read("statements.sql"));
  const texts = statements.map(({ name, sql }) => `  ${name}:\n    ${JSON.stringify(sql)},`);
  const types = statements.map(({ name, parameters }) => {
    const names = parameters.map((parameter) => JSON.stringify(parameter)).join(" | ");
    return `  readonly ${name}: ${names === "" ? "never" : names};`;
  });
  const text = [
    "// Generated from schema*.sql and statements.sql by scripts/generate-sql.ts. Do not edit.",
    `/** By layout: the first makes a file, each of the others brings one up from the layout before. */`,
    `export const LAYOUTS = [\n${SCHEMAS.map((name) => `  ${JSON.stringify(withoutComments(read(name)))},`).join("\n")}\n];`,
    `export const STATEMENTS = {\n${texts.join("\n")}\n} as const;`,
    `/** The parameters of each statement. */\nexport interface StatementParameters {\n${types.join("\n")}\n}`,
  ];
  return { [`${folder}/schema.gen.ts`]: `${text.join("\n\n")}\n` };
}

function main(): void {
  for (const [path, text] of Object.entries(generateSql())) {
    const file = join(root, path);
    if (!process.argv.includes("--check")) writeFileSync(file, text);
    else if (readFileSync(file, "utf8") !== text) {
      console.error(`${path} is out of date: npx tsx scripts/generate-sql.ts, and commit it.`);
      process.exitCode = 1;
    }
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) main();
