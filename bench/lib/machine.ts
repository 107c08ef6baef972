/** What the numbers were taken on. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { cpus, totalmem, type } from "node:os";

export const machine = () => ({
  cpus: cpus().length,
  model: cpus()[0]?.model ?? "unknown",
  memory_gib: Math.round(totalmem() / 2 ** 30),
  os: type(),
});

/** Of the package that is installed, in this project or for the benchmarks alone. */
function versionOf(name: string): string | undefined {
  for (const folder of ["../../node_modules", "../node_modules"]) {
    try {
      const text = readFileSync(new URL(`${folder}/${name}/package.json`, import.meta.url), "utf8");
      return (JSON.parse(text) as { version: string }).version;
    } catch {
      // the next folder
    }
  }
  return undefined;
}

const PACKAGES = [
  "ioredis",
  "better-sqlite3",
  "@modelcontextprotocol/sdk",
  "@modelcontextprotocol/client",
  "@aws-lambda-powertools/idempotency",
  "@redis/client",
  "@node-idempotency/core",
  "@node-idempotency/storage-adapter-redis",
];

export const versions = (): Readonly<Record<string, string>> => ({
  node: process.version,
  redis: /v=(\S+)/.exec(spawnSync("redis-server", ["--version"], { encoding: "utf8" }).stdout)?.[1] ?? "unknown",
  ...Object.fromEntries(PACKAGES.map((name) => [name, versionOf(name) ?? "not installed"])),
});
