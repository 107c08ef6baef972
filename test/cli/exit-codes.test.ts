/** Every way to be wrong has its exit code, a clear message with the cure, and changes nothing. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, describe, expect, test, vi } from "vitest";
import { EXIT, EXIT_WORDS } from "../../adapters/surfaces/cli/exit.ts";
import { errorOf, jsonOf, newFolder, run, start } from "./support/command.ts";
import { doubts, redisPlace, sqlitePlace, stopRedis } from "./support/store.ts";

vi.setConfig({ testTimeout: 120_000 });
afterAll(stopRedis);

test("the exit codes are pinned", () => {
  expect(EXIT).toEqual({
    ok: 0,
    failed: 1,
    usage: 2,
    configuration: 3,
    store: 4,
    conflict: 5,
    not_found: 6,
    partial: 7,
    problems: 8,
  });
});

test("docs/cli.md has each exit code with its words", () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/cli.md"), "utf8");
  for (const [name, code] of Object.entries(EXIT)) {
    expect(page, name).toContain(`| ${code} | ${EXIT_WORDS[name as keyof typeof EXIT]} |`);
  }
});

const ID = "abcdefghij_00000000000000000000000000";
const REASON = ["--reason", "looked"];
const USAGE: readonly (readonly [string, readonly string[], RegExp])[] = [
  ["an unknown command", ["queu"], /unknown command/],
  ["an unknown option", ["queue", "list", "--tol", "x"], /unknown option/],
  ["a missing command", ["queue"], /command is missing/],
  ["a malformed filter", ["queue", "list", "--filter", "tool"], /is no filter/],
  ["an unknown filter", ["queue", "list", "--filter", "tol=x"], /is no filter/],
  ["a state that is none", ["queue", "list", "--state", "lost"], /state is "lost"/],
  ["an age without a unit", ["queue", "list", "--older", "10"], /is no duration/],
  ["a limit of nothing", ["queue", "list", "--limit", "0"], /--limit is "0"/],
  ["a missing reason", ["queue", "resolve", ID, "applied", "--version", "1"], /--reason is missing/],
  ["a blank reason", ["queue", "resolve", ID, "applied", "--version", "1", "--reason", "  "], /--reason is missing/],
  ["a missing version", ["queue", "resolve", ID, "applied", ...REASON], /--version is missing/],
  ["a version that is none", ["queue", "resolve", ID, "applied", "--version", "x", ...REASON], /--version is "x"/],
  ["a verdict that is none", ["queue", "resolve", ID, "done", "--version", "1", ...REASON], /verdict is "done"/],
  ["a missing verdict", ["queue", "resolve", ID, "--version", "1", ...REASON], /takes an id and a verdict/],
  ["neither id nor verdict", ["queue", "resolve"], /takes an id and a verdict/],
  ["a tool where no server is configured", ["probe", "create_invoice"], /No server is configured/],
  ["many without a count", ["queue", "resolve", "-f", "tool=x", "abandon", ...REASON], /--dry-run or --confirm/],
  ["many with an id", ["queue", "resolve", "-f", "tool=x", ID, "abandon", ...REASON, "--dry-run"], /no id/],
  [
    "evidence that is no object",
    ["queue", "resolve", ID, "applied", "--version", "1", ...REASON, "--result", "-"],
    /no JSON object/,
  ],
  ["a template that names nothing", ["queue", "show", "ID", "--url-template", "https://x.example"], /names nothing/],
];

describe("how it is called (exit code 2)", () => {
  test.each(USAGE)("%s", async (_name, args, message) => {
    const place = sqlitePlace(newFolder());
    const [id = ""] = args.includes("--url-template") ? await doubts(place, [{}]) : [""];
    const ran = await run([...args.map((word) => (word === "ID" ? id : word)), "--json"], { ...place, input: "[]" });
    expect(ran.code).toBe(2);
    expect(ran.stdout).toBe("");
    const error = errorOf(ran);
    expect(error).toMatchObject({ code: "USAGE", exit: 2 });
    expect(error.message).toMatch(message);
    expect(error.cure).not.toBe("");
  });

  test.each([
    [["queue", "lst"], "indoubt queue --help`."],
    [["--store", "x.db", "bogus"], "indoubt --help`."],
    [["queue", "list", "--tol", "x"], "indoubt queue list --help`."],
  ])("%j is sent to a help that there is", async (args, help) => {
    const error = errorOf(await run([...args, "--json"], { cwd: newFolder() }));
    expect(error.cure).toContain(help);
  });

  test("an option that may be repeated shows no empty default", async () => {
    const { stdout } = await run(["proxy", "--help"], { cwd: newFolder() });
    expect(stdout).toContain("--header <header>");
    expect(stdout).not.toContain("default: []");
  });

  test("without --json the message and the cure are plain text", async () => {
    const ran = await run(["queue", "list", "--filter", "tool"], { cwd: newFolder() });
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr).toBe(
      'USAGE: "tool" is no filter\nWrite KEY=VALUE, with one of: server, tool, state, reason, conflict, older, newer, principal, text, index.\n',
    );
  });
});

describe("the set-up (exit code 3)", () => {
  test("a folder without a store is no empty queue", async () => {
    const cwd = newFolder();
    const ran = await run(["queue", "list", "--json"], { cwd });
    expect(ran.code).toBe(3);
    expect(errorOf(ran).message).toContain("There is no store at");
    expect(() => readFileSync(join(cwd, "indoubt.db"))).toThrow(/ENOENT/);
  });

  test.each([
    ["an unknown kind of store", ["--store", "postgres://localhost"], /no kind of store/],
    ["a Redis without a namespace", ["--store", "redis://127.0.0.1:1"], /namespace: missing/],
    ["a Redis without a secret", ["--store", "redis://127.0.0.1:1", "--namespace", "x"], /INDOUBT_SECRET is not set/],
    ["a configuration file that is not there", ["--config", "nowhere.json"], /There is no configuration file/],
  ])("%s", async (_name, args, message) => {
    const ran = await run(["queue", "list", "--json", ...args], { cwd: newFolder() });
    expect(ran.code).toBe(3);
    expect(errorOf(ran)).toMatchObject({ code: "CONFIG_INVALID", message: expect.stringMatching(message) });
  });
});

describe("the store (exit code 4)", () => {
  test("a Redis that is not there", async () => {
    const env = { INDOUBT_SECRET: "0123456789abcdef" };
    const ran = await run(["queue", "list", "--json", "--store", "redis://127.0.0.1:1", "--namespace", "x"], {
      cwd: newFolder(),
      env,
    });
    expect(ran.code).toBe(4);
    expect(errorOf(ran)).toMatchObject({ code: "STORE_UNAVAILABLE" });
  });

  test("a Redis with another secret", async () => {
    const place = await redisPlace(newFolder());
    await doubts(place, [{}]);
    const ran = await run(["queue", "list", "--json", ...place.args], {
      ...place,
      env: { INDOUBT_SECRET: "another secret of another team" },
    });
    expect(ran.code).toBe(4);
    expect(errorOf(ran)).toMatchObject({ code: "STORE_INCOMPATIBLE" });
  });

  test("a file that is no database", async () => {
    const cwd = newFolder();
    writeFileSync(join(cwd, "indoubt.db"), "something else".repeat(100));
    const ran = await run(["queue", "list", "--json"], { cwd });
    expect([3, 4]).toContain(ran.code);
    expect(errorOf(ran).message).toContain("indoubt.db");
  });

  test("a file that another process has locked: nothing is decided", async () => {
    const place = sqlitePlace(newFolder());
    const [id = ""] = await doubts(place, [{}]);
    const other = new Database(join(place.cwd, "indoubt.db"));
    other.exec("BEGIN IMMEDIATE");
    const resolve = ["queue", "resolve", id, "applied", "--version", "3", ...REASON, "--json"];
    const ran = await run(resolve, place);
    expect(ran.code).toBe(4);
    expect(errorOf(ran)).toMatchObject({ code: "STORE_UNAVAILABLE" });
    other.close();
    expect(jsonOf(await run(["queue", "show", id, "--json"], place))).toMatchObject({
      state: "unresolved",
      version: 3,
    });
  });

  test("a Redis that takes no writes: nothing is decided, and it says so", async () => {
    const place = await redisPlace(newFolder());
    const [id = ""] = await doubts(place, [{}]);
    const readOnly = await place.forbidWrites();
    const args = ["queue", "resolve", id, "applied", "--version", "3", ...REASON, "--json"];
    const ran = await run([...args, ...readOnly], place);
    expect(ran.code).toBe(4);
    expect(errorOf(ran)).toMatchObject({ code: expect.stringMatching(/^STORE_/) });
    const shown = await run(["queue", "show", id, "--json", ...place.args], place);
    expect(jsonOf(shown)).toMatchObject({ state: "unresolved", version: 3 });
  });
});

test("a reader that goes away, as head does, is no failure", async () => {
  const place = sqlitePlace(newFolder());
  await doubts(place, [{}, {}]);
  const running = await start(["queue", "export"], place);
  running.child.stdout?.destroy();
  expect(await running.ended).toMatchObject({ code: 0, stderr: "" });
});

test("an unknown id is 6 with --json and without", async () => {
  const place = sqlitePlace(newFolder());
  await doubts(place, [{}]);
  const json = await run(["queue", "show", ID, "--json"], place);
  expect(json.code).toBe(6);
  expect(errorOf(json)).toMatchObject({ code: "NOT_FOUND", exit: 6 });
  const text = await run(["queue", "resolve", ID, "applied", "--version", "1", ...REASON], place);
  expect(text.code).toBe(6);
  expect(text.stderr).toMatch(/^NOT_FOUND: There is no operation/);
});

test("--help and --version end with 0 and load neither a store nor a server", async () => {
  const cwd = newFolder();
  const help = await run(["--help"], { cwd, env: { NODE_DEBUG: "esm" } });
  expect(help.code).toBe(0);
  expect(help.stdout).toContain("indoubt queue list");
  expect(help.stderr).toMatch(/commander/);
  expect(help.stderr).not.toMatch(/ioredis|better-sqlite3|hono|@modelcontextprotocol/);
  for (const words of [
    ["queue", "--help"],
    ["queue", "resolve", "--help"],
    ["worker", "--help"],
  ]) {
    const ran = await run(words, { cwd });
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(ran.stdout).toContain("Usage: indoubt");
  }
  const version = await run(["--version"], { cwd });
  expect(version).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+/) });
});
