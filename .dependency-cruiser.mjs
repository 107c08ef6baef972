// Directions: src/core <- src/ports.ts, src/wire.ts <- the rest of src <- src/index.ts and src/entries <- adapters.
const outsideWorld =
  "^(node:)?(fs|net|tls|http|https|http2|dgram|child_process|cluster|worker_threads|sqlite)(/|$)" +
  "|(^|node_modules/)(ioredis|better-sqlite3|@modelcontextprotocol)(/|$)";

const publicEntry = "^src/(index|entries/[^/]+)\\.ts$";

// An adapter is one folder: adapters/mcp, adapters/testing, or one level deeper in a group, as adapters/stores/redis.
const adapter = "^adapters/((?:stores|frameworks|reconcilers|telemetry|surfaces)/[^/]+|[^/]+)/";

export default {
  forbidden: [
    {
      name: "core-is-pure",
      comment: "src/core decides over data: it imports itself, zod and node:crypto, nothing else.",
      severity: "error",
      from: { path: "^src/core/" },
      to: { pathNot: "^src/core/|^(node:)?crypto$|(^|node_modules/)zod(/|$)" },
    },
    {
      name: "ports-know-only-core",
      comment: "src/ports.ts and src/wire.ts are written in the words of src/core.",
      severity: "error",
      from: { path: "^src/(ports|wire)\\.ts$" },
      to: { pathNot: "^src/core/" },
    },
    {
      name: "entries-are-the-top-of-src",
      comment:
        "src/index.ts and src/entries are for users and adapters; inside src import the file that owns the name.",
      severity: "error",
      from: { path: "^src/" },
      to: { path: publicEntry },
    },
    {
      name: "src-opens-no-socket-and-no-file",
      comment: "src holds meaning; whatever touches a network, a file or a peer package is an adapter behind a port.",
      severity: "error",
      from: { path: "^src/" },
      to: { path: outsideWorld },
    },
    {
      name: "src-knows-no-adapter",
      comment: "Adapters depend on src, never the other way round.",
      severity: "error",
      from: { path: "^src/" },
      to: { path: "^adapters/" },
    },
    {
      name: "adapters-use-the-public-entries",
      comment: "An adapter gets what a stranger's adapter gets: src/index.ts and src/entries.",
      severity: "error",
      from: { path: "^adapters/" },
      to: { path: "^src/", pathNot: publicEntry },
    },
    {
      name: "adapters-stand-alone",
      comment:
        "No adapter imports another one; stores bring the spool as their default journal; surfaces compose (ADR 10).",
      severity: "error",
      from: { path: adapter, pathNot: "^adapters/(surfaces|frameworks)/" },
      to: { path: "^adapters/", pathNot: "^adapters/($1|spool)/" },
    },
    {
      name: "frameworks-bring-the-tap",
      comment:
        "A framework's adapter fits the MCP seam to it: it takes that by its index.ts, and nothing else (ADR 11).",
      severity: "error",
      from: { path: "^adapters/frameworks/([^/]+)/" },
      to: { path: "^adapters/", pathNot: ["^adapters/frameworks/$1/", "^adapters/mcp/index\\.ts$"] },
    },
    {
      name: "surfaces-enter-by-the-front-door",
      comment: "A surface takes another adapter by its index.ts, as a user would.",
      severity: "error",
      from: { path: "^adapters/surfaces/([^/]+)/" },
      to: { path: "^adapters/", pathNot: ["^adapters/surfaces/$1/", "/index\\.ts$"] },
    },
    {
      name: "setup-is-below-the-surfaces",
      severity: "error",
      from: { path: "^adapters/surfaces/setup/" },
      to: { path: "^adapters/surfaces/", pathNot: "^adapters/surfaces/setup/" },
    },
    {
      name: "testing-needs-no-package",
      comment: "indoubt/testing runs in any test runner: it imports node:* and the public entries.",
      severity: "error",
      from: { path: "^adapters/testing/" },
      to: { path: "(^|/)node_modules/" },
    },
    {
      name: "shipped-code-knows-no-tests",
      severity: "error",
      from: { path: "^(src|adapters)/" },
      to: { path: "^(test|bench|examples|scripts)/|(^|node_modules/)(vitest|fast-check)(/|$)" },
    },
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    { name: "no-missing-imports", severity: "error", from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "node", "types"] },
  },
};
