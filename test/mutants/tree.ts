/** A copy of the repository's sources and tests that may be broken, and how tests are run in it. */
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Edit } from "./mutants.ts";

const ROOT = join(import.meta.dirname, "../..");
const COPIED = [
  "src",
  "adapters",
  "test",
  "scripts",
  "package.json",
  "tsconfig.json",
  "tsdown.config.ts",
  "vitest.config.ts",
];
/** A mutant that makes a test turn in a circle counts as noticed after this many ms for each file. */
const LONGEST = 240_000;

export interface Failure {
  readonly file: string;
  readonly test: string;
}

export interface Tree {
  /** Replaces the texts, runs the tests, puts the texts back. @returns the tests that failed */
  failuresWith(edits: readonly Edit[], tests: readonly string[]): Promise<readonly Failure[]>;
  remove(): void;
}

/** @throws when a text is not there exactly once: the source has moved on, and the mutant must be looked at */
export function checkEdits(edits: readonly Edit[]): void {
  const moved = edits.flatMap(({ file, find }) => {
    const count = readFileSync(join(ROOT, file), "utf8").split(find).length - 1;
    return count === 1 ? [] : [`${file} holds this text ${count} times instead of once:\n${find}`];
  });
  if (moved.length > 0) throw new Error(moved.join("\n\n"));
}

export function copyTree(): Tree {
  const folder = mkdtempSync(join(tmpdir(), "indoubt-mutants-"));
  for (const name of COPIED) {
    cpSync(join(ROOT, name), join(folder, name), { recursive: true, filter: (path) => !path.includes("node_modules") });
  }
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  return {
    async failuresWith(edits, tests) {
      const before = new Map<string, string>();
      for (const { file, find, replace } of edits) {
        const path = join(folder, file);
        const text = readFileSync(path, "utf8");
        before.set(path, before.get(path) ?? text);
        writeFileSync(
          path,
          text.replace(find, () => replace),
        );
      }
      try {
        return await failuresOf(folder, tests);
      } finally {
        for (const [path, text] of before) writeFileSync(path, text);
      }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function failuresOf(folder: string, tests: readonly string[]): Promise<readonly Failure[]> {
  const output = join(folder, "result.json");
  rmSync(output, { force: true });
  const args = ["run", ...tests, "--root", folder, "--reporter=json", `--outputFile=${output}`];
  const child = spawn(join(ROOT, "node_modules/.bin/vitest"), args, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  child.stdout.on("data", (chunk) => (said += chunk));
  child.stderr.on("data", (chunk) => (said += chunk));
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    child.kill("SIGKILL");
  }, LONGEST * tests.length);
  await new Promise((resolve) => child.on("close", resolve));
  clearTimeout(timer);
  if (late) return [{ file: tests[0] ?? "", test: "does not come to an end" }];
  return read(output, said);
}

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly message?: string;
    readonly assertionResults: readonly { readonly status: string; readonly title: string }[];
  }[];
}

/** @throws when a file did not run at all: a mutant that cannot even be loaded proves nothing */
function read(output: string, said: string): readonly Failure[] {
  if (!statSync(output, { throwIfNoEntry: false })) throw new Error(`vitest gave no result:\n${said.slice(-2_000)}`);
  const { testResults } = JSON.parse(readFileSync(output, "utf8")) as Report;
  return testResults.flatMap(({ name, message, assertionResults }) => {
    if (assertionResults.length === 0) throw new Error(`${name} did not run: ${message ?? said.slice(-2_000)}`);
    const file = name.slice(name.lastIndexOf("/test/") + 1);
    return assertionResults.filter(({ status }) => status === "failed").map(({ title }) => ({ file, test: title }));
  });
}

/** Test files are named; a name that is wrong must not look like a pass. */
export function checkFiles(tests: readonly string[]): void {
  const known = readdirSync(join(ROOT, "test"), { recursive: true, encoding: "utf8" }).map((path) => `test/${path}`);
  const unknown = tests.filter((file) => !known.includes(file));
  if (unknown.length > 0) throw new Error(`There is no ${unknown.join(", ")}`);
}
