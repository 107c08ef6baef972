/** `indoubt page`, as an operator starts it. */
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { sqliteStore } from "../../adapters/stores/sqlite/index.ts";
import type { Page } from "../../adapters/surfaces/page/index.ts";
import { createGuard } from "../../src/index.ts";
import { bundledCommand } from "../cli/support/bundle.ts";
import { errorOf, jsonOf, newFolder, run, startForTest } from "../cli/support/command.ts";
import { callTool } from "./support/calls.ts";
import { visitor } from "./support/visitor.ts";

vi.setConfig({ testTimeout: 60_000 });

async function folderWithQueue(): Promise<{ cwd: string; id: string }> {
  const cwd = newFolder();
  const guard = createGuard({ store: sqliteStore({ file: join(cwd, "indoubt.db") }), sweepEvery: "1h" });
  const { operation } = await callTool(guard, ["billing", "charge_card"], { order: "o-1" });
  await guard.close({ within: 0 });
  return { cwd, id: operation };
}

test("prints a link that signs in once, serves the queue of this folder, and ends in order on SIGTERM", async () => {
  const { cwd, id } = await folderWithQueue();
  const running = await startForTest(["page", "--port", "0", "--actor", "on-call", "--json"], { cwd });
  await running.heard(/\n/);
  const page = JSON.parse(running.stdout()) as Page;
  const onCall = visitor(page);
  await onCall.signIn();
  expect((await onCall.get("/?index=open")).text).toContain(id);
  const decided = await onCall.post(`/items/${id}/resolve`, { version: "2", verdict: "applied", reason: "found" });
  expect(decided.status).toBe(303);
  running.child.kill("SIGTERM");
  const { code } = await running.ended;
  expect(code).toBe(0);
  const shown = await run(["queue", "show", id, "--json"], { cwd });
  expect(shown.stdout).toContain('"actor":"on-call"');
});

test("a second browser gets a link of its own on SIGUSR2; what is piped in asks for nothing", async () => {
  const { cwd } = await folderWithQueue();
  const running = await startForTest(["page", "--port", "0", "--json"], { cwd, input: "\n\n" });
  await running.heard(/\n/);
  const [first] = linesOf(running.stdout());
  running.child.kill("SIGUSR2");
  await running.heard(/\n.*\n/);
  const [, second, ...more] = linesOf(running.stdout());
  expect(more).toEqual([]);
  expect(second?.url).not.toBe(first?.url);
  for (const page of [first, second]) {
    if (!page) throw new Error("no link");
    expect((await visitor(page).signIn()).headers.location).toBe("/");
    expect((await visitor(page).signIn()).status).toBe(401);
  }
  running.child.kill("SIGTERM");
  expect((await running.ended).code).toBe(0);
});

test("at a terminal, Enter asks for the link of another browser", async () => {
  const { cwd } = await folderWithQueue();
  const command = [process.execPath, await bundledCommand(), "page", "--port", "0"]
    .map((word) => `'${word}'`)
    .join(" ");
  const terminal = spawn("script", ["-qec", command, "/dev/null"], { cwd, stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void terminal.kill("SIGKILL"));
  let heard = "";
  terminal.stdout.setEncoding("utf8").on("data", (text: string) => {
    heard += text;
  });
  const links = () => new Set(heard.match(/http:\S+token=[\w-]+/g)).size;
  await expect
    .poll(() => [links(), heard.includes("Press Enter for another browser")], { timeout: 20_000 })
    .toEqual([1, true]);
  terminal.stdin.write("\r");
  await expect.poll(links, { timeout: 20_000 }).toBe(2);
  terminal.stdin.write("\u0003");
  await new Promise((resolve) => terminal.once("close", resolve));
});

const linesOf = (text: string): Page[] =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Page);

test("tokens come from a file or the environment; a new one is printed with its digest for the file", async () => {
  const { cwd } = await folderWithQueue();
  const made = jsonOf<{ token: string; entry: object }>(
    await run(["page", "--new-token", "support", "--role", "viewer", "--json"], { cwd }),
  );
  const list = [made.entry, { name: "on-call", role: "operator", token: { env: "TOKEN_ON_CALL" } }];
  writeFileSync(join(cwd, "tokens.json"), JSON.stringify(list));
  expect(JSON.stringify(made.entry)).not.toContain(made.token);
  const env = { TOKEN_ON_CALL: "the token on call, long enough" };
  const byFile = await startForTest(["page", "--port", "0", "--tokens", "tokens.json", "--json"], { cwd, env });
  await byFile.heard(/\n/);
  const page = JSON.parse(byFile.stdout()) as Page;
  expect(page.url).toBe(`${page.origin}/`);
  for (const token of [made.token, env.TOKEN_ON_CALL]) {
    expect((await visitor(page).post("/sign-in", { token })).status).toBe(303);
  }
  const text = {
    INDOUBT_PAGE_TOKENS: "support:viewer:supports-token-long-enough, on-call:operator:on-calls-token-long-enough",
  };
  const byText = await startForTest(["page", "--port", "0", "--json"], { cwd, env: text });
  await byText.heard(/\n/);
  const other = JSON.parse(byText.stdout()) as Page;
  expect((await visitor(other).post("/sign-in", { token: "on-calls-token-long-enough" })).status).toBe(303);
});

test("what cannot work is said before a port is opened, never with a token in it", async () => {
  const { cwd } = await folderWithQueue();
  const secret = "a-token-that-is-secret";
  writeFileSync(join(cwd, "bad.json"), JSON.stringify([{ name: "on-call", role: "boss", token: secret }]));
  writeFileSync(join(cwd, "broken.json"), "[{");
  const cases: [string[], string, Record<string, string>][] = [
    [["--host", "0.0.0.0"], "page.host", {}],
    [["--tokens", "bad.json"], "page.tokens[0].role", {}],
    [["--tokens", "broken.json"], "page.tokens", {}],
    [["--tokens", "none.json"], "cannot be read", {}],
    [["--port", "99999"], "--port", {}],
    [["--url-template", "https://{id}.example.com"], "page.urlTemplate", {}],
    [["--public-url", "queue.example.com"], "page.publicUrl", {}],
    [[], "page.tokens[0]", { INDOUBT_PAGE_TOKENS: `on-call=${secret}` }],
  ];
  for (const [args, words, env] of cases) {
    const ran = await run(["page", "--json", ...args], { cwd, env });
    expect([ran.code, args]).not.toEqual([0, args]);
    expect(errorOf(ran).message).toContain(words);
    expect(ran.stderr).not.toContain(secret);
  }
});
