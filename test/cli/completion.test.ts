import { execFileSync } from "node:child_process";
import { expect, test, vi } from "vitest";
import { newFolder, run } from "./support/command.ts";

vi.setConfig({ testTimeout: 60_000 });

test.each(["bash", "zsh", "fish", "powershell"])("prints a completion script for %s", async (shell) => {
  const { code, stdout } = await run(["completion", shell], { cwd: newFolder() });
  expect(code).toBe(0);
  expect(stdout).toContain("indoubt");
});

test("bash takes the script", async () => {
  const { stdout } = await run(["completion", "bash"], { cwd: newFolder() });
  expect(execFileSync("bash", ["-n"], { input: stdout, encoding: "utf8" })).toBe("");
});

test.each([
  [["complete", "--", ""], /^queue\b/m],
  [["complete", "--", "queue", ""], /^resolve\b/m],
  [["complete", "--", "queue", "list", "--"], /^--older\b/m],
] as const)("%j completes", async (words, expected) => {
  const { code, stdout } = await run(words, { cwd: newFolder() });
  expect(code).toBe(0);
  expect(stdout).toMatch(expected);
});

test("another shell is refused with the known ones", async () => {
  const { code, stderr } = await run(["completion", "csh"], { cwd: newFolder() });
  expect(code).toBe(2);
  expect(stderr).toContain("powershell");
});
