/**
 * docs/contracts.md followed from nothing, with the command as built for users and a server of one's own: reviewed, probed,
 * carded, cited, in force; then broken on purpose until it withdraws itself (S22, S23, S24, S26). Each test goes on from the
 * last: they are one story.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, expect, test, vi } from "vitest";
import type { JsonObject } from "../../src/index.ts";
import { bundledCommand } from "../cli/support/bundle.ts";
import { type Ran, run } from "../cli/support/command.ts";

vi.setConfig({ testTimeout: 120_000 });

const cwd = mkdtempSync(join(tmpdir(), "indoubt-guide-"));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));
const at = (name: string) => join(cwd, name);

const guide = readFileSync(join(import.meta.dirname, "../../docs/contracts.md"), "utf8");
const [file, own, , probe] = [...guide.matchAll(/^```json\n([\s\S]*?)^```/gm)].map(([, text = ""]) => JSON.parse(text));
const [, readonly = ""] = /`"billing-readonly": (\{.*?\})`\./.exec(guide) ?? [];

const indoubt = (...args: string[]): Promise<Ran> => run(args, { cwd });
const review = (...servers: string[]) => indoubt("tools", "review", ...servers, "--yes", "--actor", "you");
const card = (...more: string[]) =>
  indoubt(
    "card",
    "create_invoice",
    "--arguments",
    "call.json",
    "--denied",
    "billing-readonly",
    "--settle",
    "0",
    ...more,
  );
const explained = async () => (await indoubt("tools", "explain", "create_invoice", "--arguments", "call.json")).stdout;
const suspended = async () => (await indoubt("tools", "resume")).stdout;

function edit(name: string, from: string, to: string): void {
  const text = readFileSync(at(name), "utf8");
  expect(text).toContain(from);
  writeFileSync(at(name), text.replace(from, to));
}

/** The configuration as the guide has it by then. */
function configure(contract: JsonObject = {}): void {
  const { billing } = file.servers;
  const create_invoice = { ...own.create_invoice, ...probe.create_invoice };
  create_invoice.contract = { ...create_invoice.contract, ...contract };
  create_invoice.reconcile = { ...create_invoice.reconcile, settle: "1s" };
  const servers = {
    billing: { ...billing, tools: { ...probe, create_invoice } },
    "billing-readonly": JSON.parse(readonly),
  };
  writeFileSync(at("indoubt.config.json"), JSON.stringify({ ...file, servers }, null, 2));
}

test("from nothing: the server is reviewed, the contract and the probe are accepted, the probe shows what it asks", async () => {
  const source = readFileSync(join(import.meta.dirname, "children/billing-server.mjs"), "utf8");
  const found = source.replaceAll(/from "(@modelcontextprotocol[^"]+)"/g, (_all, path: string) => {
    return `from "${import.meta.resolve(path)}"`;
  });
  writeFileSync(at("package.json"), '{ "type": "module" }');
  writeFileSync(at("billing-server.js"), found);
  writeFileSync(at("indoubt.config.json"), JSON.stringify(file));
  writeFileSync(at("call.json"), '{ "order": "o-1", "amount": 12 }');
  expect(await review()).toMatchObject({ code: 0, stderr: "" });

  configure();
  expect((await review()).code).toBe(0);
  expect((await indoubt("tools", "diff")).code).toBe(0);
  const asked = await indoubt("probe", "create_invoice", "--arguments", "call.json", "--ask");
  expect(asked).toMatchObject({ code: 0, stderr: "" });
  expect(asked.stdout).toContain("A match correlates by our key");
  expect(asked.stdout).toContain('"kind": "absent"');
});

test("the card passes, the contract that cites it is in force, and nothing is left to say for `tools diff`", async () => {
  const made = await card();
  expect(made.stdout).toMatch(/repeat +passed/);
  expect(made.stdout).toMatch(/without_right +passed/);
  expect(made.code).toBe(0);
  configure({ review: { ...own.create_invoice.contract.review, card: "./cards/create_invoice.json" } });
  expect(await explained()).toContain("It is in force.");
  expect((await indoubt("tools", "diff")).code).toBe(0);
  expect((await indoubt("doctor")).stdout).not.toContain("no evidence card");
});

