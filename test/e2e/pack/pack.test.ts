/**
 * The package as users get it, in an empty project, against servers that are not ours. The programs are those of the
 * documentation; the judge is the file of the server and how often it was changed.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { holdReplies, installProject, killBetweenSendAndSettle, runToEnd, start, writeProgram } from "./project.ts";

vi.setConfig({ testTimeout: 240_000, hookTimeout: 300_000 });

const project = mkdtempSync(join(tmpdir(), "indoubt-pack-"));
beforeAll(() => installProject(project));
afterAll(() => rmSync(project, { recursive: true, force: true }));

/** Both servers replace the file at each write: another inode or time is another write. */
function writesSeen(file: string): string {
  const { ino, mtimeNs } = statSync(file, { bigint: true });
  return `${ino} ${mtimeNs}`;
}

const CASES = [
  {
    server: "server-filesystem",
    tool: "write_file",
    example: "examples/files/agent.ts",
    name: "files",
    file: "report.md",
    holds: "# Report\n",
  },
  {
    server: "server-memory",
    tool: "create_entities",
    example: "examples/notes/agent.ts",
    name: "memory",
    file: "memory.jsonl",
    holds: '"name":"Order 1042"',
  },
] as const;

describe.each(CASES)("the packed tarball with the official $server", ({ tool, example, name, file, holds }) => {
  function folder(kind: string): { cwd: string; target: string } {
    const cwd = join(project, `${name}-${kind}`);
    mkdirSync(cwd);
    return { cwd, target: join(cwd, file) };
  }

  test("the documentation's program writes once, however often it is run", async () => {
    const { cwd, target } = folder("calm");
    const program = writeProgram(project, example, name);
    expect(await runToEnd(program, cwd)).toMatch(/^succeeded $/m);
    expect(readFileSync(target, "utf8")).toContain(holds);
    const written = writesSeen(target);
    expect(await runToEnd(program, cwd)).toMatch(/^succeeded \(recalled\)$/m);
    expect(writesSeen(target)).toBe(written);
  });

  test("a client killed between send and settle finds its write by the hook and does not repeat it (I2, C05)", async () => {
    const { cwd, target } = folder("killed");
    const program = writeProgram(project, example, name);
    const marker = join(cwd, "reply-was-held");
    const path = [holdReplies(project, tool, marker), process.env.PATH].join(delimiter);
    await killBetweenSendAndSettle(start(program, cwd, path), marker);
    expect(readFileSync(target, "utf8")).toContain(holds);
    const written = writesSeen(target);

    const heard: string[] = [];
    for (let runs = 0; runs < 5 && !heard.at(-1)?.startsWith("applied"); runs++) {
      heard.push((await runToEnd(program, cwd, path)).match(/^(?:applied|uncertain|succeeded|failed).*$/m)?.[0] ?? "?");
    }
    expect(heard.at(-1)).toMatch(/^applied/);
    expect(heard.slice(0, -1).filter((outcome) => !outcome.startsWith("uncertain"))).toEqual([]);
    expect(writesSeen(target)).toBe(written);
  });
});

describe("the command of the packed tarball", () => {
  const cwd = join(project, "command");
  const indoubt = (...args: string[]) =>
    execFileSync(join(project, "node_modules/.bin/indoubt"), args, { cwd, encoding: "utf8" });
  beforeAll(() => void mkdirSync(cwd));

  test("the demo runs from it, and what it leaves is found and settled", () => {
    expect(JSON.parse(indoubt("demo", "--json"))).toMatchObject({ plain: { effects: 2 }, no_hook: { effects: 1 } });
    const { items } = JSON.parse(indoubt("queue", "list", "--json")) as { items: { id: string; version: number }[] };
    expect(items).toHaveLength(1);
    const [{ id, version }] = items as [{ id: string; version: number }];
    const words = ["--version", `${version}`, "--reason", "the bank shows it", "--json"];
    expect(JSON.parse(indoubt("queue", "resolve", id, "applied", ...words))).toMatchObject({ state: "applied" });
  });

  test("it brings the JSON Schema that configuration files name", () => {
    const file = join(project, "node_modules/indoubt/config.schema.json");
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ title: "Configuration of indoubt" });
  });
});
