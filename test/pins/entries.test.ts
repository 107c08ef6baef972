import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { entries, exportPath } from "../../scripts/entries.ts";

const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  exports: Record<string, string>;
  dependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
  peerDependencies: Record<string, string>;
  peerDependenciesMeta: Record<string, { optional: boolean }>;
};

it("publishes these entry points and no others", () => {
  expect(Object.keys(manifest.exports)).toEqual([
    ".",
    "./store",
    "./wire",
    "./queue",
    "./review",
    "./config",
    "./probe",
    "./mcp",
    "./redis",
    "./sqlite",
    "./spool",
    "./memory",
    "./webhook",
    "./loops",
    "./ai-sdk",
    "./langchain",
    "./openai-agents",
    "./mastra",
    "./proxy",
    "./page",
    "./reconcilers",
    "./testing",
    "./package.json",
  ]);
  expect(Object.keys(manifest.exports)).toEqual([...Object.keys(entries).map(exportPath), "./package.json"]);
});

it("installs only what every user needs; the MCP SDKs, the frameworks and SQLite stay optional", () => {
  expect(Object.keys(manifest.dependencies)).toEqual([
    // The command line and the page; no entry but theirs loads them.
    "@bomb.sh/tab",
    "@hono/node-server",
    "cli-table3",
    "commander",
    "hono",
    "ioredis",
    "p-retry",
    "zod",
  ]);
  expect(Object.keys(manifest.optionalDependencies)).toEqual(["better-sqlite3"]);
  expect(Object.keys(manifest.peerDependencies)).toEqual([
    "@ai-sdk/mcp",
    "@langchain/core",
    "@langchain/mcp-adapters",
    "@mastra/mcp",
    "@modelcontextprotocol/client",
    "@modelcontextprotocol/sdk",
    "@openai/agents",
  ]);
  expect(Object.keys(manifest.peerDependenciesMeta)).toEqual(Object.keys(manifest.peerDependencies));
  expect(Object.values(manifest.peerDependenciesMeta)).toEqual(Array(7).fill({ optional: true }));
});
