/**
 * Every public entry point: name of the built file -> its source. The root is `index`.
 * The build, knip, the API reports and the package check read this list; `exports` in package.json must agree with it.
 */
export const entries = {
  index: "src/index.ts",
  store: "src/entries/store.ts",
  wire: "src/entries/wire.ts",
  queue: "src/entries/queue.ts",
  review: "src/entries/review.ts",
  config: "src/entries/config.ts",
  probe: "src/entries/probe.ts",
  mcp: "adapters/mcp/index.ts",
  redis: "adapters/stores/redis/index.ts",
  sqlite: "adapters/stores/sqlite/index.ts",
  spool: "adapters/spool/index.ts",
  memory: "adapters/stores/memory/index.ts",
  webhook: "adapters/webhook/index.ts",
  loops: "adapters/frameworks/loops/index.ts",
  "ai-sdk": "adapters/frameworks/ai-sdk/index.ts",
  langchain: "adapters/frameworks/langchain/index.ts",
  "openai-agents": "adapters/frameworks/openai-agents/index.ts",
  mastra: "adapters/frameworks/mastra/index.ts",
  proxy: "adapters/surfaces/proxy/index.ts",
  page: "adapters/surfaces/page/index.ts",
  reconcilers: "adapters/reconcilers/index.ts",
  testing: "adapters/testing/index.ts",
} as const;

/** Programs of the package that nobody imports: file in dist/bin -> source. */
export const programs = {
  "bin/indoubt": "adapters/surfaces/cli/bin.ts",
  "bin/demo-server": "adapters/surfaces/demo/server.ts",
} as const;

export type EntryName = keyof typeof entries;

/** `index` -> `.`, `redis` -> `./redis`: how package.json names an entry. */
export function exportPath(name: string): string {
  return name === "index" ? "." : `./${name}`;
}
