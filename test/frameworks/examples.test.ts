/** The guides of docs/frameworks are code that ran: each example loses the first reply, and there is one effect. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { runExample } from "../docs/support/run-example.ts";
import { root } from "../docs/support/snippets.ts";

const cwd = mkdtempSync(join(tmpdir(), "indoubt-frameworks-"));
afterAll(() => rmSync(cwd, { recursive: true }));

test.each([
  ["loops", "loops/anthropic.ts"],
  ["ai-sdk", "ai-sdk/agent.ts"],
  ["langchain", "langchain/agent.ts"],
  ["openai-agents", "openai-agents/agent.ts"],
  ["openai-agents", "openai-agents/stdio.ts"],
  ["mastra", "mastra/agent.ts"],
])(
  "docs/frameworks/%s.md: examples/%s makes one invoice and says what the guide says",
  async (guide, file) => {
    const { stdout } = await runExample(file, { cwd });
    expect(stdout.trim().split("\n").at(-1)).toBe("done; invoices: 1");
    expect(stdout.match(/the model reads: \[outcome_uncertain\]/g)).toHaveLength(2);
    expect(readFileSync(join(root, "docs/frameworks", `${guide}.md`), "utf8")).toContain(stdout.trim());
  },
  60_000,
);
