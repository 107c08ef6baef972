/** Brings the pages up to date with the examples and the demo: `npx tsx test/docs/children/write.ts`. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runExample } from "../support/run-example.ts";
import { demoOutput, page, pages, root, withDemoOutput, withSnippets } from "../support/snippets.ts";

const cwd = mkdtempSync(join(tmpdir(), "indoubt-docs-"));
const { stdout } = await runExample("../adapters/surfaces/cli/bin.ts", { cwd, args: ["demo"] });
rmSync(cwd, { recursive: true });
for (const path of pages()) {
  const written = withSnippets(page(path));
  // Each run has numbers of its own: a page is not written anew for those.
  const same = steady(demoOutput(written)) === steady(stdout.trimEnd());
  writeFileSync(join(root, path), same ? written : withDemoOutput(written, stdout));
}

/** What the demo says, without its random names. The server is a process of its own: its lines come a little sooner or later. */
function steady(output: string): string {
  return output
    .replace(/\b([A-Z]{3})-\d+/g, "$1")
    .replace(/"[a-z0-9]+(-\d+)"/g, '"$1"')
    .replace(/\(reference [\w-]+\)/g, "(reference)")
    .split("\n")
    .sort()
    .join("\n");
}
