/**
 * The guard as it is published. The source itself would run through a loader that names every inner function anew, which
 * doubles the cost of some calls. Built here, apart from `dist/`, when there is no build or an older one.
 */
import { spawnSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = new URL("../../", import.meta.url);

const newest = (folder: string): number =>
  Math.max(
    ...readdirSync(new URL(folder, root), { recursive: true, encoding: "utf8" }).map(
      (name) => statSync(new URL(`${folder}/${name}`, root)).mtimeMs,
    ),
  );

const FOLDER = "bench/node_modules/.built";
const builtAt = statSync(new URL(`${FOLDER}/index.js`, root), { throwIfNoEntry: false })?.mtimeMs ?? 0;
if (builtAt < Math.max(newest("src"), newest("adapters"))) {
  console.error("building …");
  const built = spawnSync("npx", ["tsdown", "--no-dts", "--out-dir", FOLDER], {
    cwd: fileURLToPath(root),
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (built.status !== 0) throw new Error("The guard could not be built; see above.");
}

export const builtBin = fileURLToPath(new URL(`${FOLDER}/bin/indoubt.js`, root));

const load = (name: string): Promise<unknown> => import(new URL(`${FOLDER}/${name}.js`, root).href);

export const { createGuard, applied, absent } = (await load("index")) as typeof import("../../src/index.ts");
export const { guardClient } = (await load("mcp")) as typeof import("../../adapters/mcp/index.ts");
export const { memoryStore } = (await load("memory")) as typeof import("../../adapters/stores/memory/index.ts");
export const { redisStore } = (await load("redis")) as typeof import("../../adapters/stores/redis/index.ts");
export const { sqliteStore } = (await load("sqlite")) as typeof import("../../adapters/stores/sqlite/index.ts");
export const { startPage } = (await load("page")) as typeof import("../../adapters/surfaces/page/index.ts");
