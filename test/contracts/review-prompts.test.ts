/** The questions of `tools review`, asked on a pseudo terminal (S05, S22): no answer is no yes, and a yes covers what was shown. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { parseLock } from "../../src/lock.ts";
import { bundledCommand } from "../cli/support/bundle.ts";
import { newFolder, run } from "../cli/support/command.ts";

vi.setConfig({ testTimeout: 180_000 });

const server = fileURLToPath(new URL("./children/claiming-server.ts", import.meta.url));
const CONFIG = "indoubt.config.json";
const LOCK = "indoubt.lock.json";

function project(names: readonly string[] = ["shop"]): string {
  const cwd = newFolder();
  const one = { command: process.execPath, args: ["--import", import.meta.resolve("tsx"), server] };
  const servers = Object.fromEntries(names.map((name) => [name, one]));
  writeFileSync(join(cwd, CONFIG), JSON.stringify({ store: "sqlite:./indoubt.db", servers }));
  return cwd;
}
const config = (cwd: string) => JSON.parse(readFileSync(join(cwd, CONFIG), "utf8"));
const lock = (cwd: string) =>
  existsSync(join(cwd, LOCK)) ? parseLock(JSON.parse(readFileSync(join(cwd, LOCK), "utf8"))) : undefined;
const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

interface Terminal {
  readonly child: ChildProcess;
  readonly screen: () => string;
  /** Waits until the screen shows it once more than before, then types. */
  answer(question: RegExp, keys: string): Promise<void>;
  readonly ended: Promise<number | null>;
}

/** The built command on a terminal of its own: `script` makes one. */
async function onTerminal(cwd: string, ...args: string[]): Promise<Terminal> {
  const line = [process.execPath, await bundledCommand(), "tools", "review", ...args].map(quote).join(" ");
  const child = spawn("script", ["-qefc", line, "/dev/null"], { cwd, env: { ...process.env, NO_COLOR: "1" } });
  let screen = "";
  let read = 0;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    screen += text;
  });
  const ended = new Promise<number | null>((done) => child.once("close", done));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return {
    child,
    ended,
    screen: () => screen,
    async answer(question, keys) {
      await vi.waitFor(() => expect(screen.slice(read)).toMatch(question), { timeout: 60_000, interval: 50 });
      read = screen.length;
      child.stdin.write(keys);
    },
  };
}

const hasScript = (() => {
  try {
    return execFileSync("script", ["--version"], { encoding: "utf8" }).includes("util-linux");
  } catch {
    return false;
  }
})();

describe.skipIf(!hasScript)("on a terminal", () => {
  test("yes records, and the second yes declares what claims to be read-only", async () => {
    const cwd = project();
    const terminal = await onTerminal(cwd);
    await terminal.answer(/Record 2 tools of "shop" as reviewed\? \[y\/N\]/, "y\r");
    await terminal.answer(/These claim to be read-only: "find_invoice"/, "yes\r");
    expect(await terminal.ended).toBe(0);
    expect(Object.keys(lock(cwd)?.servers.shop?.catalogues[0]?.tools ?? {})).toEqual([
      "create_invoice",
      "find_invoice",
    ]);
    expect(config(cwd).servers.shop.tools).toEqual({ find_invoice: { effect: "read" } });
  });

  test.each([
    ["return alone", "\r"],
    ["no", "no\r"],
    ["anything else", "sure\r"],
  ])("%s records nothing", async (_what, keys) => {
    const cwd = project();
    const terminal = await onTerminal(cwd);
    await terminal.answer(/as reviewed\? \[y\/N\]/, keys);
    expect(await terminal.ended).toBe(0);
    expect([lock(cwd), config(cwd).servers.shop.tools]).toEqual([undefined, undefined]);
  });

  test.each([
    ["the end of the input", "\u0004"],
    ["an interrupt", "\u0003"],
  ])("%s is no yes: it ends, says so, and records nothing", async (_what, keys) => {
    const cwd = project();
    const terminal = await onTerminal(cwd);
    await terminal.answer(/as reviewed\? \[y\/N\]/, keys);
    expect(await terminal.ended).toBe(2);
    expect(terminal.screen()).toContain("left without an answer");
    expect(lock(cwd)).toBeUndefined();
  });

  test("what was said yes to before the terminal went away stays, reads included", async () => {
    const cwd = project(["one", "two"]);
    const terminal = await onTerminal(cwd);
    await terminal.answer(/Record 2 tools of "one"/, "y\r");
    await terminal.answer(/read-only/, "y\r");
    await terminal.answer(/Record 2 tools of "two"/, "\u0004");
    expect(await terminal.ended).toBe(2);
    expect(Object.keys(lock(cwd)?.servers ?? {})).toEqual(["one"]);
    expect(config(cwd).servers.one.tools).toEqual({ find_invoice: { effect: "read" } });
    expect(config(cwd).servers.two.tools).toBeUndefined();
  });

  test("a lock that somebody else wrote while the question stood is not overwritten", async () => {
    const cwd = project(["one", "two"]);
    const terminal = await onTerminal(cwd, "one");
    await vi.waitFor(() => expect(terminal.screen()).toContain("[y/N]"), { timeout: 60_000, interval: 50 });
    expect((await run(["tools", "review", "two", "--yes", "--actor", "bob"], { cwd })).code).toBe(0);
    await terminal.answer(/\[y\/N\]/, "y\r");
    expect(await terminal.ended).toBe(2);
    expect(terminal.screen()).toContain("was written by somebody else");
    expect(Object.keys(lock(cwd)?.servers ?? {})).toEqual(["two"]);
  });

  test("with --tool the question about reads is only about the tools that were accepted", async () => {
    const cwd = project();
    const terminal = await onTerminal(cwd, "--tool", "create_invoice");
    await terminal.answer(/Record "create_invoice" of "shop"/, "y\r");
    expect(await terminal.ended).toBe(0);
    expect(terminal.screen()).not.toContain("These claim");
    expect(config(cwd).servers.shop.tools).toBeUndefined();
  });
});

test("without a terminal nothing is asked, and nothing is recorded", async () => {
  const cwd = project();
  const review = await run(["tools", "review"], { cwd, input: "y\ny\n" });
  expect([review.code, lock(cwd)]).toEqual([2, undefined]);
  expect(review.stderr).toContain("--yes");
  const partly = await run(["tools", "review", "--yes", "--reads", "--tool", "create_invoice"], { cwd });
  expect([partly.code, config(cwd).servers.shop.tools]).toEqual([0, undefined]);
});