test("a new version of the tool: told, suspended, reviewed, and out of force until there is a new card", async () => {
  edit("billing-server.js", '"1.0.0"', '"1.1.0"');
  edit("billing-server.js", "const fields = { order,", 'const fields = { note: { type: "string" }, order,');
  const diff = await indoubt("tools", "diff");
  expect(diff.code).toBe(8);
  expect(diff.stdout).toContain('+ "/inputSchema/properties/note"');
  expect(diff.stdout).toContain('the server now calls itself "my-billing 1.1.0"');
  expect(await suspended()).toMatch(/"create_invoice": (?:drift|other_server)/);
  const account = await explained();
  expect(account).toContain("It is not in force: the contract is suspended");
  expect(account).toContain("It is not the server that was reviewed");

  await review();
  expect(await suspended()).toContain("Nothing is suspended.");
  expect(await explained()).toContain("It is not in force: the evidence card");
  expect((await indoubt("worker")).code).toBe(3);
  expect((await card()).code).toBe(0);
  expect(await explained()).toContain("It is in force.");
});

/** What the caller reads whose write timed out, through the proxy. */
async function lost(order: string): Promise<{ text: string; warnings: string[] }> {
  writeFileSync(at("lose"), "");
  const args = [await bundledCommand(), "proxy", "--server", "billing", "--deadline", "3s"];
  const transport = new StdioClientTransport({ command: process.execPath, args, cwd, stderr: "pipe" });
  let said = "";
  transport.stderr?.on("data", (text: Buffer) => {
    said += text;
  });
  const client = new Client({ name: "you", version: "1.0.0" });
  await client.connect(transport);
  await client.listTools();
  const call = { name: "create_invoice", arguments: { order, amount: 5 } };
  const { content } = (await client.callTool(call)) as { content: { text: string }[] };
  await client.close();
  rmSync(at("lose"));
  return { text: content.map(({ text }) => text).join(), warnings: said.split("\n").filter((line) => line !== "") };
}

test("a hint that lies: the look contradicts it, and only a person's word lifts that", async () => {
  edit("billing-server.js", "annotations: {} }", "annotations: { readOnlyHint: true } }");
  await review("billing");
  await card();
  expect(await explained()).toContain("It is in force.");
  const { text, warnings } = await lost("o-900");
  expect(text).toContain("[applied]");
  // Once: the guard's start tells it, so the proxy does not.
  expect(warnings).toEqual([expect.stringContaining("billing-readonly is not the server that was reviewed")]);
  expect(await suspended()).toContain('"create_invoice": hint_contradicted');
  expect(await explained()).toContain("It is not in force");
  await review();
  expect(await suspended()).toContain("hint_contradicted");
  expect((await indoubt("tools", "resume", "create_invoice", "--reason", "looked", "--actor", "you")).code).toBe(0);
  expect(await explained()).toContain("It is in force.");
});

test("a shorter window than the card was made with: refused at start", async () => {
  edit("indoubt.config.json", '"window": "24h"', '"window": "6s", "margin": "2s"');
  const started = await indoubt("worker");
  expect([started.code, started.stderr]).toEqual([3, expect.stringContaining("with other terms")]);
  expect(await explained()).toContain("It is not in force: the evidence card");
});

test("a server that drops the key: the card fails, and its contract is out of force", async () => {
  edit("billing-server.js", "const known = held().find(", "const known = [].find(");
  await review();
  const dropped = await card();
  expect(dropped.code).toBe(8);
  expect(dropped.stdout).toMatch(/repeat +failed +2 seen/);
  expect(await explained()).toContain("It is not in force: the contract is suspended");
  expect(await suspended()).toContain('"create_invoice": card_failed');
});
