/** What the Inspector's command line is asked, and what it printed. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runInspector } from "./programs.ts";
import type { Seen } from "./rows.ts";

type Server = { readonly command: string; readonly args: readonly string[] } | { readonly url: string };

const call = (tool: string, ...args: string[]): readonly string[] => [
  "--method",
  "tools/call",
  "--tool-name",
  tool,
  ...(args.length > 0 ? ["--tool-arg", ...args] : []),
];
const LISTS = ["tools/list", "prompts/list", "resources/list", "resources/templates/list"];

export const QUESTIONS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  "server-everything": {
    ...Object.fromEntries(LISTS.map((method) => [method, ["--method", method]])),
    "tools/call echo": call("echo", "message=hello"),
    "tools/call get-sum": call("get-sum", "a=2", "b=3"),
    "tools/call get-tiny-image": call("get-tiny-image"),
    "tools/call with too little": call("get-sum", "a=2"),
    "prompts/get": ["--method", "prompts/get", "--prompt-name", "simple-prompt"],
  },
  "suite-server": {
    ...Object.fromEntries(LISTS.map((method) => [method, ["--method", method]])),
    "tools/call test_simple_text": call("test_simple_text"),
    "tools/call test_multiple_content_types": call("test_multiple_content_types"),
    "tools/call test_error_handling": call("test_error_handling"),
    "tools/call test_tool_with_progress": call("test_tool_with_progress"),
    "tools/call of nothing": call("no_such_tool"),
    "resources/read": ["--method", "resources/read", "--uri", "test://static-text"],
    "resources/read of nothing": ["--method", "resources/read", "--uri", "test://nowhere"],
    "prompts/get": ["--method", "prompts/get", "--prompt-name", "test_simple_prompt"],
    "logging/setLevel": ["--method", "logging/setLevel", "--log-level", "info"],
  },
};

/** @returns question to what was printed */
export async function inspect(server: Server, name: string): Promise<ReadonlyMap<string, Seen>> {
  const cwd = mkdtempSync(join(tmpdir(), "indoubt-inspector-"));
  const entry = "url" in server ? { type: "streamable-http", url: server.url } : { type: "stdio", ...server };
  const config = join(cwd, "mcp.json");
  writeFileSync(config, JSON.stringify({ mcpServers: { subject: entry } }));
  try {
    const seen = new Map<string, Seen>();
    for (const [question, args] of Object.entries(QUESTIONS[name] ?? {})) {
      const { code, out, err } = await runInspector(config, args, cwd);
      const error = /^\{"error".*$/m.exec(err)?.[0];
      seen.set(question, { code: String(code), ...unmarked(out.trim()), ...(error && { error }) });
    }
    return seen;
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

/** The answer without what the proxy adds to it, and that by its name. */
function unmarked(out: string): Seen {
  const mark = /"indoubt\/outcome": \{\s*"kind": "(\w+)"/.exec(out)?.[1];
  if (mark === undefined) return { stdout: out };
  const { _meta, content, ...rest } = JSON.parse(out) as { _meta: Record<string, unknown>; content: unknown[] };
  const { "indoubt/outcome": _outcome, ...others } = _meta;
  const meta = Object.keys(others).length > 0 ? { _meta: others } : {};
  const answer = { ...meta, content: content.slice(0, -1), ...rest };
  return { stdout: JSON.stringify(answer, null, 2), "mark of the proxy": mark };
}

export const brief = ({ code, stdout = "" }: Seen): string =>
  `exit ${code}, ${Buffer.byteLength(stdout)} bytes printed`;
