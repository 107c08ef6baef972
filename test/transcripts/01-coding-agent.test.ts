/** A coding agent: files, and a command that takes longer than the agent waits. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { ownServer } from "./stage/servers.ts";
import { session } from "./stage/session.ts";

test("a coding agent goes on while a slow command runs, and gets its output without running it twice", async () => {
  const stage = await session("A coding agent with files and a slow command");
  const served = ownServer("files");
  writeFileSync(join(served.folder, "app.js"), "let a = 1;");
  const files = await stage.connect("files", served);

  await files.call("read_file", { path: "app.js" });
  await files.call("read_file", { path: "app.js" });
  await files.call("write_file", { path: "app.js", content: "const a = 1;" });
  await files.call("write_file", { path: "app.js", content: "const a = 1;" });

  stage.page.scene("The tests take longer than the agent waits");
  const tests = { command: "sleep 1 && echo 12 tests passed" };
  const first = await files.call("run_command", tests, { timeout: 300 });
  const again = await files.call("run_command", tests, { timeout: 300 });
  const other = await files.call("read_file", { path: "app.js" });
  await files.call("write_file", { path: "notes.md", content: "waiting for the tests" });
  await stage.queue();

  stage.page.scene("The command ends; its output was late, not lost");
  await sleep(1_200);
  const later = await files.call("run_command", tests);
  const once_more = await files.call("run_command", tests);
  await stage.queue();

  expect(first.outcome?.kind).toBe("uncertain");
  expect(again.outcome?.kind).toBe("uncertain");
  expect(other.isError).toBe(false);
  expect(later.text).toContain("12 tests passed");
  expect(once_more.outcome?.recalled).toBeUndefined();
  expect(files.effects("run_command")).toBe(2);
  expect(files.effects("write_file")).toBe(3);
  await stage.ends("01-coding-agent.txt");
});
