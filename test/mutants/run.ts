/**
 * Breaks the core and the engine in named ways and expects the tests to notice: `npm run mutants`. Writes docs/mutants.md.
 * `npm run mutants -- fence` runs only the mutants whose name holds that word, and writes nothing.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { redisMutants } from "../stores/redis/mutants.ts";
import { LEGS_MUTANTS } from "./legs-mutants.ts";
import { MUTANTS, type Mutant } from "./mutants.ts";
import { TASK_MUTANTS } from "./task-mutants.ts";
import { checkEdits, checkFiles, copyTree, type Failure, type Tree } from "./tree.ts";
import { TRUST_MUTANTS } from "./trust-mutants.ts";

const AT_ONCE = 2;
const REDIS = "test/stores/redis/mutants.test.ts";

interface Result {
  readonly mutant: Mutant;
  readonly failures: readonly Failure[];
  readonly seconds: number;
}

const word = process.argv[2];
const chosen = [...MUTANTS, ...TRUST_MUTANTS, ...LEGS_MUTANTS, ...TASK_MUTANTS].filter(
  ({ name }) => word === undefined || name.includes(word),
);
const tests = [...new Set(chosen.flatMap((mutant) => mutant.tests))];

async function runAll(trees: readonly Tree[]): Promise<Result[]> {
  const results = new Map<Mutant, Result>();
  const waiting = [...chosen];
  const lane = async (tree: Tree) => {
    for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
      const start = performance.now();
      const failures = await tree.failuresWith(mutant.edits, mutant.tests).catch((error: unknown) => {
        throw new Error(`Mutant "${mutant.name}": ${error instanceof Error ? error.message : String(error)}`);
      });
      const result = { mutant, failures, seconds: (performance.now() - start) / 1000 };
      results.set(mutant, result);
      console.log(lineOf(result));
    }
  };
  await Promise.all(trees.map(lane));
  return chosen.flatMap((mutant) => results.get(mutant) ?? []);
}

const lineOf = ({ mutant, failures, seconds }: Result): string =>
  `${failures.length > 0 ? "caught  " : "SURVIVED"} ${mutant.invariant.padEnd(4)} ${mutant.name.padEnd(40)} ${seconds.toFixed(1)} s`;

function page(results: readonly Result[], redis: readonly string[]): string {
  const rows = results.map(({ mutant: { name, breaks, invariant }, failures: [first] }) => {
    const by = first ? `${first.test} (\`${first.file}\`)` : "nothing";
    return `| ${name} | ${breaks} | ${invariant} | ${by} |`;
  });
  return [
    "# Mutants",
    "",
    "Each line is a wrong version of the code that the tests notice. `npm run mutants` makes them, one by one, in a copy of",
    "the repository, runs the named test file, and expects it to fail. This page is written by that run.",
    "",
    "## Core and engine",
    "",
    "| Mutant | What it does wrong | Breaks | Caught by |",
    "|---|---|---|---|",
    ...rows,
    "",
    "## Scripts of the Redis store",
    "",
    `\`${REDIS}\` runs the conformance suite on each of these and expects a case to fail:`,
    "",
    ...redis.map((name) => `- ${name}`),
    "",
  ].join("\n");
}

checkFiles(tests);
checkEdits(chosen.flatMap((mutant) => mutant.edits));
const trees = Array.from({ length: AT_ONCE }, copyTree);
try {
  const sound = await (trees[0] as Tree).failuresWith([], word === undefined ? [...tests, REDIS] : tests);
  if (sound.length > 0) throw new Error(`Fails without any mutant: ${sound.map(({ test }) => test).join("; ")}`);
  const results = await runAll(trees);
  const survivors = results.filter(({ failures }) => failures.length === 0);
  const scripts = word === undefined ? `, and ${redisMutants.length} of Redis` : "";
  console.log(`${results.length - survivors.length} of ${results.length} caught${scripts}.`);
  if (word === undefined) {
    const file = join(import.meta.dirname, "../../docs/mutants.md");
    writeFileSync(
      file,
      page(
        results,
        redisMutants.map(({ name }) => name),
      ),
    );
  }
  process.exitCode = survivors.length === 0 ? 0 : 1;
} finally {
  for (const tree of trees) tree.remove();
}
