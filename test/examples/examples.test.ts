/** Each folder of examples/ runs as a reader runs it: a reply is lost, there is one effect, and its page says what it prints. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, sep } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { runExample } from "../docs/support/run-example.ts";
import { page, root } from "../docs/support/snippets.ts";
import { type Postgres, startPostgres } from "../support/postgres.ts";

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });
const cwd = mkdtempSync(join(tmpdir(), "indoubt-examples-"));
afterAll(() => rmSync(cwd, { recursive: true }));

async function run(folder: string, file = "run.ts", env = {}): Promise<readonly string[]> {
  const { stdout } = await runExample(`${folder}/${file}`, { cwd, env });
  return stdout.trim().split("\n");
}
/** What the page of an example shows as its output. */
const shown = (folder: string): readonly string[] =>
  /\n\n```\n([\s\S]*?)\n```/.exec(page(`examples/${folder}/README.md`))?.[1]?.split("\n") ?? [];

test.concurrent("payments: a lost reply is followed by a second send with the same key, and there is one charge (C03)", async () => {
  const lines = await run("payments");
  expect(lines.slice(0, 3)).toEqual(shown("payments").slice(0, 3));
  // How often a repeat met the first request depends on the machine; how many charges there are does not.
  expect(lines[3]).toMatch(
    /still works: succeeded, sends: \d; the API answered: (409, )*200, (409, )*200 replayed; charges: 2$/,
  );
});

test.concurrent("notes: an agent that is killed finds its note when it starts again (T9, C05)", async () => {
  expect(await run("notes")).toEqual(shown("notes"));
});

test.concurrent("files: a server that is killed after the write leaves doubt, and the next run finds the file (T2, C05)", async () => {
  expect(await run("files")).toEqual(shown("files"));
});

test.concurrent("mail: what nothing can look up waits for a person, through the API and the command line (W2)", async () => {
  expect(await run("mail")).toEqual(shown("mail"));
});

describe("with a PostgreSQL", () => {
  let database: Postgres;
  beforeAll(async () => {
    database = await startPostgres();
  });
  afterAll(() => database.stop());

  test("postgres: the probe tells a death after the commit from one before it (T2, C05)", async () => {
    expect(await run("postgres", "run.ts", { DATABASE_URL: database.url })).toEqual(shown("postgres"));
  });
});

test.concurrent("inspector: a client that is not ours reads the doubt, and its second call is held (T4-10)", async () => {
  expect(await run("inspector")).toEqual(shown("inspector"));
});

test.concurrent("langgraph: a run that resumes from its checkpoint makes no second write (T9-03)", async () => {
  expect(await run("langgraph", "resume.ts")).toEqual(shown("langgraph"));
});

test("each folder of examples/ is named on examples/README.md", () => {
  const files = readdirSync(join(root, "examples"), { recursive: true, encoding: "utf8" });
  const folders = new Set(files.filter((file) => file.includes(sep)).map((file) => file.split(sep)[0] ?? ""));
  folders.delete("support");
  const index = page("examples/README.md");
  expect([...folders].filter((name) => !index.includes(`[${name}](`))).toEqual([]);
});
