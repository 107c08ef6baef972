/** A server whose tool list never ends (S27): it is told, and nothing is recorded of it. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { newFolder, run } from "../cli/support/command.ts";

vi.setConfig({ testTimeout: 120_000 });

const server = (next: string) => `
import { createInterface } from "node:readline";
let page = 0;
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = method === "initialize"
    ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "x", version: "1" } }
    : { tools: [], nextCursor: ${next} };
  page += 1;
  console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
});`;

test.each([
  ["the same page again and again", '"again"'],
  ["an empty cursor", '""'],
  ["a new page each time", "String(page)"],
])("%s: the review ends", async (_what, next) => {
  const cwd = newFolder();
  writeFileSync(join(cwd, "server.mjs"), server(next));
  const servers = { x: { command: process.execPath, args: ["./server.mjs"] } };
  writeFileSync(join(cwd, "indoubt.config.json"), JSON.stringify({ store: "sqlite:./indoubt.db", servers }));
  const review = await run(["tools", "review", "--yes", "--actor", "ann"], { cwd });
  expect(review.stderr).toContain("goes round in a circle");
  expect([review.code, existsSync(join(cwd, "indoubt.lock.json"))]).toEqual([3, false]);
});
