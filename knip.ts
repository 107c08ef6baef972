import type { KnipConfig } from "knip";
import { entries, programs } from "./scripts/entries.ts";

const config: KnipConfig = {
  entry: [
    ...Object.values(entries),
    programs["bin/demo-server"],
    "scripts/*.ts",
    "examples/**/*.ts",
    "bench/*.ts",
    "test/**/children/*.ts",
  ],
  project: ["{src,adapters,test,examples,bench,scripts}/**/*.ts", "*.ts"],
  ignore: ["bench/peers/**"],
  // Run as programs, by path.
  ignoreDependencies: [
    "@modelcontextprotocol/server-everything",
    "@modelcontextprotocol/server-filesystem",
    "@modelcontextprotocol/server-memory",
  ],
  ignoreBinaries: ["flock", "redis-server", "script"],
  ignoreExportsUsedInFile: true,
};

export default config;
